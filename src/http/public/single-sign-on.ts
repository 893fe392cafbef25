/**
 * Where browsers begin and end signing in with an OpenID Connect provider, and where providers end sessions:
 * `/sso/start`, `/sso/callback` and `/sso/logout`, the last two with the ID of a team for its own provider.
 */
import {
  beginSignOn,
  readState,
  STATE_SECONDS,
} from '../../features/identity/single-sign-on/begin-sign-on.ts';
import { endByProvider } from '../../features/identity/single-sign-on/back-channel-logout.ts';
import { finishSignOn } from '../../features/identity/single-sign-on/finish-sign-on.ts';
import { readLinkToken } from '../../features/identity/single-sign-on/identities.ts';
import {
  findProvider,
  findProviderOf,
  SIGN_ON_PATH,
  type Provider,
} from '../../features/identity/single-sign-on/providers.ts';
import type { SessionCache } from '../../features/identity/people/session-cache.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, isServerFault } from '../../platform/errors.ts';
import { markup } from '../pages/markup.ts';
import { readChunks } from '../requests/body.ts';
import { STATUS_OF } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { readCookie, readSessionToken, toSetCookies } from '../requests/session-cookie.ts';
import { readVisitor } from '../routing/authenticate.ts';
import { PLAIN } from './look.ts';
import { publicHeaders, renderPage } from './page.ts';
import type { PublicRoute, PublicTools } from './public-route.ts';

const STATE_COOKIE = 'ph_sso';
const MAX_FORM_BYTES = 64 * 1024;

export function createSignOnRoute(tools: PublicTools & { sessions: SessionCache }): PublicRoute {
  return {
    path: SIGN_ON_PATH,
    async answer(exchange) {
      const [step, team] = exchange.path.slice(SIGN_ON_PATH.length).split('/', 2);
      const teamId = team === undefined ? null : Number(team);
      const isKnown = teamId === null || (Number.isInteger(teamId) && teamId > 0 && teamId < 2 ** 31);
      if (isKnown && step === 'logout' && exchange.method === 'POST')
        return endSessions(tools, exchange, teamId);
      try {
        if (isKnown && step === 'start' && team === undefined && exchange.method === 'GET')
          return await start(tools, exchange);
        if (isKnown && step === 'callback' && exchange.method === 'GET')
          return await finish(tools, exchange, teamId);
        throw new AppError('NOT_FOUND', 'There is no such page.');
      } catch (error) {
        return showProblem(tools, exchange, toAppError(error));
      }
    },
  };
}

async function start(tools: PublicTools & { sessions: SessionCache }, exchange: Exchange): Promise<Answer> {
  const { db, facts } = tools;
  const { link, email } = exchange.query;
  const linking = link === undefined ? null : await readLink(tools, exchange, link);
  const provider = linking
    ? await findProvider(db, facts, linking.teamId)
    : await chooseProvider(tools, exchange.query);
  if (!provider)
    throw new AppError(
      'NOT_FOUND',
      'No company is set up for this address. Enter your address at work on the sign-in page, or sign in with your password.',
    );
  const { url, cookie } = await beginSignOn(facts, provider, {
    email: email ?? null,
    linkTo: linking?.userId ?? null,
  });
  exchange.setHeader('set-cookie', stateCookie(facts.baseUrl, cookie, STATE_SECONDS));
  return redirect(exchange, url);
}

/** The link works only in the browser in which its person is signed in. */
async function readLink(
  { facts, sessions }: PublicTools & { sessions: SessionCache },
  exchange: Exchange,
  link: string,
): Promise<{ userId: string; teamId: number | null }> {
  const linking = readLinkToken(facts, link);
  const session = readSessionToken(exchange.requestHeader('cookie'));
  const caller = session === undefined ? null : await sessions.identify(session);
  if (!linking || caller?.person?.userId !== linking.userId)
    throw new AppError('UNAUTHORIZED', 'This link has expired. Start again in the settings.');
  return linking;
}

async function chooseProvider(
  { db, facts }: PublicTools,
  { team, email }: Record<string, string>,
): Promise<Provider | null> {
  if (team !== undefined) return /^\d{1,9}$/.test(team) ? findProvider(db, facts, Number(team)) : null;
  return email === undefined ? findProvider(db, facts, null) : findProviderOf(db, facts, email);
}

async function finish(tools: PublicTools, exchange: Exchange, teamId: number | null): Promise<Answer> {
  const { db, facts } = tools;
  const state = readState(facts, readCookie(exchange.requestHeader('cookie'), STATE_COOKIE));
  if (!state || state.teamId !== teamId)
    throw new AppError('UNAUTHORIZED', 'Signing in took too long, or began in another browser. Start again.');
  const url = exchange.incoming.url!;
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  const session = await finishSignOn(db, facts, state, search, readVisitor(exchange));
  const cookies = session
    ? toSetCookies({ kind: 'begin', token: session.token, device: session.device }, undefined, facts.baseUrl)
    : [];
  exchange.setHeader('set-cookie', [...cookies, stateCookie(facts.baseUrl, '', 0)]);
  return redirect(exchange, `${facts.baseUrl}${session ? '/' : '/settings'}`);
}

async function endSessions(
  { db, facts }: PublicTools,
  exchange: Exchange,
  teamId: number | null,
): Promise<Answer> {
  exchange.setHeader('cache-control', 'no-store');
  const chunks = await readChunks(exchange.incoming, { limitBytes: MAX_FORM_BYTES });
  const token = new URLSearchParams(Buffer.concat(chunks).toString('utf8')).get('logout_token');
  const provider = await findProvider(db, facts, teamId);
  if (!provider || !token) throw new AppError('BAD_REQUEST', 'The request needs a logout_token.');
  await endByProvider(db, facts, provider, token);
  return exchange.answerEmpty(200);
}

/** Lax, because the provider's response is a navigation from another site. */
function stateCookie(baseUrl: string, value: string, maxAge: number): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${STATE_COOKIE}=${value}; Path=${SIGN_ON_PATH}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function redirect(exchange: Exchange, location: string): Answer {
  exchange.setHeader('location', location);
  exchange.setHeader('cache-control', 'no-store');
  exchange.setHeader('referrer-policy', 'no-referrer');
  return exchange.answerEmpty(302);
}

function showProblem({ log }: PublicTools, exchange: Exchange, error: AppError): Answer {
  if (isServerFault(error) && error.cause !== undefined)
    log.warn({ requestId: exchange.requestId, err: error.cause }, 'single sign-on: failed');
  const headers = publicHeaders({ look: PLAIN });
  for (const name in headers) exchange.setHeader(name, headers[name]!);
  const text = markup`<p>${error.message}</p><p><a href="/sign-in">Sign in</a></p>`;
  return { status: STATUS_OF[error.code], body: renderPage('en', 'You are not signed in', text, PLAIN) };
}
