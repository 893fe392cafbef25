/** Who is signed in. Null stands for nobody; a session that ends while its page is open is shell/session-ended.tsx. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, getJson } from '../../api/client.ts';
import { queryClient, SESSION_KEY } from '../../api/query-client.ts';
import type { Session } from '../../../src/features/people/people.schema.ts';

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  staleTime: 60_000,
  async queryFn(): Promise<Session | null> {
    try {
      return await getJson<Session>('/auth/session');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        return queryClient.getQueryData<Session>(SESSION_KEY) ?? null;
      throw error;
    }
  },
});

/** Only for pages inside the shell, which shows itself to nobody else. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('A page of the shell was shown without a session.');
  return data;
}

export function useIsAdmin(): boolean {
  return useSession().role !== 'member';
}

/** Nothing of one person's data may be left for the next. */
export function enterSession(session: Session): void {
  queryClient.clear();
  queryClient.setQueryData(SESSION_KEY, session);
}

export function leaveSession(): void {
  queryClient.clear();
  queryClient.setQueryData(SESSION_KEY, null);
}
