import type { Assertion, Attestation, CreationOptions, RequestOptions } from '../webauthn/webauthn.schema.ts';
import type { Passkey } from './passkeys.schema.ts';

const host = 'mail.harbour-books.example';
const id = 'b3Rvcm4tcGFzc2tleS1leGFtcGxl';
const challenge = 'AZqnv3gwT2Nrb29rYm9va2hhcmJvdXJib29rcw';
const type = 'public-key';

export const passkeyExample: Passkey = {
  id: 'pky_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Laptop',
  host,
  worksHere: true,
  backedUp: true,
  createdAt: '2026-11-15T09:30:00.000Z',
  lastUsedAt: '2026-11-18T07:12:00.000Z',
};

export const creationExample: CreationOptions = {
  challenge,
  rp: { id: host, name: 'Posthorn' },
  user: {
    id: 'dXNyXzAxa2JkOHg0enZmN204cmsycTN3NXQ2eTdo',
    name: 'ada@harbour-books.example',
    displayName: 'ada@harbour-books.example',
  },
  pubKeyCredParams: [
    { type, alg: -8 },
    { type, alg: -7 },
    { type, alg: -257 },
  ],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
};

export const requestExample: RequestOptions = {
  challenge,
  rpId: host,
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
};

const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';

export const registrationExample: { name: string; credential: Attestation } = {
  name: passkeyExample.name,
  credential: {
    id,
    rawId: id,
    type,
    response: { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
  },
};

export const signInExample: Assertion = {
  id,
  rawId: id,
  type,
  response: {
    clientDataJSON,
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4',
    signature: 'MEUCIQDwUvyFIo8',
    userHandle: 'dXNyXzAxa2JkOHg0enZmN204cmsycTN3NXQ2eTdo',
  },
};
