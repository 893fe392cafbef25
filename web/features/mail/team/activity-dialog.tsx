/** Who did what in a conversation, the newest first. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ThreadActivity } from '../../../../src/features/mailboxes/activity/activity.schema.ts';
import { getJson } from '../../../api/client.ts';
import type { CursorPage } from '../../../api/pages.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { activityTexts as words } from '../../../texts/en/mail-activity.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { isListed } from '../live/mail-api.ts';
import { labelsQuery } from '../live/team-api.ts';
import { departureTime, exactTime, shortTime } from '../parts/mail-time.ts';

const AT_ONCE = 30;

interface ActivityDialogProps {
  mailboxId: string;
  threadId: string;
  onClose(): void;
}

export function ActivityDialog({ mailboxId, threadId, onClose }: ActivityDialogProps) {
  const query = useInfiniteQuery({
    queryKey: ['mail', mailboxId, 'activity', threadId],
    queryFn: ({ pageParam: cursor }) =>
      getJson<CursorPage<ThreadActivity>>(`/threads/${threadId}/activity`, {
        limit: AT_ONCE,
        ...(cursor ? { cursor } : {}),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const { data: labels = [] } = useQuery(labelsQuery(mailboxId));
  const nameOf = (keyword: string) => labels.find((each) => each.keyword === keyword)?.name ?? keyword;
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Dialog title={t.activity} description={t.activityHint} onClose={onClose}>
      {query.isError ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton className="h-40" />
      ) : items.length === 0 ? (
        <p className="text-soft">{t.noActivity}</p>
      ) : (
        <ol className="space-y-2">
          {items.map((item) => (
            <li key={item.id} className="flex items-baseline gap-3">
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{actorOf(item)}</span> {describe(item, nameOf)}
                {typeof item.data.text === 'string' && item.data.text !== '' && (
                  <span className="mt-1 block rounded-md bg-panel px-2 py-1 text-note whitespace-pre-wrap">
                    {item.data.text}
                  </span>
                )}
              </span>
              <time dateTime={item.at} title={exactTime(item.at)} className="shrink-0 text-note text-soft">
                {shortTime(item.at)}
              </time>
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button className="mt-3" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t.moreActivity}
        </Button>
      )}
    </Dialog>
  );
}

function actorOf({ actor, by }: ThreadActivity): string {
  if (actor.name !== null) return actor.name;
  if (by.startsWith('rule')) return words.rule;
  if (by.startsWith('key_')) return words.application;
  return by.startsWith('user:') ? t.someone : t.automatic;
}

function describe({ type, data }: ThreadActivity, nameOf: (keyword: string) => string): string {
  switch (type) {
    case 'assigned':
      return words.assigned(typeof data.name === 'string' ? data.name : t.someone);
    case 'snoozed':
      return words.snoozed(departureTime(new Date(String(data.until))));
    case 'moved': {
      const folder = String(data.folder);
      return words.moved(isListed(folder) ? mailTexts.folders[folder] : words.folder);
    }
    case 'labelled':
      return words.labelled(listOf(data.added, nameOf), listOf(data.removed, nameOf));
    default:
      return words.types[type] ?? type;
  }
}

function listOf(labels: unknown, nameOf: (keyword: string) => string): string {
  return Array.isArray(labels) ? labels.map((label) => nameOf(String(label))).join(', ') : '';
}
