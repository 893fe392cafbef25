/** The JSON forms of Web Authentication Level 3 (section 5.1.8 and 5.1.9), as browsers make and take them. */
import { z } from 'zod';
import { text } from '../../../platform/schema.ts';

/** A credential ID has at most 1,023 bytes. */
const credentialId = text({ min: 1, max: 1_364 }).describe('Base64url');
const clientDataJSON = text({ min: 1, max: 8_000 }).describe('Base64url');
const MAX_TRANSPORTS = 10;

const transports = z.array(text({ min: 1, max: 32 })).max(MAX_TRANSPORTS);
const type = z.literal('public-key');

/** What `navigator.credentials.get()` returns, as JSON. */
export const assertionInput = z.object({
  id: credentialId,
  rawId: credentialId,
  type,
  response: z.object({
    clientDataJSON,
    authenticatorData: text({ min: 1, max: 8_000 }).describe('Base64url'),
    signature: text({ min: 1, max: 4_000 }).describe('Base64url'),
    userHandle: text({ max: 100 }).nullish().describe('Base64url. Which person the passkey is for'),
  }),
});
export type Assertion = z.output<typeof assertionInput>;

/** What `navigator.credentials.create()` returns, as JSON. */
export const attestationInput = z.object({
  id: credentialId,
  rawId: credentialId,
  type,
  response: z.object({
    clientDataJSON,
    attestationObject: text({ min: 1, max: 32_000 }).describe('Base64url'),
    transports: transports.optional(),
  }),
});
export type Attestation = z.output<typeof attestationInput>;

const descriptor = z.object({ id: z.string(), type, transports: z.array(z.string()) });
const challenge = z.string().describe('Works once, for 5 minutes');
const timeout = z.int().describe('Milliseconds');

/** What `navigator.credentials.get()` takes. */
export const requestOptions = z
  .object({
    challenge,
    rpId: z.string(),
    timeout,
    userVerification: z.enum(['required', 'preferred']),
    allowCredentials: z.array(descriptor).describe('Empty: the browser offers what it has for this host'),
  })
  .meta({ id: 'PasskeyRequestOptions' });
export type RequestOptions = z.infer<typeof requestOptions>;

/** What `navigator.credentials.create()` takes. */
export const creationOptions = z
  .object({
    challenge,
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type, alg: z.int() })),
    timeout,
    excludeCredentials: z.array(descriptor).describe('The passkeys that the person has already'),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions' });
export type CreationOptions = z.infer<typeof creationOptions>;
