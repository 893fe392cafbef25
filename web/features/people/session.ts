/** The signed-in user, or null. shell/session-ended.tsx handles a session that ends while its page is open. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, getJson } from '../../api/client.ts';
import { queryClient, SESSION_KEY } from '../../api/query-client.ts';
import { mustFollowLanguage } from './language.ts';
import { forgetSearches } from '../../ui/last-search.ts';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  staleTime: 60_000,
  async queryFn(): Promise<SignInSession | null> {
    try {
      const session = await getJson<SignInSession>('/auth/session');
      // Only before the first page: later, something may be typed in it.
      const isFirst = queryClient.getQueryData(SESSION_KEY) === undefined;
      if (isFirst && mustFollowLanguage(session.user.language)) {
        window.location.reload();
        return await new Promise<never>(() => undefined);
      }
      return session;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        return queryClient.getQueryData<SignInSession>(SESSION_KEY) ?? null;
      throw error;
    }
  },
});

/** Use this only on pages inside the shell, which is shown only to signed-in users. */
export function useSession(): SignInSession {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('A page of the shell was rendered without a session.');
  return data;
}

export function useIsAdmin(): boolean {
  return useSession().role !== 'member';
}

/** Clears the cache, so that no data of one user is left for the next. */
export function enterSession(session: SignInSession): void {
  queryClient.clear();
  forgetSearches();
  queryClient.setQueryData(SESSION_KEY, session);
}

export function leaveSession(): void {
  forgetSearches();
  queryClient.clear();
  queryClient.setQueryData(SESSION_KEY, null);
}
