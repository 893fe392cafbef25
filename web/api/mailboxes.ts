import { queryOptions } from '@tanstack/react-query';
import type { Mailbox } from '../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { getAll } from './pages.ts';

/** The mailboxes that the person can read. */
export const mailboxesQuery = queryOptions({
  queryKey: ['mailboxes'],
  queryFn: () => getAll<Mailbox>('/mailboxes'),
  staleTime: 60_000,
});
