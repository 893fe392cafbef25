/** Routes for people who are not signed in. */
import { openRoute, SessionAnswer } from '../../api/route.ts';
import { resetPassword } from './account.ts';
import { requestPasswordReset } from './forgotten-password.ts';
import { acceptInvitation, showInvitation } from './invitations.ts';
import {
  acceptInput,
  done,
  forgottenAnswer,
  forgottenInput,
  invitationShown,
  resetInput,
  sessionSchema,
  setupInput,
  setupState,
  signInAnswer,
  signInInput,
  tokenQuery,
  type SignInSession,
} from './people.schema.ts';
import { sessionExample } from './session-example.ts';
import type { NewSession } from './sessions.ts';
import { hasAccounts, setUpOwner } from './setup.ts';
import { signIn } from './sign-in.ts';

const group = 'Signing in';
const permission = 'anyone';
const token = '0s8f4m2k6n1q9r3t7v5w8x2y4z6a1b3c5d7e9f2g4h6j8k1m3n5p';

function signedIn({ session, token: sessionToken, device }: NewSession): SessionAnswer<SignInSession> {
  return new SessionAnswer(session, { kind: 'begin', token: sessionToken, device });
}

export const authRoutes = [
  openRoute({
    operationId: 'getSetUp',
    method: 'GET',
    path: '/v1/auth/setup',
    scope: 'none',
    group,
    summary: 'Check whether this server is waiting for its first account',
    description: 'The sign-in page uses it to explain how to set up a new server.',
    permission,
    errors: ['RATE_LIMITED'],
    answer: setupState,
    example: { answer: { isPending: false } },
    handle: async ({ db }) => ({ isPending: !(await hasAccounts(db)) }),
  }),
  openRoute({
    operationId: 'setUp',
    method: 'POST',
    path: '/v1/auth/setup',
    scope: 'none',
    group,
    summary: 'Create the first account of a team',
    description:
      'The token is part of the link that Posthorn prints when it first starts, or that `posthorn team link` prints. It works once, while the team has no owner. A link that was made for one address works with that address only. If the address already has an account, send the password of that account.',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
    body: setupInput,
    answer: sessionSchema,
    example: {
      body: { token, name: 'Ada', email: 'ada@harbour-books.example', password: 'correct horse battery' },
      answer: sessionExample,
    },
    handle: async ({ db, facts, visitor, body }) => signedIn(await setUpOwner(db, facts, body, visitor)),
  }),
  openRoute({
    operationId: 'signIn',
    method: 'POST',
    path: '/v1/auth/sign-in',
    scope: 'none',
    group,
    summary: 'Sign in',
    description:
      'Sets the cookie `ph_session`, which authenticates a browser as an API key authenticates a program. If the person has an authenticator app or a passkey and neither `code` nor `passkey` was sent, `needsCode` is true and no session is created. After 10 failed attempts in 15 minutes from one network, or 100 for one account from all networks, the response is `429`. It also sets the cookie `ph_device`: a browser or network from which the person has signed in before has 10 attempts of its own, whatever others do.',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'RATE_LIMITED'],
    body: signInInput,
    answer: signInAnswer,
    example: {
      body: { email: 'ada@harbour-books.example', password: 'correct horse battery' },
      answer: { needsCode: false, passkeys: null, session: sessionExample },
    },
    async handle({ db, facts, visitor, body }) {
      const result = await signIn(db, facts, body, visitor);
      if (result.kind === 'needs-code') return { needsCode: true, passkeys: result.passkeys, session: null };
      const { session, token: sessionToken, device } = result.started;
      const answer = { needsCode: false, passkeys: null, session };
      return new SessionAnswer(answer, { kind: 'begin', token: sessionToken, device });
    },
  }),
  openRoute({
    operationId: 'showInvitation',
    method: 'GET',
    path: '/v1/auth/invitation',
    scope: 'none',
    group,
    summary: 'Get an invitation',
    permission,
    errors: ['BAD_REQUEST'],
    query: tokenQuery,
    answer: invitationShown,
    example: {
      query: { token },
      answer: { email: 'grace@harbour-books.example', teamName: 'Harbour Books', proves: true },
    },
    handle: ({ db, query }) => showInvitation(db, query.token),
  }),
  openRoute({
    operationId: 'acceptInvitation',
    method: 'POST',
    path: '/v1/auth/accept-invitation',
    scope: 'none',
    group,
    summary: 'Accept an invitation',
    description:
      'Creates an account for the invited address. If the address already has an account, send its password, and a `code` or a `passkey` if it needs a second factor; the name of that account does not change. An account whose address is not proven gets the new name and password instead, and everything that was set before is removed, if the link was sent to the address; by a link that was not, it cannot join (`409`).',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
    body: acceptInput,
    answer: sessionSchema,
    example: {
      body: { token, name: 'Ada', password: 'correct horse battery' },
      answer: { ...sessionExample, role: 'member' },
    },
    handle: async ({ db, facts, visitor, body }) =>
      signedIn(await acceptInvitation(db, facts, body, visitor)),
  }),
  openRoute({
    operationId: 'forgetPassword',
    method: 'POST',
    path: '/v1/auth/forgotten',
    scope: 'none',
    group,
    summary: 'Request a password reset',
    description:
      'The response is the same whether or not the address has an account. The link in the email works once and expires in an hour. The email is sent from a verified domain of one of the user’s teams. It is never sent to a mailbox of this server, because others may be able to read it. The limit is 3 requests in 15 minutes for one address, and 10 from one network.',
    permission,
    errors: ['BAD_REQUEST', 'RATE_LIMITED'],
    body: forgottenInput,
    answer: forgottenAnswer,
    example: { body: { email: 'ada@harbour-books.example' }, answer: { success: true, canSend: true } },
    handle: async ({ db, facts, visitor, body }) => ({
      success: true,
      canSend: await requestPasswordReset(db, facts, body.email, visitor.ip),
    }),
  }),
  openRoute({
    operationId: 'resetPassword',
    method: 'POST',
    path: '/v1/auth/reset',
    scope: 'none',
    group,
    summary: 'Reset a password',
    description:
      'The token is part of the emailed link, or of the link that `posthorn user reset-password` prints. It works once. All sessions of the account end. The first such link proves the address, so it also turns off two-factor authentication and revokes app passwords: someone else may have set them.',
    permission,
    errors: ['BAD_REQUEST'],
    body: resetInput,
    answer: done,
    example: { body: { token, password: 'correct horse battery' }, answer: { success: true } },
    async handle({ db, facts, visitor, body }) {
      const device = await resetPassword(db, facts.secret, body, visitor);
      return new SessionAnswer({ success: true }, { kind: 'remember', device });
    },
  }),
];
