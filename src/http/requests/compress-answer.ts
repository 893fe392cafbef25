/**
 * Compresses answers to pages of the dashboard and webmail. Answers to programs stay as they are: they are mostly on fast
 * networks, and the time of this process is worth more to them.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { takesEncoding } from './accept-encoding.ts';
import type { Answer, Exchange } from './exchange.ts';

const toGzip = promisify(gzip);
/** Less than this fits into one packet anyway. */
const MIN_LENGTH = 1_400;
/** Higher levels save little of JSON. */
const LEVEL = 4;

/** True if a script of our own pages asks. The length of an answer that others can cause may give its content away. */
function isAskedByPage(exchange: Exchange): boolean {
  return exchange.requestHeader('sec-fetch-site') === 'same-origin' && takesEncoding(exchange, 'gzip');
}

export function compressAnswer(exchange: Exchange, answered: Answer): Answer | Promise<Answer> {
  const { status, body } = answered;
  if (typeof body !== 'string' || body.length < MIN_LENGTH || !isAskedByPage(exchange)) return answered;
  exchange.setHeader('content-encoding', 'gzip');
  exchange.setHeader('vary', 'accept-encoding');
  return toGzip(body, { level: LEVEL }).then((bytes) => ({ status, body: bytes }));
}
