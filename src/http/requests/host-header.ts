/**
 * Checks the Host header (RFC 9112 section 3.2). A request with no, several or invalid Host headers is rejected,
 * because a proxy in front may use a different one than we do.
 */
import type { IncomingMessage } from 'node:http';

const INVALID_IN_HOST = /[\s,/\\?#@]/;

export function hasClearHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  // rawHeaders alternates names and values.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  const isCountValid = count === 1 || (count === 0 && httpVersion !== '1.1');
  return isCountValid && !INVALID_IN_HOST.test(headers.host ?? '');
}
