import { queryOptions } from '@tanstack/react-query';
import type { Member } from '../../src/features/identity/people/members.schema.ts';
import { getJson } from './client.ts';

/** The people of the team. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async () => (await getJson<{ items: Member[] }>('/members')).items,
});
