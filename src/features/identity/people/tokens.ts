/** Tokens of one-time links and sessions have 256 random bits. Only their SHA-256 is stored. */
import { randomBytes } from 'node:crypto';
import { badRequest, type AppError } from '../../../platform/errors.ts';
import { toBase32 } from '../../../platform/ids.ts';

export function newToken(): string {
  return toBase32(randomBytes(32));
}

export function invalidLink(): AppError {
  return badRequest('This link has expired or was already used. Ask for a new one.');
}
