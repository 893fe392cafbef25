/** The automatic reply of a mailbox while its owner is away (VacationResponse of RFC 8621). */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';

export type VacationFields = CamelRow<
  'vacation_responses',
  'is_enabled' | 'from_date' | 'to_date' | 'subject' | 'text_body' | 'html_body'
>;

export interface VacationResponse extends VacationFields {
  /** The change number of the latest change, or 0 if the reply was never set. */
  modseq: Row<'vacation_responses'>['modseq'];
}

const NONE: VacationResponse = {
  isEnabled: false,
  fromDate: null,
  toDate: null,
  subject: null,
  textBody: null,
  htmlBody: null,
  modseq: 0,
};

export async function readVacation(db: Db, { teamId, mailboxId }: MailboxRef): Promise<VacationResponse> {
  const { rows } = await sql<VacationResponse>`
    select is_enabled as "isEnabled", from_date as "fromDate", to_date as "toDate", subject, text_body as "textBody",
      html_body as "htmlBody", modseq
    from vacation_responses where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(db);
  return rows[0] ?? NONE;
}

/** Changes the given fields. After the reply was off, everyone can get it again. */
export async function changeVacation(
  db: Db,
  mailbox: MailboxRef,
  change: Partial<VacationFields>,
): Promise<VacationResponse> {
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const before = await readVacation(trx, mailbox);
    const next: VacationResponse = { ...before, ...change, modseq };
    const { teamId, mailboxId } = mailbox;
    await sql`
      insert into vacation_responses (team_id, mailbox_id, is_enabled, from_date, to_date, subject, text_body, html_body,
        modseq)
      values (${teamId}, ${mailboxId}, ${next.isEnabled}, ${next.fromDate}, ${next.toDate}, ${next.subject},
        ${next.textBody}, ${next.htmlBody}, ${modseq})
      on conflict (team_id, mailbox_id) do update set is_enabled = excluded.is_enabled, from_date = excluded.from_date,
        to_date = excluded.to_date, subject = excluded.subject, text_body = excluded.text_body,
        html_body = excluded.html_body, modseq = excluded.modseq
    `.execute(trx);
    if (next.isEnabled && !before.isEnabled)
      await sql`delete from vacation_replies where team_id = ${teamId} and mailbox_id = ${mailboxId}`.execute(
        trx,
      );
    await storeChangeNumber(trx, mailbox, modseq);
    return next;
  });
}
