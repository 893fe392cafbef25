/** The queries of approvals. All data is below the key `['approvals']`, which live updates of mailboxes refresh. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Approval, ApprovalItem } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { cursorList, getAll, whileShort } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import type { ApprovalState, ShownState } from './approval-states.ts';
import type { Tone } from '../../ui/badge.tsx';

const NEWS_EVERY_MS = 5_000;

export const APPROVAL_TONES: Record<ApprovalState, Tone> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
  withdrawn: 'neutral',
};

export function approvalsQuery({
  state = 'pending',
  mailboxId,
}: {
  state: ShownState | undefined;
  mailboxId?: string;
}) {
  return infiniteQueryOptions({
    ...cursorList<ApprovalItem>(['approvals', 'list'], '/approvals', {
      state: state === 'all' ? undefined : state,
      mailboxId,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(NEWS_EVERY_MS),
  });
}

export function approvalQuery(approvalId: string) {
  return queryOptions({
    queryKey: ['approvals', 'one', approvalId],
    queryFn: ({ signal }) => getJson<Approval>(`/approvals/${approvalId}`, {}, signal),
  });
}

/** All that wait in the same conversation. */
export function threadApprovalsQuery(threadId: string | null) {
  return queryOptions({
    queryKey: ['approvals', 'thread', threadId],
    queryFn: () => getAll<ApprovalItem>('/approvals', { state: 'pending', threadId: threadId ?? '' }),
    enabled: threadId !== null,
  });
}

export async function approve({ id, hash }: Pick<Approval, 'id' | 'hash'>): Promise<void> {
  await sendJson('POST', `/approvals/${id}/approve`, { hash });
}

export async function reject({ id }: Pick<Approval, 'id'>, reason: string): Promise<void> {
  await sendJson('POST', `/approvals/${id}/reject`, { reason: reason.trim() === '' ? null : reason });
}

export function refreshApprovals(): Promise<void> {
  return refresh('approvals');
}
