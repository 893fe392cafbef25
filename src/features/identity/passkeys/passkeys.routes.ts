import { openRoute, route, SessionAnswer } from '../../api/route.ts';
import { sessionExample } from '../people/session-example.ts';
import { done, recoveryCodes, sessionSchema } from '../people/people.schema.ts';
import { creationOptions, requestOptions } from '../webauthn/webauthn.schema.ts';
import { deletePasskey, listPasskeys, renamePasskey, renewRecoveryCodes } from './passkeys.ts';
import {
  creationExample,
  passkeyExample,
  requestExample,
  registrationExample,
  signInExample,
} from './passkeys.examples.ts';
import {
  addedPasskey,
  passkeyInput,
  passkeyList,
  passkeyParams,
  passkeySchema,
  passkeySignIn,
  passkeyUpdate,
  proofInput,
} from './passkeys.schema.ts';
import { beginRegistration, registerPasskey } from './register-passkey.ts';
import { beginPasskeySignIn, signInWithPasskey } from './sign-in-with-passkey.ts';

const group = 'Passkeys';
const access = { permission: 'person', role: 'member', scope: 'none' } as const;
const params = { passkeyId: passkeyExample.id };
const password = 'correct horse battery';

export const passkeyRoutes = [
  route({
    operationId: 'listPasskeys',
    method: 'GET',
    path: '/v1/auth/passkeys',
    group,
    summary: 'List your passkeys',
    ...access,
    answer: passkeyList,
    example: { answer: { items: [passkeyExample] } },
    handle: async ({ db, facts, caller }) => ({ items: await listPasskeys(db, facts, caller.person!) }),
  }),
  route({
    operationId: 'beginPasskey',
    method: 'POST',
    path: '/v1/auth/passkeys/options',
    storesLittle: true,
    group,
    summary: 'Start to add a passkey',
    description:
      'Returns what `navigator.credentials.create()` takes. It works once, for 5 minutes, in this session. Passkeys are made for the host of `BASE_URL`, and `409` says that they do not work at the address of this server.',
    ...access,
    errors: ['CONFLICT', 'RATE_LIMITED'],
    body: proofInput,
    answer: creationOptions,
    example: { body: { password }, answer: creationExample },
    handle: ({ db, facts, caller, body }) => beginRegistration(db, facts, caller.person!, body.password),
  }),
  route({
    operationId: 'addPasskey',
    method: 'POST',
    path: '/v1/auth/passkeys',
    group,
    summary: 'Add a passkey',
    description:
      'Send what `navigator.credentials.create()` has returned. From then on the passkey signs you in alone, and your password needs a passkey or a code as well. With the first second factor you get recovery codes. A person can have 20 passkeys.',
    ...access,
    errors: ['CONFLICT'],
    body: passkeyInput,
    answer: addedPasskey,
    example: {
      body: registrationExample,
      answer: { ...passkeyExample, lastUsedAt: null, recoveryCodes: ['7x2k-9d4m-0s8f-4m2k'] },
    },
    handle: ({ db, facts, caller, body }) => registerPasskey(db, facts, caller.person!, body),
  }),
  route({
    operationId: 'renamePasskey',
    method: 'PATCH',
    path: '/v1/auth/passkeys/{passkeyId}',
    group,
    summary: 'Rename a passkey',
    ...access,
    errors: ['NOT_FOUND'],
    params: passkeyParams,
    body: passkeyUpdate,
    answer: passkeySchema,
    example: { params, body: { name: passkeyExample.name }, answer: passkeyExample },
    handle: ({ db, facts, caller, params: { passkeyId }, body: { name } }) =>
      renamePasskey(db, facts, caller.person!, { passkeyId, name }),
  }),
  route({
    operationId: 'deletePasskey',
    method: 'DELETE',
    path: '/v1/auth/passkeys/{passkeyId}',
    group,
    summary: 'Delete a passkey',
    description:
      'It signs nobody in any more; sessions stay. Your only way to sign in cannot be deleted (`409`). Recovery codes end with the last second factor.',
    ...access,
    errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
    params: passkeyParams,
    body: proofInput,
    answer: done,
    example: { params, body: { password }, answer: { success: true } },
    async handle({ db, facts, caller, params: { passkeyId }, body }) {
      await deletePasskey(db, facts, caller.person!, { passkeyId, password: body.password });
      return { success: true };
    },
  }),
  route({
    operationId: 'renewRecoveryCodes',
    method: 'POST',
    path: '/v1/auth/recovery-codes',
    group,
    summary: 'Get new recovery codes',
    description: 'The earlier ones stop working.',
    ...access,
    errors: ['CONFLICT', 'RATE_LIMITED'],
    body: proofInput,
    answer: recoveryCodes,
    example: { body: { password }, answer: { recoveryCodes: ['7x2k-9d4m-0s8f-4m2k'] } },
    handle: async ({ db, caller, body }) => ({
      recoveryCodes: await renewRecoveryCodes(db, caller.person!, body.password),
    }),
  }),
  openRoute({
    operationId: 'beginPasskeySignIn',
    method: 'POST',
    path: '/v1/auth/passkeys/sign-in-options',
    scope: 'none',
    group,
    summary: 'Start to sign in with a passkey',
    description:
      'Returns what `navigator.credentials.get()` takes. It is the same for everyone, except for the challenge.',
    permission: 'anyone',
    errors: ['CONFLICT'],
    answer: requestOptions,
    example: { answer: requestExample },
    handle: ({ db, facts }) => beginPasskeySignIn(db, facts),
  }),
  openRoute({
    operationId: 'signInWithPasskey',
    method: 'POST',
    path: '/v1/auth/passkeys/sign-in',
    scope: 'none',
    group,
    summary: 'Sign in with a passkey',
    description:
      'Send what `navigator.credentials.get()` has returned. It needs neither password nor code, because the device verifies the person. Sets the same cookies as signing in with a password, and has the same limits. To use a passkey after the password, send it as `passkey` to `POST /auth/sign-in`.',
    permission: 'anyone',
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
    body: passkeySignIn,
    answer: sessionSchema,
    example: { body: { credential: signInExample }, answer: sessionExample },
    async handle({ db, facts, visitor, body }) {
      const { session, token, device } = await signInWithPasskey(db, facts, body.credential, visitor);
      return new SessionAnswer(session, { kind: 'begin', token, device });
    },
  }),
];
