import type { QueryObserverLoadingErrorResult, UseQueryResult } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/**
 * Whether there is nothing to show but what went wrong. What is on the screen stays when news of it could not be
 * fetched, as while the server starts anew, unless it is there no more.
 */
export function hasFailed<Data>(query: UseQueryResult<Data>): query is QueryObserverLoadingErrorResult<Data> {
  return query.isError && (query.data === undefined || isGone(query.error));
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}
