/** What a team does with a conversation: who has it, until when it sleeps, its labels, and who is looking at it. */
import { AlarmClock, Check, Clock, History, Tag, UserRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { teamTexts as t } from '../../../texts/en/mail-team.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { useSession } from '../../people/session.ts';
import { LaterItems, PickTimeDialog } from '../compose/later-menu.tsx';
import { departureTime } from '../parts/mail-time.ts';
import { suggestTimes } from '../parts/send-times.ts';
import { LabelChips } from './label-chips.tsx';
import { assignThreads, endSnooze, snoozeThreads } from './team-actions.ts';
import { useColleagues } from './team-api.ts';
import { openPicker } from './team-picker.ts';

export function TeamBar({ thread }: { thread: Thread }) {
  const { snoozed_until: until, reminder_at: reminder, present } = thread;
  return (
    <section aria-label={t.label} className="mb-4 space-y-1.5 print:hidden">
      <div className="flex flex-wrap items-center gap-1.5">
        <AssigneeMenu thread={thread} />
        <SnoozeMenu thread={thread} />
        <LabelButton thread={thread} />
        <LabelChips mailboxId={thread.mailbox_id} labels={thread.labels} />
        <ActivityButton thread={thread} />
      </div>
      {until !== null && (
        <p className="text-[0.8125rem] text-soft">{t.snoozedUntil(departureTime(new Date(until)))}</p>
      )}
      {reminder !== null && (
        <p className="text-[0.8125rem] text-soft">{t.reminder(departureTime(new Date(reminder)))}</p>
      )}
      {present.length > 0 && (
        <p role="status" className="text-[0.8125rem] text-warn">
          {present
            .map(({ name, state }) => (state === 'replying' ? t.replying(name) : t.viewing(name)))
            .join(' · ')}
        </p>
      )}
    </section>
  );
}

function AssigneeMenu({ thread }: { thread: Thread }) {
  const { user } = useSession();
  const people = useColleagues(thread.mailbox_id);
  const { assignee } = thread;
  const others = people.filter(({ user_id }) => user_id !== user.id);
  const isTaken = (userId: string) => assignee?.user_id === userId;
  return (
    <Menu
      align="start"
      trigger={
        <Button size="small" icon={UserRound}>
          {assignee ? t.assignedTo(isTaken(user.id) ? t.toMe : assignee.name) : t.assign}
        </Button>
      }
    >
      <div className="max-h-80 overflow-y-auto">
        <MenuItem
          icon={isTaken(user.id) ? Check : UserRound}
          onSelect={() => void assignThreads([thread], { user_id: user.id, name: t.toMe })}
        >
          {t.toMe}
        </MenuItem>
        {others.map(({ user_id, name }) => (
          <MenuItem
            key={user_id}
            icon={isTaken(user_id) ? Check : UserRound}
            onSelect={() => void assignThreads([thread], { user_id, name })}
          >
            <span className="max-w-64 truncate">{name}</span>
          </MenuItem>
        ))}
      </div>
      {assignee && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => void assignThreads([thread], null)}>{t.toNobody}</MenuItem>
        </>
      )}
    </Menu>
  );
}

function SnoozeMenu({ thread }: { thread: Thread }) {
  const [isPicking, setIsPicking] = useState(false);
  const choose = (at: Date, whom: 'all' | 'me' = 'all') => void snoozeThreads([thread], at, whom);
  const tomorrow = suggestTimes().at(-1)!.at;
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button size="small" icon={AlarmClock}>
            {t.snooze}
          </Button>
        }
      >
        <LaterItems choose={choose} pick={() => setIsPicking(true)} />
        <MenuSeparator />
        <MenuItem icon={UserRound} onSelect={() => choose(tomorrow, 'me')}>
          {t.forMe(departureTime(tomorrow))}
        </MenuItem>
        {thread.snoozed_until !== null && (
          <MenuItem icon={Clock} onSelect={() => void endSnooze(thread)}>
            {t.endSnooze}
          </MenuItem>
        )}
      </Menu>
      {isPicking && (
        <PickTimeDialog
          title={t.snooze}
          action={t.snooze}
          choose={choose}
          onClose={() => setIsPicking(false)}
        />
      )}
    </>
  );
}

function LabelButton({ thread }: { thread: Thread }) {
  return (
    <Button
      size="small"
      icon={Tag}
      aria-haspopup="dialog"
      onClick={() => openPicker({ kind: 'label', mailboxId: thread.mailbox_id, threads: [thread] })}
    >
      {t.labels}
    </Button>
  );
}

const LateActivity = lazy(async () => ({
  default: (await import('./activity-dialog.tsx')).ActivityDialog,
}));

function ActivityButton({ thread }: { thread: Thread }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={History}
        className="ml-auto text-soft max-sm:ml-0"
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        {actionTexts.activity}
      </Button>
      {isOpen && (
        <Suspense>
          <LateActivity mailboxId={thread.mailbox_id} threadId={thread.id} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
