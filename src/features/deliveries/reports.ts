/**
 * What other servers report after they took a letter: that it failed after all, is late, or was called spam. A report
 * that came to the signed return path of a letter is believed about that letter's recipient, whatever address it
 * names: only who got the letter knows the path, so nobody can suppress anybody else. One that came there but is
 * about another email of ours, by its Message-ID, leaves a note with that email and changes nothing. Reports that leave
 * only a note are limited: whoever has the return path could otherwise add events without end.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { readReport, type BouncedRecipient, type Report } from '../../mail/bounce.ts';
import { judgeBounce } from '../../mail/judge-bounce.ts';
import {
  databaseNow,
  inTransaction,
  lockNumber,
  statement,
  toJson,
  type Db,
} from '../../platform/database.ts';
import { suppressAddresses } from '../suppressions/suppressions.ts';
import type { SentTo } from './return-paths.ts';
import { appendEvent, SETTLE_TURNS, toTurnRow, TURN_COLUMNS, type NewEvent } from './settle.ts';

interface Finding {
  status: 'BOUNCED' | 'DELIVERY_DELAYED' | 'COMPLAINED';
  isHardBounce: boolean;
  suppressAs: 'HARD_BOUNCE' | 'COMPLAINT' | null;
  data: object;
}

interface Recipient extends SentTo {
  address: string;
  addressKey: string;
  status: string;
  messageId: string;
}

/** What a recipient is once, it stays: the same report again changes nothing. */
const ALREADY: Record<Finding['status'], string[]> = {
  BOUNCED: ['BOUNCED', 'COMPLAINED'],
  DELIVERY_DELAYED: ['BOUNCED', 'COMPLAINED'],
  COMPLAINED: ['COMPLAINED'],
};

/** How many events of reports one recipient of an email can have, and how many the email itself. */
const MAX_NOTES = 5;

/** False for a report that was dropped because there are enough of them. */
export async function recordReport(db: Db, sentTo: SentTo, raw: Buffer): Promise<boolean> {
  const report = await readReport(raw);
  if (report.kind !== 'bounce' && report.kind !== 'complaint') return true;
  return inTransaction(db, async (trx) => {
    const recipient = await lockRecipient(trx, sentTo);
    const finding = recipient && toFinding(report, recipient.addressKey);
    if (!finding) return true;
    const at = await databaseNow(trx);
    const other = await findOtherEmail(trx, recipient, report.originalMessageId);
    if (other) return note(trx, { ...finding, ...other, recipient: null, at });
    return apply(trx, recipient, finding, at);
  });
}

async function apply(trx: Db, recipient: Recipient, finding: Finding, at: Date): Promise<boolean> {
  if (ALREADY[finding.status].includes(recipient.status)) return true;
  const { teamId, emailId, recipientNo, address } = recipient;
  const { status, isHardBounce, data, suppressAs } = finding;
  const turn = {
    teamId,
    emailId,
    no: recipientNo,
    recipient: address,
    status,
    isHardBounce,
    data,
    at,
  };
  if (status === 'DELIVERY_DELAYED') return note(trx, turn);
  // Still in the queue: the report was quicker than whoever writes down that it was sent, and who now finds it gone.
  await statement(trx)`
    with finished as (
      delete from deliveries where team_id = ${teamId} and email_id = ${emailId} and recipient_no = ${recipientNo}
      returning attempts
    ), turn as materialized (
      select t.*, coalesce((select attempts = 0 from finished), false) as is_first, ${recipient.status}::text as was,
        true as moves
      from json_to_recordset(${toJson([toTurnRow(turn)])}::json) as t (${TURN_COLUMNS})
    ), ${SETTLE_TURNS}
    select from turn`;
  if (suppressAs) await suppressAddresses(trx, suppressAs, [{ teamId, address }]);
  return true;
}

/**
 * An event and nothing else, unless the same is there. Reports about the same email wait for each other here, by a lock
 * that is the last one a report takes: two reports that each came for the other's email never wait in a circle.
 */
async function note(trx: Db, event: NewEvent): Promise<boolean> {
  const lock = lockNumber(`events of reports ${event.emailId}`);
  await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx);
  const { rows } = await sql<{ count: number; isThere: boolean }>`
    select count(*)::integer as count, coalesce(bool_or(
      status = ${event.status} and data = ${JSON.stringify(event.data)}::jsonb), false) as "isThere"
    from email_events
    where team_id = ${event.teamId} and email_id = ${event.emailId}
      and recipient is not distinct from ${event.recipient} and data ->> 'source' = 'report'
  `.execute(trx);
  const { count, isThere } = rows[0]!;
  if (isThere) return true;
  if (count >= MAX_NOTES) return false;
  await appendEvent(trx, event);
  return true;
}

/**
 * Locks the delivery, the email and the recipient, in the order in which outcomes are written: a report can arrive
 * before the outcome of its own delivery is committed.
 */
async function lockRecipient(trx: Db, sentTo: SentTo): Promise<Recipient | undefined> {
  await sql`
    select from deliveries
    where team_id = ${sentTo.teamId} and email_id = ${sentTo.emailId} and recipient_no = ${sentTo.recipientNo}
    for update
  `.execute(trx);
  await sql`
    select from emails where team_id = ${sentTo.teamId} and id = ${sentTo.emailId} for update
  `.execute(trx);
  const { rows } = await sql<Recipient>`
    select r.team_id as "teamId", r.email_id as "emailId", r.no as "recipientNo", r.address,
      r.address_key as "addressKey", r.status, e.message_id as "messageId"
    from email_recipients r join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${sentTo.teamId} and r.email_id = ${sentTo.emailId} and r.no = ${sentTo.recipientNo}
    for update of r
  `.execute(trx);
  return rows[0];
}

/** A Message-ID that is none of ours says nothing: some relays give every message a new one. */
async function findOtherEmail(trx: Db, { teamId, messageId }: Recipient, reported: string | null) {
  if (reported === null || reported === messageId) return undefined;
  const { rows } = await sql<{ teamId: number; emailId: string }>`
    select team_id as "teamId", id as "emailId" from emails
    where team_id = ${teamId} and message_id = ${reported} order by id desc limit 1
  `.execute(trx);
  return rows[0];
}

function toFinding(
  report: Extract<Report, { kind: 'bounce' | 'complaint' }>,
  addressKey: string,
): Finding | null {
  if (report.kind === 'complaint') {
    const data = { feedbackType: report.feedbackType, source: 'report' };
    return { status: 'COMPLAINED', isHardBounce: false, suppressAs: 'COMPLAINT', data };
  }
  const about = worstOf(report.recipients, addressKey);
  if (!about) return null;
  const { suppress } = judgeBounce(about);
  const isFinal = about.action === 'failed';
  // What failed with a temporary code failed by waiting.
  const isHardBounce = isFinal && !about.status?.startsWith('4');
  return {
    status: isFinal ? 'BOUNCED' : 'DELIVERY_DELAYED',
    isHardBounce,
    suppressAs: isFinal && suppress ? 'HARD_BOUNCE' : null,
    data: {
      enhanced: about.status,
      reason: about.diagnostic ?? 'The message came back.',
      reportedRecipient: about.recipient,
      source: 'report',
      ...(isFinal ? { bounceType: isHardBounce ? 'hard' : 'soft' } : {}),
    },
  };
}

/** What is said of our recipient; where the address was forwarded and ours is not named, of anyone. */
function worstOf(recipients: BouncedRecipient[], addressKey: string): BouncedRecipient | undefined {
  const ours = recipients.filter(({ recipient }) => recipient && parseAddress(recipient)?.key === addressKey);
  const about = ours.length > 0 ? ours : recipients;
  return about.find(({ action }) => action === 'failed') ?? about.find(({ action }) => action === 'delayed');
}
