/**
 * Pages of a team that has moved to another instance. Links in earlier emails still lead here. The request is forwarded
 * instead of redirected, because email apps that unsubscribe with one click follow no redirects (RFC 8058 section 3.1).
 */
import type { Answer, Exchange } from '../requests/exchange.ts';
import { PUBLIC_HEADERS } from './page.ts';

const TIMEOUT_MS = 10_000;
const PASSED_ON = ['accept-language', 'content-type'];

export async function forwardPage(url: string, exchange: Exchange, body: string | null): Promise<Answer> {
  const headers: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = exchange.requestHeader(name);
    if (value !== undefined) headers[name] = value;
  }
  const answer = await fetch(new URL(exchange.path, url), {
    method: exchange.method,
    headers,
    body: exchange.method === 'POST' ? body : undefined,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  for (const name in PUBLIC_HEADERS) exchange.setHeader(name, PUBLIC_HEADERS[name]!);
  return { status: answer.status, body: await answer.text() };
}
