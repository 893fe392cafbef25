/** How people can sign in to this server. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getJson } from '../../api/client.ts';

interface Ways {
  singleSignOn: boolean;
  passkeyOrigin: string | null;
}

const waysQuery = queryOptions({ queryKey: ['ways'], queryFn: () => getJson<Ways>('/auth/ways') });

export function useSingleSignOn(): boolean {
  return useQuery(waysQuery).data?.singleSignOn ?? false;
}

/** True if passkeys work on this page: at the address of BASE_URL, in a browser that knows them. */
export function usePasskeys(): boolean {
  const { data } = useQuery(waysQuery);
  return data?.passkeyOrigin === window.location.origin && 'PublicKeyCredential' in window;
}
