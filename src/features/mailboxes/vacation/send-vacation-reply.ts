/**
 * Sends an automatic reply. A person gets one reply from a mailbox in seven days (RFC 5230 section 4.1), and a mailbox
 * sends at most 200 a day, because senders can be forged. The reply is not stored in a folder.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { JobPayloads } from '../../jobs/jobs.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { formatPerson } from '../storage/participants.ts';
import { cleanOwnHtml } from '../storage/own-html.ts';
import { readVacation, type VacationResponse } from './vacation-response.ts';

const DAYS_BETWEEN = 7;
const MAX_A_DAY = 200;
const AT_ONCE = 1_000;
const DEFAULT_TEXT = 'Thank you for your message. I am away and will reply when I am back.';
/** RFC 3834 section 5. */
const HEADERS = { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' };

export async function sendVacationReply(db: Db, payload: JobPayloads['send-vacation-reply']): Promise<void> {
  const { teamId, mailboxId, messageId, address } = payload;
  const recipient = parseMailbox(address);
  const vacation = await readVacation(db, { teamId, mailboxId });
  // The automatic reply may have been turned off in the meantime.
  if (!vacation.isEnabled || !recipient) return;
  const html = vacation.htmlBody && (await cleanOwnHtml(vacation.htmlBody));
  await inTransaction(db, async (trx) => {
    const mailbox = await findMailbox(trx, payload);
    const message = await findMessage(trx, teamId, messageId);
    if (!mailbox || !message) return;
    if ((await findHeldDomain(trx, teamId, mailbox.domain)) === undefined) return;
    if (!(await claimReply(trx, payload, recipient.key))) return;
    const content = {
      kind: 'fields' as const,
      leavesAt: null,
      reply: message.messageId && {
        inReplyTo: message.messageId,
        references: [...message.references, message.messageId],
      },
      email: {
        from: toMailbox(formatPerson(mailbox)),
        to: [{ ...recipient, given: address }],
        subject: subjectOf(vacation, message.subject),
        html: html || null,
        text: vacation.textBody ?? (html ? undefined : DEFAULT_TEXT),
        headers: HEADERS,
      },
    };
    await submit(trx, {
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: { ...content, reply: content.reply || null },
    });
  });
}

function subjectOf({ subject }: VacationResponse, original: string): string {
  return (subject ?? `Auto: ${original}`).slice(0, 998).toWellFormed();
}

async function findMailbox(trx: Db, { teamId, mailboxId }: JobPayloads['send-vacation-reply']) {
  const { rows } = await sql<Row<'mailboxes', 'address' | 'name' | 'domain'>>`
    select address, name, domain from mailboxes where team_id = ${teamId} and id = ${mailboxId}
  `.execute(trx);
  return rows[0];
}

async function findMessage(trx: Db, teamId: number, id: string) {
  const { rows } = await sql<
    CamelRow<'messages', 'message_id' | 'subject'> & { references: Row<'messages'>['reference_ids'] }
  >`
    select message_id as "messageId", reference_ids as "references", subject
    from messages where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  return rows[0];
}

/**
 * A reply in the future dates from before the database's clock was set back, and counts no more.
 * Returns false if this person recently got a reply, or the mailbox has sent too many today.
 */
async function claimReply(
  trx: Db,
  { teamId, mailboxId }: JobPayloads['send-vacation-reply'],
  addressKey: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into vacation_replies as r (team_id, mailbox_id, address_key)
    select ${teamId}::integer, ${mailboxId}::uuid, ${addressKey} where (
      select count(*) from vacation_replies
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and replied_at between now() - interval '1 day' and now()
    ) < ${MAX_A_DAY}
    on conflict (team_id, mailbox_id, address_key) do update set replied_at = now()
      where r.replied_at not between now() - make_interval(days => ${DAYS_BETWEEN}) and clock_timestamp()
    returning 1
  `.execute(trx);
  return rows.length > 0;
}

export async function dropOldVacationReplies(db: Db): Promise<void> {
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from vacation_replies where (team_id, mailbox_id, address_key) in (
        select team_id, mailbox_id, address_key from vacation_replies
        where replied_at < now() - make_interval(days => ${DAYS_BETWEEN}) order by replied_at limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
