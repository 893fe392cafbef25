/** What a team does with a conversation: who has it, until when it sleeps, its labels, and who is looking at it. */
import { AlarmClock, History, Tag, UserRound, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { teamTexts as t } from '../../../texts/en/mail-team.ts';
import { Button } from '../../../ui/button.tsx';
import { useSession } from '../../people/session.ts';
import { departureTime } from '../parts/mail-time.ts';
import { LabelChips } from './label-chips.tsx';
import { toggleMuted } from './team-actions.ts';
import { openPicker, type PickerState } from './team-picker.ts';

export function TeamBar({ thread }: { thread: Thread }) {
  const { snoozed_until: until, reminder_at: reminder, present, assignee } = thread;
  const { user } = useSession();
  const holder = assignee?.user_id === user.id ? t.toMe : assignee?.name;
  return (
    <section aria-label={t.label} className="mb-4 space-y-1.5 print:hidden">
      <div className="flex flex-wrap items-center gap-1.5">
        <PickerButton kind="assign" icon={UserRound} thread={thread}>
          {holder === undefined ? t.assign : t.assignedTo(holder)}
        </PickerButton>
        <PickerButton kind="snooze" icon={AlarmClock} thread={thread}>
          {t.snooze}
        </PickerButton>
        <PickerButton kind="label" icon={Tag} thread={thread}>
          {t.labels}
        </PickerButton>
        <LabelChips mailboxId={thread.mailbox_id} labels={thread.labels} />
        <ActivityButton thread={thread} />
      </div>
      {until !== null && (
        <p className="text-[0.8125rem] text-soft">{t.snoozedUntil(departureTime(new Date(until)))}</p>
      )}
      {thread.muted && (
        <p className="flex items-center gap-1.5 text-[0.8125rem] text-soft">
          {t.muted}
          <Button size="small" look="quiet" onClick={() => void toggleMuted([thread])}>
            {actionTexts.unmute}
          </Button>
        </p>
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

interface PickerButtonProps {
  kind: PickerState['kind'];
  icon: LucideIcon;
  thread: Thread;
  children: string;
}

function PickerButton({ kind, icon, thread, children }: PickerButtonProps) {
  return (
    <Button
      size="small"
      icon={icon}
      aria-haspopup="dialog"
      onClick={() => openPicker({ kind, mailboxId: thread.mailbox_id, threads: [thread] })}
    >
      {children}
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
        className="ml-auto text-soft"
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <span className="max-sm:sr-only">{actionTexts.activity}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <LateActivity mailboxId={thread.mailbox_id} threadId={thread.id} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
