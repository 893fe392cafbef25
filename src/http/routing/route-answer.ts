/** Turns the result of a route into its response. */
import type { SessionCache } from '../../features/identity/people/session-cache.ts';
import { FileAnswer, SessionAnswer, type AnyRoute, type OtherResponse } from '../../features/api/route.ts';
import type { Facts } from '../../features/instance/facts.ts';
import { describeFile } from '../requests/content-disposition.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { toSetCookies } from '../requests/session-cookie.ts';

const JSON_TYPE = 'application/json';

export interface AnswerTools {
  sessions: SessionCache;
  facts: Facts;
  /** Checks every response against its declared shape. For tests, so that the documentation stays true. */
  checkAnswers: boolean;
}

/** A response before its headers are set. A string is JSON text. */
export type PreparedAnswer = string | FileAnswer | SessionAnswer<string>;

export function prepareAnswer(tools: AnswerTools, route: AnyRoute, result: unknown): PreparedAnswer {
  if (result instanceof FileAnswer) return result;
  const text = JSON.stringify(result instanceof SessionAnswer ? result.answer : result);
  if (tools.checkAnswers) checkAnswer(route, text);
  return result instanceof SessionAnswer ? new SessionAnswer(text, result.change) : text;
}

function checkAnswer(route: AnyRoute, text: string): void {
  if (typeof route.answer === 'string') return;
  const result = route.answer.safeParse(JSON.parse(text));
  if (!result.success)
    throw new Error(`${route.operationId} returned a response that it does not declare`, {
      cause: result.error,
    });
}

/** Every response of the API is for its caller only. */
const PRIVATE = 'private, no-store';

export function sendAnswer(
  tools: AnswerTools,
  route: AnyRoute,
  exchange: Exchange,
  prepared: PreparedAnswer,
): Answer {
  exchange.setHeader('cache-control', PRIVATE);
  if (typeof prepared === 'string') {
    if (!('respond' in route) || !route.respond) return exchange.answer(200, JSON_TYPE, prepared);
    return sendOther(exchange, route.respond(JSON.parse(prepared)));
  }
  if (prepared instanceof FileAnswer) {
    // A file may come from an outsider. If a browser shows it, the policy lets it run nothing.
    exchange.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    if (prepared.fileName !== null)
      exchange.setHeader('content-disposition', describeFile(prepared.shownAs, prepared.fileName));
    return exchange.answer(200, prepared.contentType, prepared.chunks);
  }
  const token = exchange.sessionToken;
  // Other processes get a notification from the database; this one need not wait for it.
  if (token !== undefined && prepared.change.kind !== 'renew') tools.sessions.forget(token);
  exchange.setHeader('set-cookie', toSetCookies(prepared.change, token, tools.facts.baseUrl));
  return exchange.answer(200, JSON_TYPE, prepared.answer);
}

function sendOther(exchange: Exchange, { status, headers = {}, body }: OtherResponse): Answer {
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  return body === undefined
    ? exchange.answerEmpty(status)
    : exchange.answer(status, JSON_TYPE, JSON.stringify(body));
}
