import { queryOptions, useQuery } from '@tanstack/react-query';
import type { InstanceInfo } from '../../src/features/account/instance-info/instance-info.schema.ts';
import { getJson } from './client.ts';

/** It changes only when the server restarts. */
const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: () => getJson<InstanceInfo>('/instance'),
  staleTime: Infinity,
  retry: false,
});

/** True if no email leaves the server. False until it is known. */
export function useIsSandbox(): boolean {
  return useQuery(instanceQuery).data?.sandbox ?? false;
}
