import type { QueryObserverLoadingErrorResult, UseQueryResult } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/**
 * Whether the page can show nothing but the error. Data that is on the screen stays when a refetch fails, for
 * example while the server restarts, unless the server says that it is gone.
 */
export function hasFailed<Data>(query: UseQueryResult<Data>): query is QueryObserverLoadingErrorResult<Data> {
  return query.isError && (query.data === undefined || isGone(query.error));
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}
