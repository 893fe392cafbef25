import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  QueueActionAnswer,
  QueueCounts,
  QueuedDelivery,
} from '../../../src/features/delivery/queue/queue.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { cursorList, whileShort } from '../../api/pages.ts';
import type { Tone } from '../../ui/badge.tsx';

const NEWS_EVERY_MS = 5_000;

export interface QueueFilter {
  domain?: string | undefined;
  campaignId?: string | undefined;
  held?: boolean | undefined;
}

export type QueueAction = 'retry' | 'hold' | 'release' | 'drop';

export const STATE_TONES: Record<QueuedDelivery['state'], Tone> = {
  waiting: 'info',
  sending: 'good',
  held: 'warn',
  paused: 'neutral',
};

export function queueQuery({ domain, campaignId, held }: QueueFilter) {
  return infiniteQueryOptions({
    ...cursorList<QueuedDelivery>(['queue', 'list'], '/queue', { domain, campaignId, held }),
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(NEWS_EVERY_MS),
  });
}

export function queueCountsQuery({ domain, campaignId, held }: QueueFilter) {
  return queryOptions({
    queryKey: ['queue', 'counts', domain, campaignId, held],
    queryFn: () => getJson<QueueCounts>('/queue/counts', { domain, campaignId, held }),
    placeholderData: keepPreviousData,
    refetchInterval: NEWS_EVERY_MS,
  });
}

/** Changes all deliveries of a selection in several requests, because one request changes a limited number. */
export async function changeQueue(
  action: QueueAction,
  selection: (QueueFilter & { all: true }) | { deliveryIds: string[] },
): Promise<{ changed: number; busy: number }> {
  const sum = { changed: 0, busy: 0 };
  let cursor: string | null = null;
  do {
    const body = { ...selection, ...(cursor !== null && { cursor }) };
    const answer: QueueActionAnswer = await sendJson('POST', `/queue/${action}`, body);
    sum.changed += answer.changed;
    sum.busy += answer.busy;
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return sum;
}
