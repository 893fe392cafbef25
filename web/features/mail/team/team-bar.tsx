/** What a team does with a conversation: who has it, until when it sleeps, its labels, and who is looking at it. */
import { useQuery } from '@tanstack/react-query';
import { AlarmClock, Check, Clock, Tag, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { MailboxLabel } from '../../../../src/features/mailboxes/labels/labels.schema.ts';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { teamTexts as t } from '../../../texts/en/mail-team.ts';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { useSession } from '../../people/session.ts';
import { LaterItems, PickTimeDialog } from '../compose/later-menu.tsx';
import { departureTime } from '../parts/mail-time.ts';
import { suggestTimes } from '../parts/send-times.ts';
import { LabelChips } from './label-chips.tsx';
import { assign, endSnooze, labelsQuery, setLabels, snooze, useColleagues } from './team-api.ts';

export function TeamBar({ thread }: { thread: Thread }) {
  const { snoozed_until: until, reminder_at: reminder, present } = thread;
  return (
    <section aria-label={t.label} className="mb-4 space-y-1.5 print:hidden">
      <div className="flex flex-wrap items-center gap-1.5">
        <AssigneeMenu thread={thread} />
        <SnoozeMenu thread={thread} />
        <LabelMenu thread={thread} />
        <LabelChips mailboxId={thread.mailbox_id} labels={thread.labels} />
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
        <MenuItem icon={isTaken(user.id) ? Check : UserRound} onSelect={() => void assign(thread, user.id)}>
          {t.toMe}
        </MenuItem>
        {others.map(({ user_id, name }) => (
          <MenuItem
            key={user_id}
            icon={isTaken(user_id) ? Check : UserRound}
            onSelect={() => void assign(thread, user_id)}
          >
            <span className="max-w-64 truncate">{name}</span>
          </MenuItem>
        ))}
      </div>
      {assignee && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => void assign(thread, null)}>{t.toNobody}</MenuItem>
        </>
      )}
    </Menu>
  );
}

function SnoozeMenu({ thread }: { thread: Thread }) {
  const [isPicking, setIsPicking] = useState(false);
  const choose = (at: Date, whom: 'all' | 'me' = 'all') => {
    void snooze(thread, at, whom).then((isDone) => isDone && showToast(t.snoozed(departureTime(at))));
  };
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
      {isPicking && <PickTimeDialog choose={choose} onClose={() => setIsPicking(false)} />}
    </>
  );
}

function LabelMenu({ thread }: { thread: Thread }) {
  const [isCreating, setIsCreating] = useState(false);
  const { data: labels = [] } = useQuery(labelsQuery(thread.mailbox_id));
  const toggle = ({ keyword }: MailboxLabel) => {
    const has = thread.labels.includes(keyword);
    void setLabels(
      thread,
      has ? thread.labels.filter((each) => each !== keyword) : [...thread.labels, keyword],
    );
  };
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button size="small" icon={Tag}>
            {t.labels}
          </Button>
        }
      >
        <div className="max-h-80 overflow-y-auto">
          {labels.map((label) => (
            <MenuItem key={label.id} onSelect={() => toggle(label)}>
              <span className="size-4 shrink-0">
                {thread.labels.includes(label.keyword) && <Check aria-hidden className="size-4" />}
              </span>
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-full"
                style={{ background: label.color }}
              />
              <span className="max-w-64 truncate">{label.name}</span>
            </MenuItem>
          ))}
        </div>
        {labels.length > 0 && <MenuSeparator />}
        <MenuItem onSelect={() => setIsCreating(true)}>{t.newLabel}</MenuItem>
      </Menu>
      {isCreating && <NewLabelDialog thread={thread} onClose={() => setIsCreating(false)} />}
    </>
  );
}

function NewLabelDialog({ thread, onClose }: { thread: Thread; onClose(): void }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    const label = await sendJson<MailboxLabel>('POST', `/mailboxes/${thread.mailbox_id}/labels`, { name });
    await setLabels(thread, [...thread.labels, label.keyword]);
    onClose();
  });
  return (
    <FormDialog title={t.createLabel} form={form} action={t.createLabel} onClose={onClose}>
      <TextField autoFocus label={t.labelName} {...form.text('name')} autoComplete="off" />
    </FormDialog>
  );
}
