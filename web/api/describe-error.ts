import { texts } from '../texts/en.ts';
import { ApiError } from './client.ts';

/** A sentence that tells a person what happened and what to do. The server's own sentences are made for that. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.errors.unexpected;
  if (error.code === 'OFFLINE') return texts.errors.offline;
  // What the server says then is meant for programs with a key.
  if (error.status === 401) return texts.errors.sessionEnded;
  if (error.message !== '') return error.message;
  return error.status >= 500 ? texts.errors.server : texts.errors.unexpected;
}
