/** Asks the browser to make and use passkeys. Loaded by the pages that need it. */
import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import type { AddedPasskey } from '../../../src/features/identity/passkeys/passkeys.schema.ts';
import type {
  Assertion,
  CreationOptions,
  RequestOptions,
} from '../../../src/features/identity/webauthn/webauthn.schema.ts';
import { ApiError, sendJson } from '../../api/client.ts';
import { passkeyTexts as t } from '../../texts/en/passkeys.ts';

export async function signInWithPasskey(): Promise<SignInSession> {
  const options = await sendJson<RequestOptions>('POST', '/auth/passkeys/sign-in-options');
  return sendPasskey(await askForPasskey(options));
}

/** Throws if the person does not choose one. */
export async function askForPasskey(options: RequestOptions): Promise<Assertion> {
  return readable(startAuthentication({ optionsJSON: options }));
}

/**
 * Offers passkeys in the list of the field with the autocomplete token `webauthn`. The promise stays open until the
 * person chooses one, and is rejected when another request to the browser begins. Null if the browser has no such list.
 */
export async function offerInField(signal: AbortSignal): Promise<SignInSession | null> {
  if (!(await browserSupportsWebAuthnAutofill())) return null;
  const options = await sendJson<RequestOptions>('POST', '/auth/passkeys/sign-in-options');
  if (signal.aborted) return null;
  const credential = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: true,
  });
  return sendPasskey(credential);
}

export function stopOffering(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** The password is needed unless the person has just signed in. */
export async function addPasskey(name: string, password: string): Promise<AddedPasskey> {
  const proof = password === '' ? {} : { password };
  const options = await sendJson<CreationOptions>('POST', '/auth/passkeys/options', proof);
  const credential = await readable(startRegistration({ optionsJSON: options }));
  return sendJson('POST', '/auth/passkeys', { name, credential });
}

function sendPasskey(credential: unknown): Promise<SignInSession> {
  return sendJson('POST', '/auth/passkeys/sign-in', { credential });
}

async function readable<Result>(ceremony: Promise<Result>): Promise<Result> {
  try {
    return await ceremony;
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw new ApiError(0, 'PASSKEY', isKnown ? t.alreadyAdded : t.notChosen);
  }
}
