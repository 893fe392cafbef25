import type { Config } from '../../config.ts';
import type { SecretState } from '../../features/account/instance-secret/secret-check.ts';
import { describeMissingSecret, describeWrongSecret } from '../../open-secret.ts';
import { failure, passed, type DoctorFinding } from './finding.ts';

const ADVICE = 'Set INSTANCE_SECRET, or put the file back. Posthorn does not start without the right secret.';

export function judgeSecret(config: Config, state: SecretState): DoctorFinding {
  const about = 'Instance secret';
  if (state === 'missing') return failure(about, describeMissingSecret(config), ADVICE);
  if (state === 'differs') return failure(about, describeWrongSecret(config), ADVICE);
  return passed(
    about,
    state === 'matches' ? 'belongs to the database' : 'the database is not in use with one yet',
  );
}
