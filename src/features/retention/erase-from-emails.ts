/** Erases a person from a batch of emails: recipients, events, sandbox copies, and emails that went only to them. */
import { sql } from 'kysely';
import { parseMailbox } from '../../mail/mime/address.ts';
import { toJson, type Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { ErasedPerson } from '../jobs/jobs.ts';
import { ANY_ALIAS } from './alias.ts';
import { deleteContents } from '../sending/emails/delete-content.ts';
import { storeLedgerEmails } from '../sending/ledger/store-emails.ts';

export const BATCH_SIZE = 200;

interface FoundEmail extends Row<
  'emails',
  'id' | 'to_addresses' | 'cc_addresses' | 'bcc_addresses' | 'reply_to'
> {
  address: Row<'email_recipients'>['address'];
  /** The email has no other recipient, or only erased ones. */
  isLone: boolean;
  /** The message of a mailbox that was sent as this email. Threads keep their content. */
  messageId: Row<'messages'>['id'] | null;
}

/** Returns the number of emails, which is less than BATCH_SIZE when no others are left. */
export async function eraseFromEmails(trx: Db, person: ErasedPerson): Promise<number> {
  const emails = await findEmails(trx, person);
  if (emails.length === 0) return 0;
  const lone = emails.filter(({ isLone }) => isLone);
  const ids = emails.map(({ id }) => id);
  const loneIds = lone.map(({ id }) => id);
  await renameInEmails(trx, person, emails);
  await deleteContents(
    trx,
    person.teamId,
    lone.filter(({ messageId }) => messageId === null).map(({ id }) => id),
    { withSubject: true },
  );
  await sql`
    delete from sandbox_messages where team_id = ${person.teamId} and email_id = any(${ids}::uuid[])
      and (lower(recipient) = ${person.addressKey} or email_id = any(${loneIds}::uuid[]))
  `.execute(trx);
  await sql`
    update email_visits set click_event_url = null
    where team_id = ${person.teamId} and email_id = any(${loneIds}::uuid[])
  `.execute(trx);
  await eraseFromApprovals(trx, person.teamId, ids);
  await renameInEvents(trx, person, emails);
  return emails.length;
}

/**
 * Only emails that have left the queue, where nothing needs the address any more. They are locked before their other
 * recipients are read: when all recipients are erased at the same time, the last one deletes the content.
 */
async function findEmails(trx: Db, { teamId, addressKey }: ErasedPerson): Promise<FoundEmail[]> {
  await storeFromLedgers(trx, teamId, addressKey);
  const { rows: locked } = await sql<Row<'emails', 'id'>>`
    select e.id from email_recipients r
    join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${teamId} and r.address_key = ${addressKey} and e.status <> 'SCHEDULED'
      and not exists (select from deliveries d where d.team_id = r.team_id and d.email_id = r.email_id)
    order by r.email_id limit ${BATCH_SIZE}
    for update of e
  `.execute(trx);
  const { rows } = await sql<FoundEmail>`
    select e.id, r.address, m.id as "messageId", e.to_addresses, e.cc_addresses, e.bcc_addresses, e.reply_to,
      not exists (
        select from email_recipients other
        where other.team_id = r.team_id and other.email_id = r.email_id
          and other.address_key <> r.address_key and other.address_key not like ${ANY_ALIAS}
      ) as "isLone"
    from email_recipients r
    join emails e on e.team_id = r.team_id and e.id = r.email_id
    left join messages m on m.team_id = r.team_id and m.email_id = r.email_id
    where r.team_id = ${teamId} and r.address_key = ${addressKey} and e.id = any(${locked.map(({ id }) => id)}::uuid[])
  `.execute(trx);
  return rows;
}

/** Emails that are only in the ledgers of campaigns are erased like all others. */
async function storeFromLedgers(trx: Db, teamId: number, addressKey: string): Promise<void> {
  const { rows } = await sql<{ emailId: Row<'emails'>['id'] }>`
    select email_id as "emailId" from campaign_recipients
    where team_id = ${teamId} and address_key = ${addressKey} and tried_at is not null and state = 'delivered'
    order by email_id limit ${BATCH_SIZE}
  `.execute(trx);
  if (rows.length === 0) return;
  await storeLedgerEmails(
    trx,
    rows.map(({ emailId }) => ({ teamId, emailId })),
  );
}

/** People write about the recipient when they reject an email of an agent, and it may begin with the name. */
async function eraseFromApprovals(trx: Db, teamId: number, emailIds: string[]): Promise<void> {
  await sql`
    update approvals set reason = null, new_text = null
    where team_id = ${teamId} and email_id = any(${emailIds}::uuid[])
  `.execute(trx);
}

async function renameInEmails(
  trx: Db,
  { teamId, addressKey, alias }: ErasedPerson,
  emails: FoundEmail[],
): Promise<void> {
  const rename = (entries: string[]) =>
    entries.map((entry) => (parseMailbox(entry)?.key === addressKey ? alias : entry));
  const rows = emails.map((email) => ({
    id: email.id,
    to_addresses: rename(email.to_addresses),
    cc_addresses: rename(email.cc_addresses),
    bcc_addresses: rename(email.bcc_addresses),
    reply_to: rename(email.reply_to),
  }));
  await sql`
    with envelopes as (
      -- They hold the address, and nothing is reported any more.
      delete from email_envelopes v using email_recipients r
      where r.team_id = ${teamId} and r.address_key = ${addressKey}
        and r.email_id = any(${emails.map(({ id }) => id)}::uuid[])
        and v.team_id = r.team_id and v.email_id = r.email_id and v.recipient_no = r.no
    ), recipients as (
      update email_recipients set address = ${alias}, address_key = ${alias}
      where team_id = ${teamId} and address_key = ${addressKey} and email_id = any(${emails.map(({ id }) => id)}::uuid[])
    )
    update emails e set to_addresses = r.to_addresses, cc_addresses = r.cc_addresses, bcc_addresses = r.bcc_addresses,
      reply_to = r.reply_to
    from json_to_recordset(${toJson(rows)}::json) as r (
      id uuid, to_addresses text[], cc_addresses text[], bcc_addresses text[], reply_to text[]
    )
    where e.team_id = ${teamId} and e.id = r.id
  `.execute(trx);
}

/** The details of an event hold the address in replies and transcripts, and the links that a person clicked. */
async function renameInEvents(
  trx: Db,
  { teamId, addressKey, alias }: ErasedPerson,
  emails: FoundEmail[],
): Promise<void> {
  const subjects = emails.flatMap(({ id, messageId }) => (messageId ? [id, messageId] : [id]));
  const addresses = [addressKey, ...new Set(emails.map(({ address }) => address))];
  const loneIds = emails.filter(({ isLone }) => isLone).map(({ id }) => id);
  await sql`
    update events set recipient = case when recipient is null then null else ${alias} end,
      data = case when type like 'email.%' then null else data end
    where team_id = ${teamId} and subject_id = any(${subjects}::uuid[])
      and (lower(recipient) = ${addressKey} or recipient = any(${addresses}::text[])
        or recipient is null and subject_id = any(${loneIds}::uuid[]))
  `.execute(trx);
}
