/** A row that a finger moves: to the right archives its conversation, to the left snoozes it. */
import { AlarmClock, Archive, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { classes } from '../../../ui/classes.ts';
import { moveThreads } from '../live/thread-changes.ts';
import { openPicker } from '../team/team-picker.ts';
import { useSwipe } from './use-swipe.ts';

interface SwipedRowProps {
  thread: Thread;
  mailboxId: string;
  className: string;
  children: ReactNode;
}

/** In these folders, a swipe to the right brings the conversation back to the inbox. */
const COMES_BACK = ['archive', 'spam', 'trash', 'snoozed'];

export function SwipedRow({ thread, mailboxId, className, children }: SwipedRowProps) {
  const target = COMES_BACK.includes(thread.folder) ? ('inbox' as const) : ('archive' as const);
  const { dx, isEnough, handlers } = useSwipe(
    () => void moveThreads(mailboxId, [thread], target),
    () => openPicker({ kind: 'snooze', mailboxId, threads: [thread] }),
  );
  const isRight = dx > 0;
  const Icon = isRight ? (target === 'inbox' ? Inbox : Archive) : AlarmClock;
  const words = isRight ? (target === 'inbox' ? t.swipeInbox : t.swipeArchive) : t.swipeSnooze;
  return (
    <div className="relative h-full touch-pan-y overflow-hidden" {...handlers}>
      {dx !== 0 && (
        <div
          aria-hidden
          className={classes(
            'absolute inset-0 flex items-center gap-2 px-5 font-medium',
            isRight ? 'justify-start' : 'justify-end',
            isEnough ? (isRight ? 'bg-good-tint text-good' : 'bg-warn-tint text-warn') : 'bg-panel text-soft',
          )}
        >
          <Icon className="size-5" />
          {words}
        </div>
      )}
      <div
        className={classes(className, dx !== 0 && 'bg-paper')}
        // Only while a finger moves it: a transform makes a layer for each row.
        style={dx === 0 ? undefined : { transform: `translateX(${dx}px)` }}
      >
        {children}
      </div>
    </div>
  );
}
