/**
 * Sends a delivery report to the sender of an email that asked for it over SMTP (RFC 3461). A report is an email of the
 * team with the null return path, so there is never a report about a report. Each action is reported once.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { composeReport } from '../../../mail/bounces/compose-report.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue, type ReportedDelivery } from '../../jobs/jobs.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import { submit } from '../../sending/emails/submit.ts';

/** A larger message is returned as its headers. */
const MAX_RETURNED_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

type ReportedEmail = CamelRow<'email_envelopes', 'sender' | 'ret' | 'envid' | 'orcpt' | 'requires_tls'> &
  CamelRow<'emails', 'message_id' | 'subject' | 'created_at'> & {
    recipient: Row<'email_recipients'>['address'];
    domain: Row<'domains'>['name'];
  };

export async function sendDeliveryReport(
  db: Db,
  facts: Pick<Facts, 'mailHost' | 'wakeDeliveryWorkers'>,
  report: ReportedDelivery,
): Promise<void> {
  const { teamId, emailId, action, status, diagnostic, host } = report;
  const raw = await readContent(db, teamId, emailId);
  await inTransaction(db, async (trx) => {
    const email = await claimReport(trx, report);
    const to = email && parseAddress(email.sender);
    if (!email || !to) return;
    // The team may have lost one of the domains since.
    for (const domain of [email.domain, to.domain])
      if ((await findHeldDomain(trx, teamId, domain)) === undefined) return;
    const composed = composeReport({
      ...email,
      reportingMta: facts.mailHost,
      from: `postmaster@${email.domain}`,
      to: to.email,
      date: new Date(),
      arrivedAt: email.createdAt,
      action,
      status,
      diagnostic,
      host,
      returned: raw && chooseReturned(raw, email, action),
    });
    await submit(trx, {
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: { kind: 'raw', raw: composed, recipients: [to], envelope: NULL_SENDER },
    });
  });
  facts.wakeDeliveryWorkers();
}

const NULL_SENDER = {
  sender: '',
  ret: null,
  envid: null,
  requiresTls: false,
  recipients: new Map<string, never>(),
  isReport: true,
};

/** Returns undefined if this was reported before, or if the email is gone. */
async function claimReport(
  trx: Db,
  { teamId, emailId, recipientNo, action }: ReportedDelivery,
): Promise<ReportedEmail | undefined> {
  const { rows } = await sql<ReportedEmail>`
    update email_envelopes v set reported = v.reported || ${action}::text
    from emails e, email_recipients r, domains d
    where v.team_id = ${teamId} and v.email_id = ${emailId} and v.recipient_no = ${recipientNo}
      and v.sender <> '' and not ${action}::text = any(v.reported)
      and e.team_id = v.team_id and e.id = v.email_id
      and r.team_id = v.team_id and r.email_id = v.email_id and r.no = v.recipient_no
      and d.team_id = e.team_id and d.id = e.domain_id
    returning v.sender, v.ret, v.envid, v.orcpt, v.requires_tls as "requiresTls", e.message_id as "messageId",
      e.subject, e.created_at as "createdAt", r.address as recipient, d.name as domain
  `.execute(trx);
  return rows[0];
}

/** The whole message only after a failure, if the sender asked for it, and never without the TLS that it requires. */
function chooseReturned(
  raw: Buffer,
  { ret, requiresTls }: ReportedEmail,
  action: ReportedDelivery['action'],
): { raw: Buffer; isWhole: boolean } {
  const isWhole = action === 'failed' && ret === 'FULL' && !requiresTls && raw.length <= MAX_RETURNED_BYTES;
  if (isWhole) return { raw, isWhole };
  const end = raw.indexOf('\r\n\r\n');
  return { raw: raw.subarray(0, Math.min(end < 0 ? raw.length : end + 2, MAX_HEADER_BYTES)), isWhole };
}

/** Runs when the email leaves. Its suppressed recipients have no delivery, so nothing else reports about them. */
export async function reportSuppressedRecipients(db: Db, teamId: number, emailId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await waitForRelease(trx, teamId, emailId)) return;
    const { rows } = await sql<CamelRow<'email_envelopes', 'recipient_no'>>`
      select v.recipient_no as "recipientNo" from email_envelopes v
      join email_recipients r on r.team_id = v.team_id and r.email_id = v.email_id and r.no = v.recipient_no
      where v.team_id = ${teamId} and v.email_id = ${emailId} and r.status = 'SUPPRESSED'
        and v.notify like '%FAILURE%' and v.sender <> ''
    `.execute(trx);
    for (const { recipientNo } of rows)
      await enqueue(trx, 'send-delivery-report', {
        teamId,
        emailId,
        recipientNo,
        action: 'failed',
        status: '5.1.1',
        diagnostic: 'The address is on the suppression list of the sender, so nothing was sent to it.',
        host: null,
      });
  });
}

/** The email may have been rescheduled, or its release may be late. Returns true if it waits, and tries again then. */
async function waitForRelease(trx: Db, teamId: number, emailId: string): Promise<boolean> {
  const { rows } = await sql<{ at: Date }>`
    select greatest(scheduled_at, now()) + interval '5 seconds' as at from emails
    where team_id = ${teamId} and id = ${emailId} and status = 'SCHEDULED'
  `.execute(trx);
  if (!rows[0]) return false;
  await enqueue(trx, 'report-suppressed-recipients', { teamId, emailId }, { runAt: rows[0].at });
  return true;
}
