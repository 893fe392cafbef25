import type { QueryObserverLoadingErrorResult, UseQueryResult } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/**
 * True if the page can show only the error. Data on the screen stays when a refetch fails, for example while the
 * server restarts, unless the server says that it no longer exists.
 */
export function hasFailed<Data>(query: UseQueryResult<Data>): query is QueryObserverLoadingErrorResult<Data> {
  return query.isError && (query.data === undefined || isGone(query.error));
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}
