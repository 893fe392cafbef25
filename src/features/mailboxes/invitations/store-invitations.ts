/** Keeps the invitations in received messages, in the transaction that stores the messages. */
import { sql } from 'kysely';
import { readInvitation, type CalendarEvent } from '../../../mail/calendar/invitation.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { verdictOf } from '../storage/verdict.ts';

const MAX_BYTES = 500_000;

export interface ArrivedInvitation {
  event: CalendarEvent;
  organizerKey: string;
  isTrusted: boolean;
}

/** Pure. Null if the message has no invitation. */
export function findInvitation(
  { attachments, from }: Pick<ParsedMessage, 'attachments' | 'from'>,
  { authentication, isSpam }: { authentication: { dmarc: string } | null; isSpam: boolean },
): ArrivedInvitation | null {
  const file = attachments.find(
    ({ contentType, filename, content }) =>
      content.length <= MAX_BYTES &&
      (/^text\/calendar\b|^application\/ics\b/i.test(contentType) || /\.ics$/i.test(filename ?? '')),
  );
  const event = file && readInvitation(file.content.toString('utf8').replaceAll('\0', ''));
  if (!event) return null;
  const organizerKey = parseAddress(event.organizer?.email ?? '')?.key ?? '';
  const senderKey = parseAddress(from?.address ?? '')?.key;
  const isTrusted = !isSpam && verdictOf(authentication) !== 'fail' && senderKey === organizerKey;
  return { event, organizerKey, isTrusted };
}

export interface InvitationToStore extends ArrivedInvitation {
  teamId: number;
  mailboxId: string;
  messageId: string;
}

export async function storeInvitations(trx: Db, invitations: readonly InvitationToStore[]): Promise<void> {
  if (invitations.length === 0) return;
  const rows = invitations.map(({ teamId, mailboxId, messageId, event, organizerKey, isTrusted }) => ({
    team_id: teamId,
    mailbox_id: mailboxId,
    message_id: messageId,
    uid: event.uid,
    recurrence_id: event.recurrenceId ?? '',
    sequence: event.sequence,
    method: event.method,
    organizer_key: organizerKey,
    event,
    is_trusted: isTrusted,
  }));
  await sql`
    insert into message_invitations (team_id, mailbox_id, message_id, uid, recurrence_id, sequence, method, organizer_key,
      event, is_trusted)
    select team_id, mailbox_id, message_id, uid, recurrence_id, sequence, method, organizer_key, event, is_trusted
    from json_to_recordset(${toJson(rows)}::json) as i (team_id integer, mailbox_id uuid, message_id uuid, uid text,
      recurrence_id text, sequence integer, method text, organizer_key text, event jsonb, is_trusted boolean)
  `.execute(trx);
}
