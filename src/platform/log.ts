/**
 * JSON lines on standard error; standard output is for people (the start screen, the commands' answers).
 * What may be logged is chosen where it is logged, field by field: never a header, a body or a query string.
 * The redaction below is the second lock on that door.
 */
import { pino, type Logger } from 'pino';
import { bufferedStandardError, standardError } from './standard-error.ts';

export type Log = Logger;

const SECRETS = ['authorization', 'password', 'key', 'secret', 'token', 'cookie', 'html', 'text', 'body'];

export function createLog(level: string): Log {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`]);
  return pino({ ...common(level), redact: { paths, censor: '[hidden]' } }, standardError);
}

/** For the one line of each request, whose fields are all chosen by us: looking for secrets costs more than writing it. */
export function createRequestLog(level: string): Log {
  return pino(common(level), bufferedStandardError);
}

function common(level: string) {
  return { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
}
