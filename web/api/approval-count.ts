import { queryOptions } from '@tanstack/react-query';
import type { ApprovalCount } from '../../src/features/sending/approvals/approvals.schema.ts';
import { getJson } from './client.ts';

const COUNT_EVERY_MS = 60_000;

export function approvalCountQuery(mailboxId?: string) {
  return queryOptions({
    queryKey: ['approvals', 'count', mailboxId],
    queryFn: ({ signal }) => getJson<ApprovalCount>('/approvals/count', { mailboxId }, signal),
    refetchInterval: COUNT_EVERY_MS,
    retry: false,
  });
}
