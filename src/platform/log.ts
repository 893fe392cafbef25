/**
 * The log: JSON lines on standard error. Standard output is for people (the start screen, the output of commands).
 * Every call chooses the fields it logs and must never log a header, a body or a query string. The redaction below is
 * a second safeguard.
 */
import { pino, type Logger } from 'pino';
import { bufferedStandardError, standardError } from './standard-error.ts';

export type Log = Logger;

const SECRETS = ['authorization', 'password', 'key', 'secret', 'token', 'cookie', 'html', 'text', 'body'];

export function createLog(level: string): Log {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`]);
  return pino({ ...common(level), redact: { paths, censor: '[hidden]' } }, standardError);
}

/**
 * For the log lines of requests, messages and delivery attempts. Their fields are fixed and hold no secrets, and
 * redaction would cost more than the write.
 */
export function createTrafficLog(level: string): Log {
  return pino(common(level), bufferedStandardError);
}

function common(level: string) {
  return { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
}
