/**
 * The MCP door at `/mcp`, for assistants. It identifies the caller by API key, reads one JSON-RPC message, and answers
 * with one: there are no sessions, streams or batches. Everything that a tool does goes through the routes of the API.
 */
import type { Caller } from '../../features/api/caller.ts';
import { keyOfToken } from '../../features/identity/oauth/grants.ts';
import type { AnyRoute } from '../../features/api/route.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { z } from 'zod';
import { receiveOrClose, refuseOtherThanJson } from '../requests/body.ts';
import { STATUS_OF, toErrorAnswer } from '../requests/error-answer.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { refuseForeignOrigin } from '../requests/origin.ts';
import { parseInTurn } from '../requests/parse-in-turn.ts';
import { readJson } from '../requests/read-json.ts';
import { readBearer, readVisitor } from '../routing/authenticate.ts';
import type { RouteTools } from '../routing/serve-route.ts';
import { createOperations } from './call-operation.ts';
import { loadProtocol, type Protocol } from './protocol.ts';

export const MCP_PATH = '/mcp';
const BODY_BYTES = 2 * 1024 * 1024;
/** JSON-RPC 2.0 section 5.1, and a code of the range for servers. */
const CODES = { parse: -32_700, invalid: -32_600, noMethod: -32_601, internal: -32_603, refused: -32_000 };

export interface McpTools extends RouteTools {
  log: Log;
}

/** Returns null for other paths. */
export function createMcpAnswerer(
  tools: McpTools,
  routes: readonly AnyRoute[],
): (exchange: Exchange) => Promise<Answer> | null {
  const { log, checkAnswers, facts } = tools;
  const operations = createOperations(tools, routes);
  let protocol: Promise<Protocol> | undefined;
  const getProtocol = () =>
    (protocol ??= loadProtocol({ operations, log, checkAnswers }, new URL(MCP_PATH, facts.baseUrl).href));
  return (exchange) => {
    if (exchange.path.replace(/\/$/, '') !== MCP_PATH) return null;
    exchange.routeName = MCP_PATH;
    return serve(tools, getProtocol, exchange).catch((error: unknown) => refuse(tools, exchange, error));
  };
}

async function serve(
  tools: McpTools,
  getProtocol: () => Promise<Protocol>,
  exchange: Exchange,
): Promise<Answer> {
  if (exchange.method !== 'POST') {
    exchange.setHeader('allow', 'POST');
    throw new AppError('METHOD_NOT_ALLOWED', 'Send JSON-RPC messages with POST. There are no streams here.');
  }
  if (exchange.requestHeader('origin') !== undefined) refuseForeignOrigin(exchange, tools.facts.baseUrl);
  const caller = await identify(tools, exchange);
  exchange.caller = caller;
  refuseOtherThanJson(exchange.requestHeader('content-type'));
  const from = { share: tools.memory.authenticated, client: String(caller.teamId) };
  const received = await receiveOrClose(exchange, { limitBytes: BODY_BYTES }, from);
  try {
    const bytes = Buffer.concat(received.chunks.splice(0));
    return await tools.memory.work(caller.teamId, bytes.length, async () => {
      const size = { bytes: bytes.length, teamId: caller.teamId };
      const body = await parseInTurn(exchange, size, () => readJson(z.unknown(), bytes));
      requireMessage(body);
      // Nothing changes that a client could listen for, and a stream would hold its connection.
      if (body.method === 'subscriptions/listen') return answerUnknownMethod(exchange, body);
      const { answer } = await getProtocol();
      return send(exchange, await answer({ exchange, caller, body }));
    });
  } finally {
    received.release();
  }
}

async function identify({ apiKeys, facts, db }: McpTools, exchange: Exchange): Promise<Caller> {
  const token = readBearer(exchange.requestHeader('authorization'));
  const key = token === undefined ? undefined : ((await keyOfToken(db, facts.secret, token)) ?? token);
  const caller = key === undefined ? null : await apiKeys.identify(key, readVisitor(exchange).ip);
  if (caller) return caller;
  const metadata = new URL(`/.well-known/oauth-protected-resource${MCP_PATH}`, facts.baseUrl).href;
  const fault = token === undefined ? '' : ', error="invalid_token"';
  exchange.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}"${fault}`);
  throw new AppError(
    'UNAUTHORIZED',
    token === undefined
      ? 'An API key or an access token is required. Send it in the header Authorization: Bearer <key>.'
      : 'The API key or access token is invalid, revoked or expired.',
  );
}

interface Message {
  id?: unknown;
  method?: unknown;
}

/** None of the versions has batches. */
function requireMessage(body: unknown): asserts body is Message {
  if (Array.isArray(body)) throw badRequest('Batches are not supported. Send one message at a time.');
  if (typeof body !== 'object' || body === null) throw badRequest('The message must be a JSON object.');
}

function answerUnknownMethod(exchange: Exchange, { id }: Message): Answer {
  const error = { code: CODES.noMethod, message: 'Method not found' };
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  return exchange.answer(404, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: known, error }));
}

async function send(exchange: Exchange, response: Response): Promise<Answer> {
  exchange.setHeader('cache-control', 'private, no-store');
  const text = await response.text();
  if (text === '') return exchange.answerEmpty(response.status);
  return exchange.answer(response.status, 'application/json', text);
}

function refuse({ log }: McpTools, exchange: Exchange, thrown: unknown): Answer {
  const error = toAppError(thrown);
  const { status, headers, body } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
  for (const [name, value] of Object.entries(headers)) {
    if (name !== 'www-authenticate' && name !== 'content-type') exchange.setHeader(name, value);
  }
  if (error.code === 'INTERNAL')
    log.error({ requestId: exchange.requestId, route: MCP_PATH, err: error.cause ?? thrown }, error.message);
  const { message } = (JSON.parse(body) as { error: { message: string } }).error;
  const answer = { jsonrpc: '2.0', id: null, error: { code: codeOf(error), message } };
  return exchange.answer(status, 'application/json', JSON.stringify(answer));
}

function codeOf({ code, reason }: AppError): number {
  if (reason === 'invalid-json') return CODES.parse;
  if (code === 'BAD_REQUEST') return CODES.invalid;
  return STATUS_OF[code] >= 500 ? CODES.internal : CODES.refused;
}
