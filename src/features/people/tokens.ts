/** The secrets in one-time links and sessions: 256 random bits, of which only the SHA-256 is kept. */
import { randomBytes } from 'node:crypto';
import { badRequest, type AppError } from '../../platform/errors.ts';
import { toBase32 } from '../../platform/ids.ts';

export function newToken(): string {
  return toBase32(randomBytes(32));
}

export function deadLink(): AppError {
  return badRequest('This link is not valid any more: it was used, or its time is over. Ask for a new one.');
}
