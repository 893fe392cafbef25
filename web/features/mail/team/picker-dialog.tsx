/** Chooses a person, a time or labels for conversations. Typing narrows the list, and Enter takes the first. */
import { useQuery } from '@tanstack/react-query';
import { AlarmClockOff, Check, Clock, Plus, UserRound, UserRoundX } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { MailboxLabel } from '../../../../src/features/mailboxes/labels/labels.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { act } from '../../../ui/act.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { useSession } from '../../people/session.ts';
import { PickTimeDialog } from '../compose/later-menu.tsx';
import { departureTime } from '../parts/mail-time.ts';
import { suggestTimes } from '../parts/send-times.ts';
import { assignThreads, endSnoozes, labelThreads, snoozeThreads } from './team-actions.ts';
import { labelsQuery, useColleagues } from '../live/team-api.ts';
import { openPicker, usePicker, type PickerState } from './team-picker.ts';

export function TeamPickerDialog() {
  const picker = usePicker();
  if (!picker) return null;
  switch (picker.kind) {
    case 'assign':
      return <AssignDialog {...picker} />;
    case 'snooze':
      return <SnoozeDialog {...picker} />;
    case 'label':
      return <LabelDialog {...picker} />;
  }
}

function close(): void {
  openPicker(null);
}

function AssignDialog({ mailboxId, threads, onDone }: PickerState) {
  const { user } = useSession();
  const people = useColleagues(mailboxId);
  const me = people.find(({ user_id }) => user_id === user.id);
  const others = people.filter(({ user_id }) => user_id !== user.id);
  const isTaken = (userId: string | null) =>
    threads.every(({ assignee }) => (assignee?.user_id ?? null) === userId);
  const choose = (person: (typeof people)[number] | null) => {
    close();
    void assignThreads(threads, person);
    onDone?.();
  };
  return (
    <Dialog title={t.assignTitle} onClose={close}>
      <Choices label={t.assignTitle}>
        {me && (
          <Choice chosen={isTaken(me.user_id)} onChoose={() => choose(me)} icon={<UserRound {...ICON} />}>
            {teamTexts.toMe}
          </Choice>
        )}
        {others.map((person) => (
          <Choice
            key={person.user_id}
            chosen={isTaken(person.user_id)}
            onChoose={() => choose(person)}
            icon={<UserRound {...ICON} />}
          >
            {person.name}
          </Choice>
        ))}
        <Choice chosen={isTaken(null)} onChoose={() => choose(null)} icon={<UserRoundX {...ICON} />}>
          {t.nobody}
        </Choice>
      </Choices>
    </Dialog>
  );
}

function SnoozeDialog({ threads, onDone }: PickerState) {
  const [isPicking, setIsPicking] = useState(false);
  const choose = (at: Date, whom: 'all' | 'me' = 'all') => {
    close();
    void snoozeThreads(threads, at, whom);
    onDone?.();
  };
  const end = () => {
    close();
    void endSnoozes(threads);
    onDone?.();
  };
  if (isPicking)
    return <PickTimeDialog title={t.snoozeTitle} action={teamTexts.snooze} choose={choose} onClose={close} />;
  const times = suggestTimes();
  const tomorrow = times.at(-1)!.at;
  return (
    <Dialog title={t.snoozeTitle} onClose={close}>
      <Choices label={t.snoozeTitle}>
        {times.map(({ name, at }) => (
          <Choice key={name} note={departureTime(at)} onChoose={() => choose(at)} icon={<Clock {...ICON} />}>
            {name}
          </Choice>
        ))}
        <Choice onChoose={() => setIsPicking(true)} icon={<Clock {...ICON} />}>
          {mailTexts.later.pick}
        </Choice>
        <Choice onChoose={() => choose(tomorrow, 'me')} icon={<UserRound {...ICON} />}>
          {teamTexts.forMe(departureTime(tomorrow))}
        </Choice>
        {threads.some(({ snoozed_until: until }) => until !== null) && (
          <Choice onChoose={end} icon={<AlarmClockOff {...ICON} />}>
            {teamTexts.endSnooze}
          </Choice>
        )}
      </Choices>
    </Dialog>
  );
}

function LabelDialog({ mailboxId, threads }: PickerState) {
  const [text, setText] = useState('');
  const { data: labels = [] } = useQuery(labelsQuery(mailboxId));
  // The threads were given when the dialog opened. What is chosen here is shown immediately.
  const [current, setCurrent] = useState(threads);
  const isOnAll = (keyword: string) => current.every((thread) => thread.labels.includes(keyword));
  const wanted = text.trim().toLowerCase();
  const found = labels.filter(({ name }) => name.toLowerCase().includes(wanted));
  const best = found.find(({ name }) => name.toLowerCase() === wanted) ?? found[0];
  const isNew = wanted !== '' && !labels.some(({ name }) => name.toLowerCase() === wanted);
  const toggle = (keyword: string) => {
    const has = isOnAll(keyword);
    void labelThreads(current, has ? { remove: [keyword] } : { add: [keyword] });
    setCurrent(
      current.map((thread) => {
        const others = thread.labels.filter((label) => label !== keyword);
        return { ...thread, labels: has ? others : [...others, keyword] };
      }),
    );
  };
  const create = () =>
    act(async () => {
      const path = `/mailboxes/${mailboxId}/labels`;
      const label = await sendJson<MailboxLabel>('POST', path, { name: text.trim() });
      await refresh(...labelsQuery(mailboxId).queryKey);
      setText('');
      toggle(label.keyword);
    });
  return (
    <Dialog title={t.labelTitle} onClose={close}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (best) toggle(best.keyword);
          else if (isNew) void create();
        }}
      >
        <TextField
          autoFocus
          label={t.filter}
          value={text}
          maxLength={60}
          onChange={({ target }) => setText(target.value)}
          autoComplete="off"
        />
        <Choices label={t.labelTitle}>
          {found.map(({ id, name, color, keyword }) => (
            <Choice
              key={id}
              chosen={isOnAll(keyword)}
              onChoose={() => toggle(keyword)}
              icon={<span aria-hidden className="size-3 rounded-full" style={{ background: color }} />}
            >
              {name}
            </Choice>
          ))}
          {isNew && (
            <Choice onChoose={() => void create()} icon={<Plus {...ICON} />}>
              {t.create(text.trim())}
            </Choice>
          )}
        </Choices>
      </form>
    </Dialog>
  );
}

const ICON = { 'aria-hidden': true, className: 'size-4 shrink-0 text-soft' } as const;

function Choices({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="-mx-2.5 max-h-80 overflow-y-auto">
      {children}
    </ul>
  );
}

interface ChoiceProps {
  icon: ReactNode;
  chosen?: boolean;
  note?: string;
  onChoose(): void;
  children: ReactNode;
}

function Choice({ icon, chosen, note, onChoose, children }: ChoiceProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        className="flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left outline-offset-[-2px] hover:bg-hover focus-visible:bg-hover pointer-coarse:min-h-11"
      >
        <span className="flex size-4 shrink-0 items-center justify-center">{icon}</span>
        <span className="min-w-0 flex-1 truncate">
          <bdi>{children}</bdi>
        </span>
        {note && <span className="shrink-0 text-xs text-soft">{note}</span>}
        {chosen && <Check aria-hidden className="size-4 shrink-0" />}
      </button>
    </li>
  );
}
