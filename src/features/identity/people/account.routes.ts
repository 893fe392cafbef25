/** Routes for a person's own session and account. */
import { route, SessionAnswer } from '../../api/route.ts';
import { updateAccount } from './account.ts';
import {
  accountUpdate,
  codeInput,
  done,
  ownTeams,
  passwordInput,
  recoveryCodes,
  sessionSchema,
  teamChoice,
  totpStarted,
} from './people.schema.ts';
import { sessionExample } from './session-example.ts';
import { signOutEverywhere, endSession, getSession, listOwnTeams, switchTeam } from './sessions.ts';
import { confirmTotp, startTotp, stopTotp } from './two-factor.ts';

const group = 'Your account';
/** Every signed-in person can manage their own account. */
const access = { permission: 'person', role: 'member' } as const;
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

export const accountRoutes = [
  route({
    operationId: 'getSession',
    method: 'GET',
    path: '/v1/auth/session',
    scope: 'none',
    group,
    summary: 'Get your account',
    ...access,
    answer: sessionSchema,
    example: { answer: sessionExample },
    handle: async ({ db, teamId, caller }) =>
      new SessionAnswer(await getSession(db, teamId, caller.person!), { kind: 'renew' }),
  }),
  route({
    operationId: 'signOut',
    method: 'POST',
    path: '/v1/auth/sign-out',
    scope: 'none',
    storesLittle: true,
    group,
    summary: 'Sign out',
    ...access,
    answer: done,
    example: { answer: { success: true } },
    async handle({ db, teamId, caller }) {
      await endSession(db, teamId, caller.person!);
      return new SessionAnswer({ success: true }, { kind: 'end' });
    },
  }),
  route({
    operationId: 'signOutEverywhere',
    method: 'POST',
    path: '/v1/auth/sign-out-everywhere',
    scope: 'none',
    storesLittle: true,
    group,
    summary: 'Sign out everywhere',
    description: 'Ends all of your sessions within a second.',
    ...access,
    answer: done,
    example: { answer: { success: true } },
    async handle({ db, caller }) {
      await signOutEverywhere(db, caller.person!);
      return new SessionAnswer({ success: true }, { kind: 'end' });
    },
  }),
  route({
    operationId: 'updateAccount',
    method: 'PATCH',
    path: '/v1/auth/me',
    scope: 'none',
    group,
    summary: 'Change your name, password or language',
    description: 'To set a new password, send the current one too. Your other sessions end.',
    ...access,
    body: accountUpdate,
    answer: sessionSchema,
    example: { body: { name: 'Ada' }, answer: sessionExample },
    handle: ({ db, teamId, caller, body }) => updateAccount(db, teamId, caller.person!, body),
  }),
  route({
    operationId: 'startTotp',
    method: 'POST',
    path: '/v1/auth/totp/start',
    scope: 'none',
    group,
    summary: 'Start two-factor setup',
    description: 'Two-factor authentication stays off until you confirm a code.',
    ...access,
    errors: ['CONFLICT'],
    body: passwordInput,
    answer: totpStarted,
    example: {
      body: { password: 'correct horse battery' },
      answer: {
        secret,
        uri: `otpauth://totp/Posthorn%3Aada%40harbour-books.example?secret=${secret}&issuer=Posthorn`,
      },
    },
    handle: ({ db, facts, caller, body }) =>
      startTotp(db, facts.secret, caller.person!.userId, body.password),
  }),
  route({
    operationId: 'confirmTotp',
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    scope: 'none',
    group,
    summary: 'Turn on two-factor authentication',
    ...access,
    errors: ['CONFLICT'],
    body: codeInput,
    answer: recoveryCodes,
    example: {
      body: { code: '492039' },
      answer: { recoveryCodes: ['7x2k-9d4m-0s8f-4m2k', '6n1q-9r3t-7v5w-8x2y'] },
    },
    handle: async ({ db, facts, caller, body }) => ({
      recoveryCodes: await confirmTotp(db, facts.secret, caller.person!.userId, body.code),
    }),
  }),
  route({
    operationId: 'stopTotp',
    method: 'DELETE',
    path: '/v1/auth/totp',
    scope: 'none',
    group,
    summary: 'Turn off two-factor authentication',
    ...access,
    body: passwordInput,
    answer: done,
    example: { body: { password: 'correct horse battery' }, answer: { success: true } },
    async handle({ db, caller, body }) {
      await stopTotp(db, caller.person!.userId, body.password);
      return { success: true };
    },
  }),
  route({
    operationId: 'listOwnTeams',
    method: 'GET',
    path: '/v1/auth/teams',
    scope: 'none',
    group,
    summary: 'List your teams',
    ...access,
    answer: ownTeams,
    example: { answer: { items: [{ id: 1, name: 'Harbour Books', role: 'owner' }] } },
    handle: async ({ db, caller }) => ({ items: await listOwnTeams(db, caller.person!) }),
  }),
  route({
    operationId: 'switchTeam',
    method: 'POST',
    path: '/v1/auth/switch-team',
    scope: 'none',
    storesLittle: true,
    group,
    summary: 'Switch to another team',
    description: 'Changes the team of this session only.',
    ...access,
    errors: ['NOT_FOUND'],
    body: teamChoice,
    answer: sessionSchema,
    example: { body: { teamId: 1 }, answer: sessionExample },
    handle: async ({ db, teamId, caller, body }) =>
      new SessionAnswer(await switchTeam(db, teamId, caller.person!, body.teamId), { kind: 'move' }),
  }),
];
