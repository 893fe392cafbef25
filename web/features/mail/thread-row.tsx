import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import type { FolderOrView, Thread } from '../../../src/features/threads/threads.schema.ts';
import { queryClient } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { classes } from '../../ui/classes.ts';
import { threadQuery } from './mail-api.ts';
import { exactTime, shortTime } from './mail-time.ts';
import { nameOf } from './people.ts';
import { isTyping } from './shortcuts.ts';

const t = mailTexts.list;
/** How long somebody rests at a conversation before it is fetched for them. */
export const REST_MS = 100;

interface ThreadRowProps {
  thread: Thread;
  mailboxId: string;
  folder: FolderOrView;
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
    // A list that comes anew, as while somebody searches, must not take the focus from the field.
    // While a conversation is open the focus is there; who goes back finds it here.
    if (isAtCursor && !isOpen && !isTyping(document.activeElement))
      link.current?.focus({ preventScroll: true });
  }, [isAtCursor, isOpen]);
  const resting = useRef<number>(undefined);
  const leave = () => window.clearTimeout(resting.current);
  const rest = () => {
    leave();
    resting.current = window.setTimeout(
      () => void queryClient.prefetchQuery(threadQuery(mailboxId, thread.id)),
      REST_MS,
    );
  };
  useEffect(() => () => window.clearTimeout(resting.current), []);
  const subject = thread.subject || t.noSubject;
  return (
    <div
      className={classes(
        'group relative flex h-full border-b border-line',
        isOpen || isSelected ? 'bg-hover' : 'hover:bg-hover/60',
      )}
    >
      <label className="flex w-9 shrink-0 justify-center pt-3.5 max-md:w-12 pointer-coarse:w-12">
        <input
          type="checkbox"
          aria-label={t.select(subject)}
          checked={isSelected}
          onChange={() => {}}
          onClick={(event) => select(thread.id, event.shiftKey)}
          className={classes(
            'peer z-10 size-4 accent-(--ink) max-md:size-6 pointer-coarse:size-6',
            // Nothing hovers over a phone.
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
        <span className="flex items-baseline gap-2">
          {thread.unread && <span className="sr-only">{t.unread}. </span>}
          <span className={classes('min-w-0 flex-1 truncate', thread.unread && 'font-semibold')}>
            <bdi>{folder === 'sent' ? t.to(namesOf(thread)) : namesOf(thread)}</bdi>
            {thread.message_count > 1 && (
              <span className="ml-1.5 text-xs font-normal text-soft" title={t.messages(thread.message_count)}>
                {thread.message_count}
              </span>
            )}
          </span>
          <time
            dateTime={thread.last_message_at}
            title={exactTime(thread.last_message_at)}
            className="shrink-0 text-xs text-soft"
          >
            {shortTime(thread.last_message_at)}
          </time>
        </span>
        <span className={classes('block truncate', thread.unread && 'font-semibold')}>
          <bdi>{subject}</bdi>
        </span>
        <span className="block truncate text-[0.8125rem] text-soft">
          {hasDraft && <span className="mr-1.5 text-warn">{t.draft}</span>}
          <bdi>{thread.snippet}</bdi>
        </span>
      </Link>
    </div>
  );
});

function namesOf({ participants }: Thread): string {
  const names = participants.map(nameOf);
  if (names.length < 3) return names.join(', ');
  const short = names.map((name) => name.split(' ')[0]);
  return `${short.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`;
}
