/**
 * Reads the host that a request names (RFC 9112 section 3.2). A request with no, several or invalid Host headers is
 * rejected, because a proxy in front may use a different one than we do.
 */
import type { IncomingMessage } from 'node:http';

/** An IPv6 address in brackets or a name, and an optional port. */
const HOST = /^(?:\[([0-9a-f:.]{2,45})\]|([^\s,/\\?#@:[\]]*))(?::\d{0,5})?$/i;

/** Returns the host without brackets and port, in lower case; null if the text is not a host with an optional port. */
function parseHost(text: string): string | null {
  const match = HOST.exec(text);
  return match ? (match[1] ?? match[2]!).toLowerCase() : null;
}

export function hasClearHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  // rawHeaders alternates names and values.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  const isCountValid = count === 1 || (count === 0 && httpVersion !== '1.1');
  return isCountValid && parseHost(headers.host ?? '') !== null;
}

/**
 * Returns all hosts that the request names: that of its Host header, and that of a target in absolute form (RFC 9112
 * section 3.2.2). A request of HTTP/1.0 may name none.
 */
export function namedHosts({ headers, url = '' }: IncomingMessage): string[] {
  const named = headers.host === undefined ? [] : [parseHost(headers.host) ?? ''];
  if (!url.startsWith('/') && URL.canParse(url)) named.push(parseHost(new URL(url).host) ?? '');
  return named;
}
