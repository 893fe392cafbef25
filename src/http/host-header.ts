/**
 * The Host header (RFC 9112 section 3.2): a request with none or several, or with one that cannot be a host, is refused. A proxy
 * in front may go by another of them than we do.
 */
import type { IncomingMessage } from 'node:http';

const NO_PART_OF_A_HOST = /[\s,/\\?#@]/;

export function hasClearHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  // Names and values in turn.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  const isNumberRight = count === 1 || (count === 0 && httpVersion !== '1.1');
  return isNumberRight && !NO_PART_OF_A_HOST.test(headers.host ?? '');
}
