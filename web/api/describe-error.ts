import { texts } from '../texts/en.ts';
import { ApiError } from './client.ts';

/** Returns a sentence that says what happened and what to do. The server's messages are already written for people. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.errors.unexpected;
  if (error.code === 'OFFLINE') return texts.errors.offline;
  if (error.code === 'SESSION_ENDED') return texts.errors.sessionEnded;
  if (error.message !== '') return error.message;
  return error.status >= 500 ? texts.errors.server : texts.errors.unexpected;
}
