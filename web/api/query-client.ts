import { QueryClient, type Query, type QueryFilters } from '@tanstack/react-query';
import { ApiError, whenSessionEnds } from './client.ts';

const MAX_TRIES = 3;

/** Retries only network errors and server errors; a 4xx response would be the same again. */
function shouldRetry(failures: number, error: Error): boolean {
  const certain = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return !certain && failures < MAX_TRIES - 1;
}

/** Refetches the visible queries below this key: `refresh('webhooks', 'list')`. */
export function refresh(...queryKey: readonly unknown[]): Promise<void> {
  return refreshWhere({ queryKey });
}

/**
 * Refetches the visible queries. The first answer of a query may be on its way and older than the change. TanStack Query
 * would take that answer for the new one, so such a query is fetched once more.
 */
export async function refreshWhere(filters: QueryFilters): Promise<void> {
  const loading = queryClient
    .getQueryCache()
    .findAll({ ...filters, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  await Promise.all([queryClient.invalidateQueries(filters), ...loading.map(fetchOnceMore)]);
}

async function fetchOnceMore({ queryKey, promise }: Query): Promise<void> {
  await promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey, exact: true });
}

export const SESSION_KEY = ['session'] as const;
/** Holds the time at which the end of the session was last noticed. */
export const SESSION_END_KEY = ['session-end'] as const;

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: shouldRetry },
  },
});

// The page stays as it is, with everything that was typed, and shows a dialog.
whenSessionEnds(() => {
  const wasSignedIn = Boolean(queryClient.getQueryData(SESSION_KEY));
  if (wasSignedIn) queryClient.setQueryData(SESSION_END_KEY, Date.now());
  return wasSignedIn;
});

export function hasSessionEnded(): boolean {
  return queryClient.getQueryData(SESSION_END_KEY) !== undefined;
}
