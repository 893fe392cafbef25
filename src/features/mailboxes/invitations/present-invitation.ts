/** The invitation of a message as it stands now: with the latest update or cancellation of its organiser. */
import { sql } from 'kysely';
import type { CalendarEvent } from '../../../mail/calendar/invitation.ts';
import type { EventInvitation } from './invitations.schema.ts';

/** What INVITATION_COLUMN reads. */
export interface StoredInvitation {
  event: CalendarEvent;
  trusted: boolean;
  answer: EventInvitation['answer'];
  /** The latest event that the organiser has sent about it. */
  latest: { event: CalendarEvent; method: string } | null;
}

/** A column for a statement with messages `m`. One look-up for a message without an invitation. */
export const INVITATION_COLUMN = sql`(
  select json_build_object('event', i.event, 'trusted', i.is_trusted, 'answer', i.answer, 'latest', (
    select json_build_object('event', u.event, 'method', u.method) from message_invitations u
    where u.team_id = i.team_id and u.mailbox_id = i.mailbox_id and u.uid = i.uid
      and u.recurrence_id in (i.recurrence_id, '') and u.organizer_key = i.organizer_key and u.is_trusted
      and i.is_trusted and u.method in ('REQUEST', 'CANCEL') and i.method = 'REQUEST' and u.sequence >= i.sequence
    order by u.sequence desc, u.created_at desc, u.message_id desc limit 1
  ))
  from message_invitations i where i.team_id = m.team_id and i.message_id = m.id
) as invitation`;

export function presentInvitation(stored: StoredInvitation | null): EventInvitation | null {
  if (!stored) return null;
  const { event: own, trusted, answer, latest } = stored;
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
