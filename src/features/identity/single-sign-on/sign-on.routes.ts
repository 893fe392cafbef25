import { sql } from 'kysely';
import { z } from 'zod';
import { openRoute, route } from '../../api/route.ts';
import { done } from '../people/people.schema.ts';
import { findRelyingParty } from '../webauthn/relying-party.ts';
import { listIdentities, startLinking, unlinkIdentity } from './identities.ts';
import {
  identityList,
  identityQuery,
  signOnInput,
  signOnSchema,
  waysIn,
  type SignOn,
} from './sign-on.schema.ts';
import { deleteSignOn, getSignOn, putSignOn } from './team-sign-on.ts';

const group = 'Single sign on';
const account = { permission: 'person', role: 'member', scope: 'none' } as const;
const settings = { permission: 'full', role: 'admin', scope: 'none' } as const;

const example: SignOn = {
  issuer: 'https://login.harbour-books.example',
  clientId: 'posthorn',
  domains: ['harbour-books.example'],
  defaultRole: 'member',
  groupsClaim: 'groups',
  groupRoles: { 'mail-admins': 'admin' },
  required: false,
  redirectUri: 'https://mail.harbour-books.example/sso/callback/1',
  logoutUri: 'https://mail.harbour-books.example/sso/logout/1',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const { redirectUri: _redirectUri, logoutUri: _logoutUri, updatedAt, ...exampleInput } = example;
const identity = { issuer: example.issuer, subject: '8f1c2d' };

export const signOnRoutes = [
  route({
    operationId: 'getSingleSignOn',
    method: 'GET',
    path: '/v1/sso',
    group,
    summary: 'Get the provider of the team',
    ...settings,
    errors: ['NOT_FOUND'],
    answer: signOnSchema,
    example: { answer: example },
    handle: ({ db, facts, teamId }) => getSignOn(db, facts, teamId),
  }),
  route({
    operationId: 'putSingleSignOn',
    method: 'PUT',
    path: '/v1/sso',
    group,
    summary: 'Set the provider of the team',
    description:
      'An OpenID Connect provider with which people of the team sign in. Register `redirectUri` and `logoutUri` at the provider, which `GET /sso` shows; they end with the ID of the team. A person is the issuer and the subject. A new person with an address in one of `domains`, which the provider says is verified, joins the team with the role of their groups or `defaultRole`; an account with such an address is linked, and one of an owner only if an owner has set the provider. Others sign in with their password and link the provider in their settings. With `required`, members and admins can enter the team only with the provider, and their other sessions end.',
    ...settings,
    body: signOnInput,
    answer: signOnSchema,
    example: { body: { ...exampleInput, clientSecret: 'correct-horse-battery' }, answer: example },
    handle: ({ db, facts, teamId, caller, body }) => putSignOn(db, facts, teamId, caller, body),
  }),
  route({
    operationId: 'deleteSingleSignOn',
    method: 'DELETE',
    path: '/v1/sso',
    group,
    summary: 'Remove the provider of the team',
    description: 'Sessions stay. People without a password can set one with a link by email.',
    ...settings,
    errors: ['NOT_FOUND'],
    answer: done,
    example: { answer: { success: true } },
    async handle({ db, teamId }) {
      await deleteSignOn(db, teamId);
      return { success: true };
    },
  }),
  openRoute({
    operationId: 'getWaysIn',
    method: 'GET',
    path: '/v1/auth/ways',
    scope: 'none',
    group,
    summary: 'Check how people can sign in',
    description: 'The sign-in page uses it.',
    permission: 'anyone',
    answer: waysIn,
    example: { answer: { singleSignOn: true, passkeyOrigin: 'https://mail.harbour-books.example' } },
    async handle({ db, facts }) {
      const { rows } = await sql`select from team_sign_on limit 1`.execute(db);
      return {
        singleSignOn: facts.oidc !== null || rows.length > 0,
        passkeyOrigin: findRelyingParty(facts)?.origin ?? null,
      };
    },
  }),
  route({
    operationId: 'listIdentities',
    method: 'GET',
    path: '/v1/auth/identities',
    group,
    summary: 'List your identities at providers',
    ...account,
    answer: identityList,
    example: {
      answer: {
        items: [
          { ...identity, email: 'ada@harbour-books.example', createdAt: updatedAt, lastUsedAt: updatedAt },
        ],
        canLink: true,
      },
    },
    handle: ({ db, facts, teamId, caller }) => listIdentities(db, facts, teamId, caller.person!),
  }),
  route({
    operationId: 'linkIdentity',
    method: 'POST',
    path: '/v1/auth/identities/start',
    group,
    summary: 'Link your account to a provider',
    description:
      'Open the URL in the same browser within a minute. A session that the provider of a team began can neither link nor unlink (`403`).',
    ...account,
    storesLittle: true,
    errors: ['NOT_FOUND'],
    answer: z.object({ url: z.string() }),
    example: { answer: { url: 'https://mail.harbour-books.example/sso/start?link=…' } },
    handle: ({ db, facts, teamId, caller }) => startLinking(db, facts, teamId, caller.person!),
  }),
  route({
    operationId: 'unlinkIdentity',
    method: 'DELETE',
    path: '/v1/auth/identities',
    group,
    summary: 'Unlink an identity',
    ...account,
    errors: ['NOT_FOUND', 'CONFLICT'],
    query: identityQuery,
    answer: done,
    example: { query: identity, answer: { success: true } },
    async handle({ db, facts, caller, query }) {
      await unlinkIdentity(db, facts, caller.person!, query);
      return { success: true };
    },
  }),
];
