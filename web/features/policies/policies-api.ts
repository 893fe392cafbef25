import { queryOptions } from '@tanstack/react-query';
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';
import { getAll } from '../../api/pages.ts';

/** All policies, for the list and for a choice. */
export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: () => getAll<SendPolicy>('/send-policies'),
});
