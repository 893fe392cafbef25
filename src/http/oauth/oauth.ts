/**
 * OAuth 2.1 for the MCP door, on our own sign-in: metadata, the consent page, tokens, registration and revocation. Clients
 * are public ones: they prove themselves with PKCE. Only the consent page uses the session.
 */
import { z } from 'zod';
import { createClientFinder, registerClient, registration } from '../../features/identity/oauth/clients.ts';
import {
  ACCESS_SECONDS,
  exchangeCode,
  refreshTokens,
  revokeToken,
  type GrantUser,
  type Tokens,
} from '../../features/identity/oauth/grants.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import { networkOf } from '../../platform/network/client-network.ts';
import { renderPage, publicHeaders } from '../public/page.ts';
import { markup } from '../pages/markup.ts';
import { receiveOrClose } from '../requests/body.ts';
import { STATUS_OF } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { readJson } from '../requests/read-json.ts';
import { readVisitor } from '../routing/authenticate.ts';
import { isOwnResource } from './authorization-request.ts';
import { answerConsent, type ConsentTools } from './consent.ts';
import { findMetadata, PATHS } from './metadata.ts';

export interface OauthTools extends Omit<ConsentTools, 'findClient'> {
  log: Log;
  memory: MemoryBudget;
}

const BODY_BYTES = 16 * 1024;
const REGISTRATIONS = 20;
const WINDOW_MS = 60 * 60 * 1000;

/** An error of RFC 6749 section 5.2. */
class OauthError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns null for other paths. */
export function createOauthAnswerer(tools: OauthTools): (exchange: Exchange) => Promise<Answer> | null {
  const { db, facts } = tools;
  const consent = { ...tools, findClient: createClientFinder(facts.fetchFile) };
  const mayRegister = createRegistrationLimit();
  const answerers: Record<string, (exchange: Exchange, body: Buffer) => Promise<Answer>> = {
    [PATHS.token]: async (exchange, body) =>
      sendTokens(exchange, await giveTokens(tools, exchange, readForm(exchange, body))),
    [PATHS.revoke]: async (exchange, body) => {
      await revokeToken(db, userOf(tools, exchange), readForm(exchange, body).get('token') ?? '');
      return exchange.answerEmpty(200);
    },
    [PATHS.register]: async (exchange, body) => {
      await facts.disk.require();
      const client = readRegistration(await readJson(z.unknown(), body));
      if (!mayRegister(networkOf(readVisitor(exchange).ip)))
        throw new AppError('RATE_LIMITED', 'Too many registrations. Try again in an hour.', {
          retryAfterSeconds: WINDOW_MS / 1000,
        });
      return register(tools, exchange, client);
    },
  };

  return (exchange) => {
    const metadata = exchange.method === 'POST' ? undefined : findMetadata(exchange.path, facts.baseUrl);
    const answerer = Object.hasOwn(answerers, exchange.path) ? answerers[exchange.path] : undefined;
    if (!metadata && !answerer && exchange.path !== PATHS.authorize) return null;
    exchange.routeName = exchange.path;
    if (exchange.path === PATHS.authorize)
      return serveConsent(consent, exchange).catch((error: unknown) => showProblem(tools, exchange, error));
    exchange.setHeader('access-control-allow-origin', '*');
    if (exchange.method === 'OPTIONS') return Promise.resolve(allowOtherSites(exchange));
    if (metadata) return Promise.resolve(sendJson(exchange, 200, metadata));
    return serveClient(tools, exchange, answerer!).catch((error: unknown) => refuse(tools, exchange, error));
  };
}

/** Clients in browsers may read these answers, because no cookie counts here. */
function allowOtherSites(exchange: Exchange): Answer {
  exchange.setHeader('access-control-allow-methods', 'GET, POST');
  exchange.setHeader('access-control-allow-headers', 'content-type, mcp-protocol-version');
  return exchange.answerEmpty(204);
}

async function serveClient(
  { memory }: OauthTools,
  exchange: Exchange,
  answerer: (exchange: Exchange, body: Buffer) => Promise<Answer>,
): Promise<Answer> {
  requireMethod(exchange, ['POST']);
  exchange.setHeader('cache-control', 'no-store');
  return answerer(exchange, await readBytes(memory, exchange));
}

async function serveConsent(tools: OauthTools & ConsentTools, exchange: Exchange): Promise<Answer> {
  requireMethod(exchange, ['GET', 'POST']);
  const form =
    exchange.method === 'POST' ? readForm(exchange, await readBytes(tools.memory, exchange)) : null;
  return answerConsent(tools, exchange, form);
}

function requireMethod(exchange: Exchange, methods: string[]): void {
  if (methods.includes(exchange.method)) return;
  exchange.setHeader('allow', methods.join(', '));
  throw new AppError('METHOD_NOT_ALLOWED', `This path only supports ${methods.join(', ')}.`);
}

async function readBytes(memory: MemoryBudget, exchange: Exchange): Promise<Buffer> {
  const from = { share: memory.unauthenticated, client: networkOf(readVisitor(exchange).ip) };
  const received = await receiveOrClose(exchange, { limitBytes: BODY_BYTES }, from);
  received.release();
  return Buffer.concat(received.chunks);
}

function readForm(exchange: Exchange, body: Buffer): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(exchange.requestHeader('content-type') ?? ''))
    throw badRequest('Send the request as application/x-www-form-urlencoded.');
  return new URLSearchParams(body.toString('utf8'));
}

function userOf({ facts }: OauthTools, exchange: Exchange): GrantUser {
  return { secret: facts.secret, ip: readVisitor(exchange).ip, requestId: exchange.requestId };
}

async function giveTokens(tools: OauthTools, exchange: Exchange, form: URLSearchParams): Promise<Tokens> {
  const { db, facts } = tools;
  const user = userOf(tools, exchange);
  const required = (name: string): string => {
    const value = form.get(name);
    if (value === null || value === '') throw new OauthError('invalid_request', `${name} is required.`);
    return value;
  };
  const resource = form.get('resource');
  if (resource !== null && !isOwnResource(facts.baseUrl, resource))
    throw new OauthError('invalid_target', 'The resource is not of this server.');
  const type = required('grant_type');
  const clientId = required('client_id');
  let tokens: Tokens | null;
  if (type === 'authorization_code') {
    const [code, verifier] = [required('code'), required('code_verifier')];
    const redirectUri = form.get('redirect_uri');
    tokens = await exchangeCode(db, user, { code, clientId, redirectUri, verifier });
  } else if (type === 'refresh_token') {
    tokens = await refreshTokens(db, user, { refreshToken: required('refresh_token'), clientId });
  } else throw new OauthError('unsupported_grant_type', 'Use authorization_code or refresh_token.');
  if (!tokens) throw new OauthError('invalid_grant', 'It is unknown, was used, has expired or was revoked.');
  return tokens;
}

function sendTokens(exchange: Exchange, { accessToken, refreshToken, scopes }: Tokens): Answer {
  return sendJson(exchange, 200, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  });
}

function readRegistration(body: unknown): z.output<typeof registration> {
  const read = registration.safeParse(body);
  if (read.success) return read.data;
  if (read.error.issues.some(({ path }) => path[0] === 'redirect_uris'))
    throw new OauthError(
      'invalid_redirect_uri',
      'redirect_uris must have 1 to 20 https URLs, or http URLs on a loopback address.',
    );
  throw new OauthError('invalid_client_metadata', 'client_name must have at most 100 characters.');
}

async function register(
  { db }: OauthTools,
  exchange: Exchange,
  client: z.output<typeof registration>,
): Promise<Answer> {
  const { id, name } = await registerClient(db, client);
  return sendJson(exchange, 201, {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: client.redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
}

function createRegistrationLimit(): (network: string) => boolean {
  let windowEndsMs = 0;
  const counts = new Map<string, number>();
  return (network) => {
    if (performance.now() >= windowEndsMs) {
      counts.clear();
      windowEndsMs = performance.now() + WINDOW_MS;
    }
    const count = (counts.get(network) ?? 0) + 1;
    counts.set(network, count);
    return count <= REGISTRATIONS;
  };
}

function sendJson(exchange: Exchange, status: number, body: object): Answer {
  return exchange.answer(status, 'application/json', JSON.stringify(body));
}

function refuse({ log }: OauthTools, exchange: Exchange, thrown: unknown): Answer {
  if (thrown instanceof OauthError)
    return sendJson(exchange, 400, { error: thrown.code, error_description: thrown.message });
  const error = explain(log, exchange, thrown);
  const code = STATUS_OF[error.code] >= 500 ? 'server_error' : 'invalid_request';
  return sendJson(exchange, STATUS_OF[error.code], { error: code, error_description: error.message });
}

function showProblem({ log }: OauthTools, exchange: Exchange, thrown: unknown): Answer {
  const error = explain(log, exchange, thrown);
  for (const [name, value] of Object.entries(publicHeaders({}))) exchange.setHeader(name, value);
  const body = renderPage('en', 'This does not work', markup`<p>${error.message}</p>`);
  return { status: STATUS_OF[error.code], body };
}

function explain(log: Log, exchange: Exchange, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code === 'INTERNAL')
    log.error({ requestId: exchange.requestId, err: error.cause ?? thrown }, error.message);
  if (error.retryAfterSeconds !== undefined)
    exchange.setHeader('retry-after', String(error.retryAfterSeconds));
  return error;
}
