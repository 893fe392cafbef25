import { useEffect } from 'react';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import { passkeyTexts as t } from '../../texts/en/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { offerInField, signInWithPasskey, stopOffering } from './passkey-browser.ts';

/** A challenge works for 5 minutes. */
const RENEW_MS = 4 * 60_000;

interface PasskeyButtonProps {
  enter(session: SignInSession): unknown;
}

/** Signs in with a passkey: by this button, or from the list that the browser shows in the field of the address. */
export function PasskeyButton({ enter }: PasskeyButtonProps) {
  const { busy, error, onSubmit } = useSubmission(async () => enter(await signInWithPasskey()));
  useEffect(() => {
    // An offer that ends without a sign-in needs no message: the button is there.
    const leaving = new AbortController();
    const offer = () =>
      void offerInField(leaving.signal).then(
        (session) => session && enter(session),
        () => null,
      );
    offer();
    const renewing = window.setInterval(offer, RENEW_MS);
    return () => {
      window.clearInterval(renewing);
      leaving.abort();
      stopOffering();
    };
  }, [enter]);
  return (
    <div>
      <Button className="w-full" busy={busy} onClick={onSubmit}>
        {t.signIn}
      </Button>
      <FormError error={error} />
    </div>
  );
}
