/** Coming in: for those who are not signed in yet. */
import { openRoute, SessionAnswer } from '../../platform/route.ts';
import { resetPassword } from './account.ts';
import { forgetPassword } from './forgotten-password.ts';
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
  signInAnswer,
  signInInput,
  tokenQuery,
  type Session,
} from './people.schema.ts';
import type { BegunSession } from './sessions.ts';
import { setUpOwner } from './setup.ts';
import { signIn } from './sign-in.ts';

const group = 'Signing in';
const permission = 'anyone';
const token = '0s8f4m2k6n1q9r3t7v5w8x2y4z6a1b3c5d7e9f2g4h6j8k1m3n5p';

export const sessionExample: Session = {
  user: {
    id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
    email: 'ada@harbour-books.example',
    name: 'Ada',
    totpEnabled: false,
    createdAt: '2026-11-15T09:30:00.000Z',
  },
  team: { id: 1, name: 'Harbour Books' },
  role: 'owner',
};

function signedIn({ session, token: fresh }: BegunSession): SessionAnswer<Session> {
  return new SessionAnswer(session, { kind: 'begin', token: fresh });
}

export const authRoutes = [
  openRoute({
    operationId: 'setUp',
    method: 'POST',
    path: '/v1/auth/setup',
    group,
    summary: 'Make the first account of a team',
    description:
      'The token is in the link that the first start prints, or `posthorn team link`. It works once, while the team has no owner. An address that has an account already joins with its own password.',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
    body: setupInput,
    answer: sessionSchema,
    example: {
      body: { token, name: 'Ada', email: 'ada@harbour-books.example', password: 'correct horse battery' },
      answer: sessionExample,
    },
    handle: async ({ db, facts, visitor, body }) =>
      signedIn(await setUpOwner(db, facts.secret, body, visitor.ip)),
  }),
  openRoute({
    operationId: 'signIn',
    method: 'POST',
    path: '/v1/auth/sign-in',
    group,
    summary: 'Sign in',
    description:
      'Sets the cookie `ph_session`, which does for a browser what an API key does for a program. Where two-factor is on and no `code` was sent, `needsCode` is true and nobody is signed in. After 10 failures in 15 minutes from one place, or 100 of one account from all places together, the answer is `429`.',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'RATE_LIMITED'],
    body: signInInput,
    answer: signInAnswer,
    example: {
      body: { email: 'ada@harbour-books.example', password: 'correct horse battery' },
      answer: { needsCode: false, session: sessionExample },
    },
    async handle({ db, facts, visitor, body }) {
      const begun = await signIn(db, facts.secret, body, visitor.ip);
      if (!begun) return { needsCode: true, session: null };
      const answer = { needsCode: false, session: begun.session };
      return new SessionAnswer(answer, { kind: 'begin', token: begun.token });
    },
  }),
  openRoute({
    operationId: 'showInvitation',
    method: 'GET',
    path: '/v1/auth/invitation',
    group,
    summary: 'Look at an invitation',
    permission,
    errors: ['BAD_REQUEST'],
    query: tokenQuery,
    answer: invitationShown,
    example: {
      query: { token },
      answer: { email: 'grace@harbour-books.example', teamName: 'Harbour Books', hasAccount: false },
    },
    handle: ({ db, query }) => showInvitation(db, query.token),
  }),
  openRoute({
    operationId: 'acceptInvitation',
    method: 'POST',
    path: '/v1/auth/accept-invitation',
    group,
    summary: 'Accept an invitation',
    description:
      'Makes an account for the invited address. One that is there already joins the team with its own password, and a `code` where two-factor is on; its name stays.',
    permission,
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
    body: acceptInput,
    answer: sessionSchema,
    example: {
      body: { token, name: 'Ada', password: 'correct horse battery' },
      answer: { ...sessionExample, role: 'member' },
    },
    handle: async ({ db, facts, visitor, body }) =>
      signedIn(await acceptInvitation(db, facts.secret, body, visitor.ip)),
  }),
  openRoute({
    operationId: 'forgetPassword',
    method: 'POST',
    path: '/v1/auth/forgotten',
    group,
    summary: 'Ask for a new password by mail',
    description:
      'The answer is the same whether the address has an account or not. The link in the mail works once, within an hour. It comes from a verified domain of one of the person’s teams, and goes to no mailbox of this server, which others may read. At most 3 in 15 minutes for an address, and 10 from one place.',
    permission,
    errors: ['BAD_REQUEST', 'RATE_LIMITED'],
    body: forgottenInput,
    answer: forgottenAnswer,
    example: { body: { email: 'ada@harbour-books.example' }, answer: { success: true, canSend: true } },
    handle: async ({ db, facts, visitor, body }) => ({
      success: true,
      canSend: await forgetPassword(db, facts, body.email, visitor.ip),
    }),
  }),
  openRoute({
    operationId: 'resetPassword',
    method: 'POST',
    path: '/v1/auth/reset',
    group,
    summary: 'Set a new password by link',
    description:
      'The link was mailed, or the operator made it with `posthorn user reset-password`. It works once. Every session of the account ends.',
    permission,
    errors: ['BAD_REQUEST'],
    body: resetInput,
    answer: done,
    example: { body: { token, password: 'correct horse battery' }, answer: { success: true } },
    async handle({ db, body }) {
      await resetPassword(db, body.token, body.password);
      return { success: true };
    },
  }),
];
