/** Stores what SMTP clients asked for with the parameters of MAIL and RCPT. Most emails have nothing to store. */
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { SubmittedMessage } from './submission.ts';

interface AskingEmail {
  id: string;
  message: SubmittedMessage;
}

/** The emails must be stored in the same transaction, and have an envelope. */
export async function storeEnvelopes(trx: Db, teamId: number, emails: AskingEmail[]): Promise<void> {
  await sql`
    insert into email_envelopes (team_id, email_id, recipient_no, sender, ret, envid, notify, orcpt, requires_tls, is_report)
    select ${teamId}, email_id, recipient_no, sender, ret, envid, notify, orcpt, requires_tls, is_report
    from json_to_recordset(${toJson(emails.flatMap(toRows))}::json) as v (
      email_id uuid, recipient_no smallint, sender text, ret text, envid text, notify text, orcpt text,
      requires_tls boolean, is_report boolean
    )
  `.execute(trx);
  for (const { id, message } of emails) {
    const { sender, recipients } = message.envelope!;
    const isNotified = [...recipients.values()].some(({ notify }) => notify?.includes('FAILURE'));
    // Suppressed recipients have no delivery whose outcome could be reported.
    if (sender !== '' && isNotified)
      await enqueue(
        trx,
        'report-suppressed-recipients',
        { teamId, emailId: id },
        message.leavesAt ? { runAt: message.leavesAt } : {},
      );
  }
}

function toRows({ id, message }: AskingEmail) {
  const { sender, ret, envid, requiresTls, recipients, isReport = false } = message.envelope!;
  return withoutDuplicates(message.recipients).map(({ key }, no) => ({
    email_id: id,
    recipient_no: no,
    sender,
    ret,
    envid,
    notify: recipients.get(key)?.notify ?? null,
    orcpt: recipients.get(key)?.orcpt ?? null,
    requires_tls: requiresTls,
    is_report: isReport,
  }));
}

/** Removes duplicates. Keeps the order of to, cc and bcc, which is the order of the recipients of the email. */
export function withoutDuplicates(recipients: Address[]): Address[] {
  return [...new Map(recipients.map((recipient) => [recipient.key, recipient])).values()];
}
