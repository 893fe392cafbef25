import type { Exchange } from './exchange.ts';

/** Returns whether the client takes a body with this encoding (RFC 9110 section 12.5.3). */
export function takesEncoding(exchange: Exchange, name: 'br' | 'gzip'): boolean {
  const accepted = exchange.requestHeader('accept-encoding') ?? '';
  return new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);
}
