import type { Assertion, RequestOptions } from '../../../src/features/identity/webauthn/webauthn.schema.ts';
import { passkeyTexts as t } from '../../texts/en/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { askForPasskey } from './passkey-browser.ts';

interface PasskeyStepProps {
  /** Asks the server again, because a challenge works once. */
  begin(): Promise<RequestOptions | null>;
  finish(passkey: Assertion): Promise<void>;
}

/** Uses a passkey after the password. */
export function PasskeyStep({ begin, finish }: PasskeyStepProps) {
  const { busy, error, onSubmit } = useSubmission(async () => {
    const options = await begin();
    if (options) await finish(await askForPasskey(options));
  });
  return (
    <div>
      <Button className="w-full" busy={busy} onClick={onSubmit}>
        {t.useInstead}
      </Button>
      <FormError error={error} />
    </div>
  );
}
