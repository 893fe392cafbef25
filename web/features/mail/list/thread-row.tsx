import { Link } from '@tanstack/react-router';
import { NotebookPen, Paperclip, Star } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { queryClient } from '../../../api/query-client.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { LabelChips } from '../team/label-chips.tsx';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { threadQuery } from '../live/mail-api.ts';
import { exactTime, shortTime } from '../parts/mail-time.ts';
import { listNames } from '../parts/people.ts';
import { isTyping } from '../parts/shortcuts.ts';
import { SwipedRow } from './swiped-row.tsx';

const t = mailTexts.list;
/** How long the pointer rests on a thread before the thread is prefetched. */
export const REST_MS = 100;

interface ThreadRowProps {
  thread: Thread;
  mailboxId: string;
  folder: string;
  q: string;
  isOpen: boolean;
  isAtCursor: boolean;
  isSelected: boolean;
  hasDraft: boolean;
  select(threadId: string, range: boolean): void;
}

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, mailboxId, folder, q, isOpen, isAtCursor, isSelected, hasDraft, select } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // A list that is refetched, as during a search, must not take the focus from the field. While a conversation is
    // open it has the focus; going back returns it to the row.
    if (isAtCursor && !isOpen && !isTyping(document.activeElement))
      link.current?.focus({ preventScroll: true });
  }, [isAtCursor, isOpen]);
  const { rest, leave } = usePrefetch(mailboxId, thread.id);
  return (
    <SwipedRow
      thread={thread}
      mailboxId={mailboxId}
      className={classes(
        'group relative flex h-full border-b border-line',
        isOpen || isSelected ? 'bg-hover' : 'hover:bg-hover/60',
      )}
    >
      <RowCheckbox thread={thread} isSelected={isSelected} select={select} />
      <Link
        ref={link}
        to="/mail/$mailboxId/$folder/$threadId"
        params={{ mailboxId, folder, threadId: thread.id }}
        search={q === '' ? {} : { q }}
        preload={false}
        onMouseEnter={rest}
        onMouseLeave={leave}
        onFocus={rest}
        onBlur={leave}
        aria-current={isOpen ? 'true' : undefined}
        className="min-w-0 flex-1 py-2.5 pr-4 outline-offset-[-2px]"
      >
        <RowLines thread={thread} folder={folder} hasDraft={hasDraft} />
      </Link>
    </SwipedRow>
  );
});

/** Prefetches a conversation when the pointer rests on it. */
function usePrefetch(mailboxId: string, threadId: string): { rest(): void; leave(): void } {
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const leave = () => window.clearTimeout(timer.current);
  const rest = () => {
    leave();
    timer.current = window.setTimeout(
      () => void queryClient.prefetchQuery(threadQuery(mailboxId, threadId)),
      REST_MS,
    );
  };
  return { rest, leave };
}

function RowCheckbox({
  thread,
  isSelected,
  select,
}: Pick<ThreadRowProps, 'thread' | 'isSelected' | 'select'>) {
  return (
    <label className="flex w-9 shrink-0 justify-center pt-3.5 max-md:w-12 pointer-coarse:w-12">
      <input
        type="checkbox"
        aria-label={t.select(subjectOf(thread))}
        checked={isSelected}
        onChange={() => {}}
        onClick={(event) => select(thread.id, event.shiftKey)}
        className={classes(
          'peer z-10 size-4 accent-(--ink) max-md:size-6 pointer-coarse:size-6',
          // Phones have no pointer that hovers.
          !isSelected &&
            'opacity-0 group-hover:opacity-100 focus-visible:opacity-100 max-md:opacity-100 pointer-coarse:opacity-100',
        )}
      />
      {thread.unread && !isSelected && (
        <span
          aria-hidden
          className="absolute top-[1.2rem] left-[0.875rem] size-2 rounded-full bg-brass group-hover:opacity-0 peer-focus-visible:opacity-0 max-md:top-[2.9rem] max-md:left-5 max-md:opacity-100! pointer-coarse:top-[2.9rem] pointer-coarse:left-5 pointer-coarse:opacity-100!"
        />
      )}
    </label>
  );
}

/** People and time, the subject, and the beginning of the last message. */
function RowLines({ thread, folder, hasDraft }: Pick<ThreadRowProps, 'thread' | 'folder' | 'hasDraft'>) {
  const { unread, message_count: count, last_message_at: at, snippet } = thread;
  return (
    <>
      <span className="flex items-baseline gap-2">
        {unread && <span className="sr-only">{t.unread}. </span>}
        <span className={classes('min-w-0 flex-1 truncate', unread && 'font-semibold')}>
          <bdi>{folder === 'sent' ? t.to(namesOf(thread)) : namesOf(thread)}</bdi>
          {count > 1 && (
            <span className="ml-1.5 text-xs font-normal text-soft" title={t.messages(count)}>
              {count}
            </span>
          )}
        </span>
        {thread.assignee && (
          <span
            className="max-w-24 shrink-0 truncate text-xs text-soft"
            title={teamTexts.assignedTo(thread.assignee.name)}
          >
            {thread.assignee.name}
          </span>
        )}
        {thread.note_count > 0 && (
          <NotebookPen
            role="img"
            aria-label={teamTexts.notes(thread.note_count)}
            className="size-3.5 shrink-0 self-center text-soft"
          />
        )}
        {thread.has_attachment && (
          <Paperclip
            role="img"
            aria-label={t.hasAttachment}
            className="size-3.5 shrink-0 self-center text-soft"
          />
        )}
        {thread.starred && (
          <Star
            role="img"
            aria-label={t.starred}
            className="size-3.5 shrink-0 self-center fill-brass text-brass"
          />
        )}
        <time dateTime={at} title={exactTime(at)} className="shrink-0 text-xs text-soft">
          {shortTime(at)}
        </time>
      </span>
      <span className={classes('block truncate', unread && 'font-semibold')}>
        <bdi>{subjectOf(thread)}</bdi>
      </span>
      <span className="block truncate text-[0.8125rem] text-soft">
        {hasDraft && <span className="mr-1.5 text-warn">{t.draft}</span>}
        {thread.labels.length > 0 && (
          <span className="mr-1.5">
            <LabelChips mailboxId={thread.mailbox_id} labels={thread.labels} />
          </span>
        )}
        <bdi>{snippet}</bdi>
      </span>
    </>
  );
}

function subjectOf({ subject }: Thread): string {
  return subject || t.noSubject;
}

function namesOf({ participants }: Thread): string {
  return listNames(participants) || mailTexts.thread.noSender;
}
