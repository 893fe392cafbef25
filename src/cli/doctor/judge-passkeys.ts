import type { Config } from '../../config.ts';
import { showCount } from '../show.ts';
import { warning, type DoctorFinding } from './finding.ts';
import type { StrayPasskeys } from './probe-database.ts';

/** Browsers offer a passkey only at the host for which it was made. */
export function judgePasskeys({ baseUrl }: Pick<Config, 'baseUrl'>, stray: StrayPasskeys[]): DoctorFinding[] {
  const { hostname } = new URL(baseUrl);
  return stray.map(({ host, people }) =>
    warning(
      'Passkeys',
      `those of ${showCount(people, 'account')} were made for ${host} and do not work at ${hostname}`,
      `Let people sign in with their password and a code, and add passkeys for ${hostname}, or use ${host} in BASE_URL again.`,
    ),
  );
}
