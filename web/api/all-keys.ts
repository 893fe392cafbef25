import { queryOptions } from '@tanstack/react-query';
import type { ApiKey } from '../../src/features/identity/api-keys/api-keys.schema.ts';
import { getAll } from './pages.ts';

/** All keys, for a choice and for what uses something. */
export const allKeysQuery = queryOptions({
  queryKey: ['api-keys', 'all'],
  queryFn: () => getAll<ApiKey>('/api-keys'),
});
