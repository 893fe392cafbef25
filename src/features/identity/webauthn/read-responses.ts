/**
 * Checks what a browser returns for a passkey (Web Authentication Level 3, sections 7.1 and 7.2), except its challenge
 * (challenges.ts) and its counter (use-passkey.ts).
 */
import type { RelyingParty } from './relying-party.ts';
import type { Assertion, Attestation } from './webauthn.schema.ts';

/** COSE: Ed25519, ES256 and RS256, in the order in which we prefer them. */
export const ALGORITHMS = [-8, -7, -257];

export interface NewCredential {
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
  backedUp: boolean;
}

export interface CredentialUse {
  signCount: number;
  backedUp: boolean;
}

/** Loaded with the first passkey, because a server without passkeys needs none of it. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadParts = () => import('@simplewebauthn/server/helpers');

/** Returns the challenge that the browser has signed. Null if there is none, or another site had us in a frame. */
export function challengeOf({ response }: Assertion | Attestation): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'));
    if (typeof data !== 'object' || data === null || !('challenge' in data)) return null;
    if ('crossOrigin' in data && data.crossOrigin === true) return null;
    return typeof data.challenge === 'string' ? data.challenge : null;
  } catch {
    return null;
  }
}

/** Returns null if the response is not one of a browser at this origin, or if nobody was verified by the device. */
export async function readAttestation(
  { rpId, origin }: RelyingParty,
  credential: Attestation,
  challenge: string,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const { decodeAttestationObject, isoCBOR } = await loadParts();
  try {
    const sent = Buffer.from(credential.response.attestationObject, 'base64url');
    // We ask for no attestation. A statement that is sent nevertheless is left out: its certificates can name addresses
    // that the library would fetch.
    const authData = decodeAttestationObject(new Uint8Array(sent)).get('authData');
    const parts = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ]);
    const attestationObject = Buffer.from(isoCBOR.encode(parts)).toString('base64url');
    const { clientDataJSON } = credential.response;
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || info.credential.id !== credential.id) return null;
    return {
      credentialId: Buffer.from(info.credential.id, 'base64url'),
      publicKey: Buffer.from(info.credential.publicKey),
      signCount: info.credential.counter,
      backedUp: info.credentialBackedUp,
    };
  } catch {
    return null;
  }
}

/** Returns null if the response is not one of this passkey and a browser at this origin. */
export async function readAssertion(
  { rpId, origin }: RelyingParty,
  assertion: Assertion,
  {
    publicKey,
    challenge,
    needsUserVerification,
  }: {
    publicKey: Buffer;
    challenge: string;
    needsUserVerification: boolean;
  },
): Promise<CredentialUse | null> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { userHandle, ...response } = assertion.response;
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: {
        ...assertion,
        response: { ...response, userHandle: userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: needsUserVerification,
      // The caller compares counters, together with the write of the new one.
      credential: { id: assertion.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? { signCount: info.newCounter, backedUp: info.credentialBackedUp } : null;
  } catch {
    return null;
  }
}
