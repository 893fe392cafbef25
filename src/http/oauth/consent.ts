/**
 * The authorization endpoint. A person who is signed in sees what an application asks for, and decides. The form is bound
 * to the session and the request by a MAC, and counts only from our own pages.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../features/api/caller.ts';
import { AUDITED } from '../../features/audit/actions.ts';
import { actorOf, recordAudit } from '../../features/audit/record-audit.ts';
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import { getTeam, limitsOf } from '../../features/account/teams/teams.ts';
import type { FindClient } from '../../features/identity/oauth/clients.ts';
import { createGrant } from '../../features/identity/oauth/grants.ts';
import type { SessionCache } from '../../features/identity/people/session-cache.ts';
import { listMailboxes } from '../../features/mailboxes/mailboxes/mailboxes.ts';
import { sendPolicyInput } from '../../features/sending/policies/policies.schema.ts';
import { createSendPolicy, listSendPolicies } from '../../features/sending/policies/policies.ts';
import type { Facts } from '../../features/instance/facts.ts';
import { deriveKey } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database/database.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import { publicHeaders } from '../public/page.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { refuseForeignOrigin } from '../requests/origin.ts';
import { readSessionToken } from '../requests/session-cookie.ts';
import { readVisitor } from '../routing/authenticate.ts';
import {
  answerUrl,
  readAuthorizationRequest,
  RefusedRequest,
  type AuthorizationRequest,
} from './authorization-request.ts';
import { NEW_POLICY, NEW_POLICY_NAME, renderConsent } from './consent-page.ts';
import { PATHS } from './metadata.ts';

export interface ConsentTools {
  db: Db;
  facts: Facts;
  sessions: SessionCache;
  findClient: FindClient;
}

const MOST_LISTED = 100;
/** The parameters of the request, which the form repeats. */
const REPEATED = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'resource',
];

/** `form` is the body of a POST, with all values of each name. */
export async function answerConsent(
  tools: ConsentTools,
  exchange: Exchange,
  form: URLSearchParams | null,
): Promise<Answer> {
  const { db, facts, sessions, findClient } = tools;
  const token = readSessionToken(exchange.requestHeader('cookie'));
  const caller = token === undefined ? null : await sessions.identify(token);
  if (token === undefined || !caller) return askToSignIn(exchange, form);
  const given = form === null ? exchange.query : Object.fromEntries(form);
  const params = Object.fromEntries(
    REPEATED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
  const request = await readAuthorizationRequest({ db, findClient, baseUrl: facts.baseUrl }, params);
  if (request instanceof RefusedRequest) return redirect(exchange, request.location);
  const proof = proofOf(facts.secret, token, params);
  if (form === null) return showConsent(tools, exchange, { caller, request, params, proof, problem: null });
  refuseForeignOrigin(exchange, facts.baseUrl);
  if (!isSame(proof, form.get('proof') ?? ''))
    throw new AppError('FORBIDDEN', 'This form is not from your session. Start again in the application.');
  if (form.get('decision') !== 'allow') {
    const denied = { error: 'access_denied', state: request.state };
    return redirect(exchange, answerUrl(facts.baseUrl, request.redirectUri, denied));
  }
  try {
    const code = await grant(tools, exchange, { caller, request, form });
    return redirect(exchange, answerUrl(facts.baseUrl, request.redirectUri, { code, state: request.state }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error;
    return showConsent(tools, exchange, { caller, request, params, proof, problem: error.message });
  }
}

interface Shown {
  caller: Caller;
  request: AuthorizationRequest;
  params: Record<string, string>;
  proof: string;
  problem: string | null;
}

async function showConsent(
  { db, facts }: ConsentTools,
  exchange: Exchange,
  { caller, request, params, proof, problem }: Shown,
): Promise<Answer> {
  const team = await getTeam(db, caller.teamId, limitsOf(facts));
  const { items: mailboxes } = await listMailboxes(db, caller, { limit: MOST_LISTED });
  const { items: policies } = await listSendPolicies(db, caller.teamId, { limit: MOST_LISTED });
  const headers = publicHeaders({ formAction: `'self' ${sourceOf(request.redirectUri)}` });
  // With no referrer at all, browsers would send the form without its origin.
  setHeaders(exchange, { ...headers, 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' });
  const body = renderConsent({
    request,
    teamName: team.name,
    mailboxes: mailboxes.filter(({ role }) => role !== null),
    policies,
    hidden: { ...params, proof },
    problem,
  });
  return { status: problem === null ? 200 : 400, body };
}

/** Browsers also check where a form leads in the end. */
function sourceOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? origin : protocol;
}

async function grant(
  { db, facts }: ConsentTools,
  exchange: Exchange,
  { caller, request, form }: { caller: Caller; request: AuthorizationRequest; form: URLSearchParams },
): Promise<string> {
  const scopes = request.scopes.filter((scope) => form.getAll('allowed').includes(scope));
  if (scopes.length === 0) throw badRequest('Choose at least one thing that it may do.');
  const mailboxKeys = form.get('reach') === 'chosen' ? await chosenMailboxes(db, caller, form) : null;
  const { teamId } = caller;
  return createWithinLimit(db, teamId, { noun: 'apiKeys', limits: facts.teamLimits }, async (trx) => {
    const policyId = await choosePolicy(trx, teamId, form.get('policy'));
    const { client, redirectUri, codeChallenge } = request;
    const consent = { client, scopes, policyId, mailboxKeys, redirectUri, codeChallenge };
    const { code, keyId } = await createGrant(trx, facts.secret, caller, consent);
    await recordAudit(trx, facts.secret, teamId, {
      actor: actorOf(caller, readVisitor(exchange).ip),
      action: AUDITED.createApiKey!,
      target: keyId,
      after: { name: client.name, client: client.id, scopes, policyId, mailboxes: form.getAll('mailbox') },
      requestId: exchange.requestId,
    });
    return code;
  });
}

async function chosenMailboxes(db: Db, caller: Caller, form: URLSearchParams): Promise<string[]> {
  const { items } = await listMailboxes(db, caller, { limit: MOST_LISTED });
  const chosen = items.filter(({ id, role }) => role !== null && form.getAll('mailbox').includes(id));
  if (chosen.length === 0) throw badRequest('Choose at least one mailbox.');
  return chosen.map(({ id }) => decodeId('mbx', id)!);
}

async function choosePolicy(trx: Db, teamId: number, chosen: string | null): Promise<string> {
  if (chosen === null) throw badRequest('Choose what it may send.');
  if (chosen !== NEW_POLICY) return chosen;
  const { items } = await listSendPolicies(trx, teamId, { limit: MOST_LISTED });
  const known = items.find(({ name }) => name === NEW_POLICY_NAME);
  if (known) return known.id;
  const input = sendPolicyInput.parse({ name: NEW_POLICY_NAME, mode: 'approve_all' });
  return (await createSendPolicy(trx, teamId, input)).id;
}

function proofOf(secret: Buffer, token: string, params: Record<string, string>): string {
  const bound = JSON.stringify([token, ...REPEATED.map((name) => params[name] ?? null)]);
  return createHmac('sha256', deriveKey(secret, 'oauth consent')).update(bound).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function askToSignIn(exchange: Exchange, form: URLSearchParams | null): Answer {
  if (form !== null)
    throw new AppError('UNAUTHORIZED', 'Your session has expired. Start again in the application.');
  const next = `${PATHS.authorize}?${new URLSearchParams(exchange.query).toString()}`;
  return redirect(exchange, `/sign-in?${new URLSearchParams({ next }).toString()}`);
}

function redirect(exchange: Exchange, location: string): Answer {
  setHeaders(exchange, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return exchange.answerEmpty(303);
}

function setHeaders(exchange: Exchange, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
}
