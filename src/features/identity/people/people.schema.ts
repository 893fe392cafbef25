import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { text, timestamp } from '../../../platform/schema.ts';
import { assertionInput, requestOptions } from '../webauthn/webauthn.schema.ts';
import { isGuessable } from './guessable-password.ts';

export const role = z.enum(['owner', 'admin', 'member']);

export const emailAddress = text({ min: 1, max: 320, trim: true })
  .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
  .meta({ format: 'email' });

const name = text({ min: 1, max: 200, trim: true });
const newPassword = text({ min: 10, max: 200 }).refine((value) => !isGuessable(value), {
  error: 'is too easy to guess; choose another',
});
/** Compared with the stored hash, so only its length is limited. */
const knownPassword = text({ min: 1, max: 200 });
const token = text({ min: 1, max: 256 });
const code = text({ min: 1, max: 64 }).describe(
  'The six-digit code from the authenticator app, or a recovery code',
);
const passkey = assertionInput
  .optional()
  .describe(
    'What `navigator.credentials.get()` has returned for the `passkeys` of `POST /auth/sign-in`, instead of a code',
  );

/** The languages of the web app. Each has its texts in web/texts. */
export const interfaceLanguage = z.enum(['en', 'de']);

const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    totpEnabled: z.boolean(),
    proven: z
      .boolean()
      .describe('Whether a link that was sent to the address has been used, so that it is known to be yours'),
    language: interfaceLanguage
      .nullable()
      .describe('The language of the web app. Null: the language that the browser prefers'),
    createdAt: timestamp,
  })
  .meta({ id: 'User' });

export const sessionSchema = z
  .object({
    user: userSchema,
    team: z.object({ id: z.int(), name: z.string() }),
    role,
  })
  .meta({ id: 'Session' });

export const signInAnswer = z.object({
  needsCode: z
    .boolean()
    .describe('A second factor is needed: send the request again with a `code` or a `passkey`'),
  passkeys: requestOptions
    .nullable()
    .describe('What `navigator.credentials.get()` takes, if the person has passkeys that work here'),
  session: sessionSchema.nullable(),
});

export const setupInput = z.object({
  token,
  name,
  email: emailAddress,
  password: newPassword,
  code: code.optional(),
  passkey,
});
export const setupState = z.object({
  isPending: z.boolean().describe('Nobody has an account on this instance yet'),
});
export const signInInput = z.object({
  email: emailAddress,
  password: knownPassword,
  code: code.optional(),
  passkey,
});
export const acceptInput = z.object({
  token,
  name,
  password: newPassword,
  code: code.optional(),
  passkey,
});
export const forgottenInput = z.object({ email: emailAddress });
export const forgottenAnswer = z.object({
  success: z.boolean(),
  canSend: z
    .boolean()
    .describe(
      'False if this server cannot send password emails; use `posthorn user reset-password` to create a link',
    ),
});
export const resetInput = z.object({ token, password: newPassword });
export const tokenQuery = z.object({ token });
export const invitationShown = z.object({
  email: z.string(),
  teamName: z.string(),
  proves: z.boolean().describe('Whether accepting proves that the address is yours'),
});

export const accountUpdate = z.object({
  name: name.optional(),
  currentPassword: knownPassword.optional(),
  newPassword: newPassword.optional(),
  language: interfaceLanguage
    .nullable()
    .optional()
    .describe('The language of the web app; null for the language that the browser prefers'),
});
export const passwordInput = z.object({ password: knownPassword });
export const codeInput = z.object({ code });
export const totpStarted = z.object({
  secret: z.string().describe('The secret in Base32, to type in instead of scanning the QR code'),
  uri: z.string().describe('The content of the QR code'),
});
export const recoveryCodes = z.object({
  recoveryCodes: z.array(z.string()).describe('Each can be used once instead of a code. Returned only here'),
});
export const teamChoice = z.object({ teamId: z.int32().min(1) });
export const ownTeams = z.object({
  items: z.array(z.object({ id: z.int(), name: z.string(), role })),
});
export const done = z.object({ success: z.boolean() });

export type InterfaceLanguage = z.infer<typeof interfaceLanguage>;
export type SignInSession = z.infer<typeof sessionSchema>;
export type SetupInput = z.output<typeof setupInput>;
export type SignInInput = z.output<typeof signInInput>;
export type AcceptInput = z.output<typeof acceptInput>;
export type AccountUpdate = z.output<typeof accountUpdate>;
export type OwnTeams = z.infer<typeof ownTeams>;
