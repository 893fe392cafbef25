/**
 * Records reports of other servers about a message that they accepted: it bounced, is delayed or was marked as spam.
 * A report that arrives at the signed return path of a message counts for that message's recipient, regardless of the
 * address that it names. Only servers that received the message know the path, so nobody can suppress other addresses.
 * If the report is about another email of ours (by Message-ID), it only adds an event to that email. Such events are
 * limited, because anyone who knows a return path could otherwise add any number of events.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { readReport, type BouncedRecipient, type Report } from '../../../mail/bounces/parse-report.ts';
import { bounceReason, type BounceReason } from '../../../mail/bounces/bounce-reason.ts';
import { failureClass } from '../../../mail/bounces/failure-class.ts';
import { classifyBounce } from '../../../mail/bounces/classify-bounce.ts';
import {
  databaseNow,
  inTransaction,
  lockNumber,
  statement,
  toJson,
  type Db,
} from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { storeLedgerEmails } from '../../sending/ledger/store-emails.ts';
import { suppressAddresses } from '../../sending/suppressions/suppressions.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { checkBrakesLater } from '../../jobs/check-brakes-later.ts';
import type { ReturnPaths, SentTo } from './return-paths.ts';
import { ASKED_BY, statusOf } from './report-status.ts';
import {
  appendEvent,
  RECORD_RESULTS,
  toResultRow,
  RESULT_COLUMNS,
  type NewEvent,
} from '../../sending/email-events/record-results.ts';

interface Finding {
  status: 'BOUNCED' | 'DELIVERY_DELAYED' | 'COMPLAINED';
  isHardBounce: boolean;
  bounceReason: BounceReason | null;
  suppressAs: 'HARD_BOUNCE' | 'COMPLAINT' | null;
  data: object;
}

interface Recipient extends SentTo, CamelRow<'email_recipients', 'address' | 'address_key' | 'status'> {
  messageId: Row<'emails'>['message_id'];
}

/** Later statuses that a report does not override. Repeating a report changes nothing. */
const ALREADY: Record<Finding['status'], string[]> = {
  BOUNCED: ['BOUNCED', 'COMPLAINED'],
  DELIVERY_DELAYED: ['BOUNCED', 'COMPLAINED'],
  COMPLAINED: ['COMPLAINED'],
};

/** Limit of report events per recipient of an email, and for the email itself. */
const MAX_NOTES = 5;

interface RecordOptions {
  /** False for simulated reports. */
  suppresses: boolean;
}

/** Returns false when the report was dropped because of MAX_NOTES. */
export async function recordReport(
  db: Db,
  sentTo: SentTo,
  raw: Buffer,
  options: RecordOptions = { suppresses: true },
): Promise<boolean> {
  const report = readReport(raw);
  return isAboutDelivery(report) ? record(db, sentTo, report, options) : true;
}

/**
 * Records a report to a role address, such as abuse@ or fbl@. It counts only if it quotes the signed return path of the
 * message, as Original-Mail-From, Return-Path and SPF results do. A Message-ID or Feedback-ID proves nothing: everyone
 * who gets the email forwarded knows them, and could then suppress the recipient. Returns false for all other mail.
 */
export async function recordQuotedReport(db: Db, returnPaths: ReturnPaths, raw: Buffer): Promise<boolean> {
  const report = readReport(raw);
  if (!isAboutDelivery(report)) return false;
  const sentTo = await returnPaths.findQuoted(db, raw.toString('latin1'));
  if (!sentTo) return false;
  await record(db, sentTo, report, { suppresses: true });
  return true;
}

type DeliveryReport = Extract<Report, { kind: 'bounce' | 'complaint' }>;

function isAboutDelivery(report: Report): report is DeliveryReport {
  return report.kind === 'bounce' || report.kind === 'complaint';
}

async function record(
  db: Db,
  sentTo: SentTo,
  report: DeliveryReport,
  { suppresses }: RecordOptions,
): Promise<boolean> {
  const isKept = await inTransaction(db, async (trx) => {
    await storeLedgerEmails(trx, [sentTo]);
    const recipient = await lockRecipient(trx, sentTo);
    if (recipient && report.kind === 'bounce') await passOnReport(trx, recipient, report.recipients);
    const finding = recipient && toFinding(report, recipient.addressKey);
    if (!finding) return true;
    const at = await databaseNow(trx);
    const other = await findOtherEmail(trx, recipient, report.originalMessageId);
    if (other) return addNote(trx, { ...finding, ...other, recipient: null, at });
    return apply(trx, recipient, suppresses ? finding : { ...finding, suppressAs: null }, at);
  });
  await checkBrakesLater(db, sentTo.teamId);
  return isKept;
}

/** Tells a sender that asked for delivery reports over SMTP what the other server has reported. */
async function passOnReport(
  trx: Db,
  { teamId, emailId, recipientNo, addressKey }: Recipient,
  reported: BouncedRecipient[],
): Promise<void> {
  const { rows } = await sql<Row<'email_envelopes', 'notify'>>`
    select notify from email_envelopes
    where team_id = ${teamId} and email_id = ${emailId} and recipient_no = ${recipientNo} and sender <> ''
  `.execute(trx);
  const notify = rows[0]?.notify;
  if (!notify) return;
  const about = worstOf(reported, addressKey) ?? reported[0]!;
  const action = about.action === 'expanded' ? 'delivered' : about.action;
  if (!notify.includes(ASKED_BY[action])) return;
  await enqueue(trx, 'send-delivery-report', {
    teamId,
    emailId,
    recipientNo,
    action,
    status: statusOf(action, about.status),
    diagnostic: about.diagnostic,
    host: null,
  });
}

async function apply(trx: Db, recipient: Recipient, finding: Finding, at: Date): Promise<boolean> {
  if (ALREADY[finding.status].includes(recipient.status)) return true;
  const { teamId, emailId, recipientNo, address, addressKey } = recipient;
  const { status, isHardBounce, bounceReason: reason, data, suppressAs } = finding;
  const result = {
    teamId,
    emailId,
    no: recipientNo,
    recipient: address,
    status,
    isHardBounce,
    bounceReason: reason,
    data,
    at,
  };
  if (status === 'DELIVERY_DELAYED') return addNote(trx, result);
  // The report may arrive before its delivery is recorded as sent. That recording then finds the delivery gone.
  await statement(trx)`
    with finished as (
      delete from deliveries where team_id = ${teamId} and email_id = ${emailId} and recipient_no = ${recipientNo}
      returning attempts
    ), result as materialized (
      select t.*, coalesce((select attempts = 0 from finished), false) as is_first,
        ${addressKey}::text as address_key, ${recipient.status}::text as was,
        true as moves
      from json_to_recordset(${toJson([toResultRow(result)])}::json) as t (${RESULT_COLUMNS})
    ), ${RECORD_RESULTS}
    select from result`;
  if (suppressAs) await suppressAddresses(trx, suppressAs, [{ teamId, address }]);
  return true;
}

/**
 * Adds an event and changes nothing else, unless the same event exists. An advisory lock serialises reports
 * about the same email. It is the last lock that a report takes, so two reports about each other's emails
 * cannot deadlock.
 */
async function addNote(trx: Db, event: NewEvent): Promise<boolean> {
  const lock = lockNumber(`events of reports ${event.emailId}`);
  await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx);
  const { rows } = await sql<{ count: number; isThere: boolean }>`
    select count(*)::integer as count, coalesce(bool_or(
      type = ${`email.${event.status.toLowerCase()}`} and data = ${JSON.stringify(event.data)}::jsonb), false) as "isThere"
    from events
    where team_id = ${event.teamId} and subject_id = ${event.emailId}
      and recipient is not distinct from ${event.recipient} and data ->> 'source' = 'report'
  `.execute(trx);
  const { count, isThere } = rows[0]!;
  if (isThere) return true;
  if (count >= MAX_NOTES) return false;
  await appendEvent(trx, event);
  return true;
}

/**
 * Locks the delivery, the email and the recipient in the same order as outcomes.ts, because a report can arrive
 * before the outcome of its delivery is committed.
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

/** Ignores an unknown Message-ID, because some relays replace it. */
async function findOtherEmail(trx: Db, { teamId, messageId }: Recipient, reported: string | null) {
  if (reported === null || reported === messageId) return undefined;
  const { rows } = await sql<CamelRow<'emails', 'team_id'> & { emailId: Row<'emails'>['id'] }>`
    select team_id as "teamId", id as "emailId" from emails
    where team_id = ${teamId} and message_id = ${reported} order by id desc limit 1
  `.execute(trx);
  return rows[0];
}

function toFinding(report: DeliveryReport, addressKey: string): Finding | null {
  if (report.kind === 'complaint') {
    const data = { feedbackType: report.feedbackType, source: 'report' };
    return { status: 'COMPLAINED', isHardBounce: false, bounceReason: null, suppressAs: 'COMPLAINT', data };
  }
  const about = worstOf(report.recipients, addressKey);
  if (!about) return null;
  const { suppress } = classifyBounce(about);
  const isFinal = about.action === 'failed';
  // A failure with a temporary code means that the remote server stopped retrying.
  const isHardBounce = isFinal && !about.status?.startsWith('4');
  return {
    status: isFinal ? 'BOUNCED' : 'DELIVERY_DELAYED',
    isHardBounce,
    bounceReason: isFinal
      ? bounceReason({
          enhanced: about.status,
          text: about.diagnostic ?? '',
          isBadAddress: suppress,
          gaveUp: !isHardBounce,
        })
      : null,
    suppressAs: isFinal && suppress ? 'HARD_BOUNCE' : null,
    data: {
      enhanced: about.status,
      class: failureClass({ code: null, enhanced: about.status, text: about.diagnostic ?? '' }),
      reason: about.diagnostic ?? 'The message was returned.',
      reportedRecipient: about.recipient,
      source: 'report',
      ...(isFinal ? { bounceType: isHardBounce ? 'hard' : 'soft' } : {}),
    },
  };
}

/** Prefers the part about our recipient. The report of a forwarded message may name only other addresses. */
function worstOf(recipients: BouncedRecipient[], addressKey: string): BouncedRecipient | undefined {
  const ours = recipients.filter(({ recipient }) => recipient && parseAddress(recipient)?.key === addressKey);
  const about = ours.length > 0 ? ours : recipients;
  return about.find(({ action }) => action === 'failed') ?? about.find(({ action }) => action === 'delayed');
}
