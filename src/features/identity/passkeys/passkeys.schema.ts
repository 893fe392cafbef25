import { z } from 'zod';
import { text, timestamp } from '../../../platform/schema.ts';
import { assertionInput, attestationInput } from '../webauthn/webauthn.schema.ts';

const name = text({ min: 1, max: 100, trim: true }).describe('What the person calls the device');

export const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    host: z.string().describe('The host of BASE_URL when it was made'),
    worksHere: z.boolean().describe('False if BASE_URL has another host now'),
    backedUp: z
      .boolean()
      .describe('Whether the device copies it to an account of the person, such as that of Apple or Google'),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('When the person last signed in with it'),
  })
  .meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof passkeySchema>;

export const passkeyList = z.object({ items: z.array(passkeySchema) });

const recoveryCodes = z
  .array(z.string())
  .nullable()
  .describe(
    'With the first second factor. Each works once instead of the passkey, after the password. Returned only here',
  );

export const addedPasskey = passkeySchema.extend({ recoveryCodes }).meta({ id: 'AddedPasskey' });
export type AddedPasskey = z.infer<typeof addedPasskey>;

export const proofInput = z
  .object({
    password: text({ min: 1, max: 200 })
      .optional()
      .describe('The current password. Needed unless you signed in within the last 10 minutes'),
  })
  .default({});

export const passkeyInput = z.object({ name, credential: attestationInput });
export type PasskeyInput = z.output<typeof passkeyInput>;

export const passkeyUpdate = z.object({ name });
export const passkeySignIn = z.object({ credential: assertionInput });
export const passkeyParams = z.object({ passkeyId: z.string() });
