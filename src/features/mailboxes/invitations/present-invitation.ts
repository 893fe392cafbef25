/** The invitation of a message as it stands now: with the latest update or cancellation of its organiser. */
import { sql } from 'kysely';
import {
  MAX_EXCEPTIONS,
  type CalendarEvent,
  type CalendarException,
} from '../../../mail/calendar/invitation.ts';
import type { EventInvitation } from './invitations.schema.ts';

/** Events that were stored by earlier versions lack the newer fields. */
type StoredEvent = Omit<CalendarEvent, 'occurrence' | 'exceptions'> &
  Partial<Pick<CalendarEvent, 'occurrence' | 'exceptions'>>;

interface SentEvent {
  event: StoredEvent;
  method: string;
}

/** What INVITATION_COLUMN reads. */
export interface StoredInvitation {
  event: StoredEvent;
  trusted: boolean;
  answer: EventInvitation['answer'];
  /** The latest event that the organiser has sent about it. */
  latest: SentEvent | null;
  /** Of a series: the latest event that the organiser has sent about each single date. */
  dates: SentEvent[] | null;
}

/** What the organiser has sent about the same event as the invitation `i`. */
const OF_ORGANIZER = sql`(
  u.team_id = i.team_id and u.mailbox_id = i.mailbox_id and u.uid = i.uid and u.organizer_key = i.organizer_key
  and u.is_trusted and i.is_trusted and u.method in ('REQUEST', 'CANCEL') and i.method = 'REQUEST'
)`;

/**
 * A column for a statement with messages `m`. One look-up for a message without an invitation. A date of a series
 * follows what was sent about that date, and the cancellation of the series.
 */
export const INVITATION_COLUMN = sql`(
  select json_build_object('event', i.event, 'trusted', i.is_trusted, 'answer', i.answer, 'latest', (
    select json_build_object('event', u.event, 'method', u.method) from message_invitations u
    where ${OF_ORGANIZER} and (
      u.recurrence_id = i.recurrence_id and u.sequence >= i.sequence
      or i.recurrence_id <> '' and u.recurrence_id = '' and u.method = 'CANCEL' and u.created_at > i.created_at
    )
    order by u.recurrence_id = i.recurrence_id, u.sequence desc, u.created_at desc, u.message_id desc limit 1
  ), 'dates', (
    select json_agg(json_build_object('event', d.event, 'method', d.method)) from (
      select distinct on (u.recurrence_id) u.event, u.method from message_invitations u
      where ${OF_ORGANIZER} and i.recurrence_id = '' and u.recurrence_id <> ''
      order by u.recurrence_id, u.sequence desc, u.created_at desc, u.message_id desc limit ${MAX_EXCEPTIONS}
    ) d
  ))
  from message_invitations i where i.team_id = m.team_id and i.message_id = m.id
) as invitation`;

export function presentInvitation(stored: StoredInvitation | null): EventInvitation | null {
  if (!stored) return null;
  const { event: own, trusted, answer, latest, dates } = stored;
  const isCancelled = latest?.method === 'CANCEL' || own.method === 'CANCEL';
  // A cancellation often has no more than the UID.
  const event = latest && latest.method !== 'CANCEL' ? latest.event : own;
  return {
    method: own.method,
    uid: own.uid,
    sequence: latest?.event.sequence ?? own.sequence,
    summary: event.summary,
    location: event.location,
    start: event.start,
    end: event.end,
    all_day: event.isAllDay,
    recurrence: event.recurrence,
    occurrence: event.occurrence ?? null,
    exceptions: presentExceptions(event, dates ?? []),
    organizer: event.organizer,
    attendees: event.attendees.map(({ name, email, status, isOptional }) => ({
      name,
      email,
      status,
      optional: isOptional,
    })),
    status: isCancelled ? 'cancelled' : event.status,
    answer,
    trusted,
  };
}

/** What was sent about a single date later replaces what the series says about it. */
function presentExceptions(series: StoredEvent, dates: readonly SentEvent[]): EventInvitation['exceptions'] {
  const sent = dates.flatMap(({ event, method }) => [
    ...(event.exceptions ?? []),
    ...toException(event, method === 'CANCEL' || event.status === 'cancelled'),
  ]);
  const byDate = new Map([...(series.exceptions ?? []), ...sent].map((each) => [each.occurrence, each]));
  return [...byDate.values()]
    .toSorted((one, other) => one.occurrence.localeCompare(other.occurrence))
    .slice(0, MAX_EXCEPTIONS)
    .map(({ occurrence, start, end, isCancelled }) => ({
      occurrence,
      start,
      end,
      status: isCancelled ? 'cancelled' : 'moved',
    }));
}

function toException({ occurrence, start, end }: StoredEvent, isCancelled: boolean): CalendarException[] {
  if (!occurrence) return [];
  return [{ occurrence, isCancelled, start: isCancelled ? null : start, end: isCancelled ? null : end }];
}
