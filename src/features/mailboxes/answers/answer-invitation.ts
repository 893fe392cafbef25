/** Answers an invitation (RFC 6047): sends a REPLY to the organiser and keeps the answer. */
import { sql } from 'kysely';
import { writeAnswer } from '../../../mail/calendar/invitation.ts';
import { foldMailboxes, foldText, formatDate } from '../../../mail/mime/header-encoding.ts';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { listOwnAddresses } from '../addresses/choose-sender.ts';
import { getMessage } from '../reading/messages.ts';
import { sendRaw } from '../writing/send-raw.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { EventInvitation, InvitationAnswerInput } from '../invitations/invitations.schema.ts';
import {
  INVITATION_COLUMN,
  presentInvitation,
  type StoredInvitation,
} from '../invitations/present-invitation.ts';

const VERBS = { accepted: 'Accepted', tentative: 'Tentative', declined: 'Declined' } as const;

type InvitedMessage = Row<'messages', 'id' | 'mailbox_id' | 'message_id'> & {
  invitation: StoredInvitation | null;
};

export async function answerInvitation(
  db: Db,
  caller: Caller,
  messageId: string,
  { answer, comment = null }: InvitationAnswerInput,
): Promise<EventInvitation> {
  // Checks that the caller may answer the message.
  await getMessage(db, caller, messageId, 'reply');
  return inTransaction(db, async (trx) => {
    const message = await lockMessage(trx, caller.teamId, messageId);
    const stored = message?.invitation;
    const shown = presentInvitation(stored ?? null);
    if (!message || !stored || !shown || shown.method !== 'REQUEST')
      throw badRequest('The message has no invitation that can be answered.');
    if (shown.status === 'cancelled') throw conflict('The event was cancelled.');
    const organizer = parseMailbox(shown.organizer?.email ?? '');
    if (!organizer) throw badRequest('The invitation names no organiser to answer to.');
    const mailbox = await requireMailbox(trx, caller, encodeId('mbx', message.mailbox_id));
    const own = await listOwnAddresses(trx, caller.teamId, mailbox);
    const invited = shown.attendees.find(({ email }) =>
      own.some(({ key }) => key === parseMailbox(email)?.key),
    );
    // Of a forwarded invitation, the mailbox itself is the new attendee.
    const from = own.find(({ key }) => key === parseMailbox(invited?.email ?? '')?.key) ?? own[0]!;
    const event = stored.latest?.event ?? stored.event;
    const calendar = writeAnswer(event, {
      attendee: { name: from.name, email: from.email },
      answer,
      comment: comment ?? null,
      now: new Date(),
    });
    const subject = `${VERBS[answer]}: ${shown.summary}`.slice(0, 900).toWellFormed();
    const text = `${from.name ?? from.email}: ${VERBS[answer].toLowerCase()}${comment ? `\n\n${comment}` : ''}\n`;
    await sendRaw(
      trx,
      {
        teamId: caller.teamId,
        mailboxId: mailbox.id,
        address: mailbox.address,
        addressKey: mailbox.address_key,
        userId: userKeyOf(caller),
        sender: caller,
      },
      {
        raw: composeReply({
          from,
          to: organizer.email,
          subject,
          text,
          calendar,
          inReplyTo: message.message_id,
        }),
        recipients: [organizer],
      },
    );
    await sql`
      update message_invitations set answer = ${answer}, answered_at = now()
      where team_id = ${caller.teamId} and mailbox_id = ${message.mailbox_id} and uid = ${event.uid}
        and recurrence_id = ${event.recurrenceId ?? ''}
    `.execute(trx);
    return { ...shown, answer };
  });
}

async function lockMessage(trx: Db, teamId: number, messageId: string): Promise<InvitedMessage | undefined> {
  const { rows } = await sql<InvitedMessage>`
    select m.id, m.mailbox_id, m.message_id, ${INVITATION_COLUMN} from messages m
    where m.team_id = ${teamId} and m.id = ${decodeId('msg', messageId)} for update of m
  `.execute(trx);
  return rows[0];
}

interface ReplyParts {
  from: NamedAddress;
  to: string;
  subject: string;
  text: string;
  calendar: string;
  inReplyTo: string | null;
}

/** The calendar is an alternative of the text, as calendars expect it. */
function composeReply({ from, to, subject, text, calendar, inReplyTo }: ReplyParts): Buffer {
  const boundary = `=_${newUuid().replaceAll('-', '')}`;
  const part = (type: string, content: string) => [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(content)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
  ];
  return Buffer.from(
    [
      foldMailboxes('From', [from]),
      `To: ${to}`,
      foldText('Subject', subject),
      `Date: ${formatDate(new Date())}`,
      ...(inReplyTo ? [`In-Reply-To: ${inReplyTo}`, `References: ${inReplyTo}`] : []),
      'MIME-Version: 1.0',
      `Content-Type: multipart/alternative; boundary="${boundary}"`,
      '',
      ...part('text/plain', text),
      ...part('text/calendar; method=REPLY', calendar),
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  );
}
