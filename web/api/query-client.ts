import { QueryClient } from '@tanstack/react-query';
import { ApiError, whenSessionEnds } from './client.ts';

const MAX_TRIES = 3;

/** What is certain is not asked again: only a network or a server that failed is given another try. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  const certain = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return !certain && failures < MAX_TRIES - 1;
}

export const SESSION_KEY = ['session'] as const;
/** When it was last noticed that the session of this page has ended. */
export const SESSION_END_KEY = ['session-end'] as const;

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: isWorthAnotherTry },
  },
});

// The page stays as it is, with all that was typed in it, and says so.
whenSessionEnds(() => {
  const wasSignedIn = Boolean(queryClient.getQueryData(SESSION_KEY));
  if (wasSignedIn) queryClient.setQueryData(SESSION_END_KEY, Date.now());
  return wasSignedIn;
});

export function hasSessionEnded(): boolean {
  return queryClient.getQueryData(SESSION_END_KEY) !== undefined;
}
