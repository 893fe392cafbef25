import { queryOptions } from '@tanstack/react-query';
import type { Brand } from '../../src/features/content/brand/brand.schema.ts';
import { getJson } from './client.ts';

export type { Brand };

export const brandQuery = queryOptions({
  queryKey: ['brand'],
  queryFn: () => getJson<Brand>('/brand'),
});
