import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const MAX_TRIES = 3;

/** What is certain is not asked again: only a network or a server that failed is given another try. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  const certain = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return !certain && failures < MAX_TRIES - 1;
}

export const SESSION_KEY = ['session'] as const;

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const signedOut = error instanceof ApiError && error.status === 401;
      if (signedOut && query.queryKey[0] !== SESSION_KEY[0]) {
        queryClient.setQueryData(SESSION_KEY, null);
      }
    },
  }),
  defaultOptions: {
    queries: { staleTime: 15_000, retry: isWorthAnotherTry },
  },
});
