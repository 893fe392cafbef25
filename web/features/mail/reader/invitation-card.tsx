/** The invitation in a message, with the answers that the mailbox can give. */
import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import type { EventInvitation } from '../../../../src/features/mailboxes/invitations/invitations.schema.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { texts } from '../../../texts/en.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { act } from '../../../ui/act.ts';
import { Button } from '../../../ui/button.tsx';
import { describeRecurrence } from './recurrence.ts';

const t = arrivalTexts.invitation;
const ANSWERS = ['accepted', 'tentative', 'declined'] as const;

export function InvitationCard({ mailboxId, message }: { mailboxId: string; message: Message }) {
  const { invitation } = message;
  const [answer, setAnswer] = useState(invitation?.answer ?? null);
  if (!invitation) return null;
  const isCancelled = invitation.status === 'cancelled';
  const isAnswerable = invitation.method === 'REQUEST' && !isCancelled && message.direction === 'in';
  const send = async (chosen: (typeof ANSWERS)[number]) => {
    await sendJson('POST', `/messages/${message.id}/invitation`, { answer: chosen });
    setAnswer(chosen);
    await refresh('mail', mailboxId, 'thread', message.thread_id);
  };
  return (
    <section aria-label={t.title} className="rounded-lg border border-line bg-panel p-4">
      <p className="flex items-center gap-2 font-semibold">
        <CalendarDays aria-hidden className="size-4 shrink-0" />
        <span className={isCancelled ? 'line-through' : undefined}>{invitation.summary || t.title}</span>
        {isCancelled && <span className="text-bad">{t.cancelled}</span>}
      </p>
      {invitation.occurrence && <p className="text-soft">{t.oneDate}</p>}
      {invitation.method === 'REPLY' && <p className="text-soft">{t.reply}</p>}
      <Facts invitation={invitation} />
      {!invitation.trusted && invitation.method === 'CANCEL' && (
        <p className="mt-2 text-warn">{t.untrusted}</p>
      )}
      {isAnswerable && (
        <div className="mt-3 flex flex-wrap items-center gap-2 print:hidden">
          {ANSWERS.map((each) => (
            <Button
              key={each}
              size="small"
              aria-pressed={answer === each}
              look={answer === each ? 'primary' : 'plain'}
              onClick={() => void act(() => send(each), { done: t.sent })}
            >
              {t.answers[each]}
            </Button>
          ))}
          {answer && <span className="text-[0.8125rem] text-soft">{t.answered[answer]}</span>}
        </div>
      )}
    </section>
  );
}

function Facts({ invitation }: { invitation: EventInvitation }) {
  const { organizer, attendees } = invitation;
  const people = attendees
    .slice(0, 20)
    .map(({ name, email, status }) => `${name ?? email} (${t.statuses[status] ?? status})`);
  const facts: [string, string][] = [
    [t.when, timeOf(invitation)],
    [t.repeats, invitation.recurrence ? describeRecurrence(invitation.recurrence) : ''],
    [t.changes, changesOf(invitation).join('\n')],
    [t.where, invitation.location],
    [t.organizer, organizer ? (organizer.name ?? organizer.email) : ''],
    [t.people, people.join(', ')],
  ];
  return (
    <dl className="mt-2 grid grid-cols-[5rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-[0.8125rem]">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="break-words whitespace-pre-line">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The dates of a series that are not as the series says. */
function changesOf({ exceptions, all_day: isAllDay }: EventInvitation): string[] {
  return exceptions.map(({ occurrence, start, end, status }) => {
    const was = timeOf({ start: occurrence, end: null, all_day: isAllDay });
    if (status === 'cancelled') return t.dateCancelled(was);
    return t.dateMoved(was, timeOf({ start, end, all_day: isAllDay }));
  });
}

function timeOf({
  start,
  end,
  all_day: isAllDay,
}: Pick<EventInvitation, 'start' | 'end' | 'all_day'>): string {
  if (!start) return '';
  // Whole days have no time zone.
  const format = new Intl.DateTimeFormat(
    texts.locale,
    isAllDay ? { dateStyle: 'full', timeZone: 'UTC' } : { dateStyle: 'full', timeStyle: 'short' },
  );
  if (!end) return format.format(new Date(start));
  // The end of a whole day is the beginning of the next.
  const last = new Date(new Date(end).getTime() - (isAllDay ? 1 : 0));
  return format.formatRange(new Date(start), last);
}
