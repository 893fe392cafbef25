/** Who is it: what a team knows about a person that it corresponds with. */
import { sql } from 'kysely';
import { parseMailbox, type Address } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { isBound } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { OWN_COLUMNS_OF_C } from '../../audience/own-fields/own-columns.ts';
import { eachOwnColumn, OWN_FIELDS, type OwnColumn } from '../../audience/own-fields/own-fields.ts';
import { listMailboxes } from '../mailboxes/mailboxes.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { findWords } from '../search/find-words.ts';
import { wordsOf } from '../storage/search-words.ts';
import type { PersonProfile } from './people.schema.ts';

const MOST_SHOWN = 20;
const MOST_MAILBOXES = 100;
const MOST_COMPARED = 50;

/** A key that is bound to a domain or to mailboxes sees the mail alone. */
export async function getPerson(db: Db, caller: Caller, address: Address): Promise<PersonProfile> {
  const mailboxes = await listMailboxes(db, caller, { limit: MOST_MAILBOXES });
  const keys = mailboxes.items.flatMap(({ id }) => decodeId('mbx', id) ?? []);
  const mail = await findMail(db, caller.teamId, keys, address.key);
  const seesAll = !isBound(caller);
  const blockedIn = await findBlocks(db, caller.teamId, keys, address);
  const contacts = seesAll ? await findContacts(db, caller.teamId, address.key) : [];
  return {
    email: address.email,
    names: namesOf(mail, contacts, address.key),
    notes: seesAll ? await readNotes(db, caller.teamId, address.key) : '',
    contacts: contacts.map(presentContact),
    threads: mail.threads,
    campaigns: seesAll ? await findCampaigns(db, caller.teamId, address.key) : [],
    automations: seesAll ? await findAutomations(db, caller.teamId, address.key) : [],
    blocked: blockedIn.length > 0,
    blocked_in: blockedIn,
  };
}

export async function updatePerson(
  db: Db,
  caller: Caller,
  address: Address,
  { notes }: { notes: string },
): Promise<PersonProfile> {
  if (notes === '')
    await sql`
      delete from person_notes where team_id = ${caller.teamId} and address_key = ${address.key}
    `.execute(db);
  else
    await sql`
      insert into person_notes (team_id, address_key, notes, updated_by)
      values (${caller.teamId}, ${address.key}, ${notes}, ${caller.by})
      on conflict (team_id, address_key) do update set notes = excluded.notes, updated_by = excluded.updated_by,
        updated_at = now()
    `.execute(db);
  return getPerson(db, caller, address);
}

async function readNotes(db: Db, teamId: number, addressKey: string): Promise<string> {
  const { rows } = await sql<Row<'person_notes', 'notes'>>`
    select notes from person_notes where team_id = ${teamId} and address_key = ${addressKey}
  `.execute(db);
  return rows[0]?.notes ?? '';
}

interface FoundMail {
  threads: PersonProfile['threads'];
  /** Of the person, as in headers. */
  shown: string[];
}

type MailRow = CamelRow<
  'messages',
  'sender' | 'to_addresses' | 'cc_addresses' | 'thread_id' | 'mailbox_id'
> & {
  subject: Row<'threads'>['subject'];
  lastMessageAt: Row<'threads'>['last_message_at'];
};

/** Searches by the indexed words of the address. */
async function findMail(
  db: Db,
  teamId: number,
  mailboxIds: string[],
  addressKey: string,
): Promise<FoundMail> {
  const words = wordsOf(addressKey);
  const found: FoundMail = { threads: [], shown: [] };
  if (words.length === 0) return found;
  const rows: MailRow[] = [];
  for (const mailboxId of mailboxIds) {
    const wanted = words.map((word) => ({ word, fields: ['f', 't'] as const }));
    const { rows: own } = await sql<MailRow>`
      select m.sender, m.to_addresses as "toAddresses", m.cc_addresses as "ccAddresses", m.thread_id as "threadId",
        m.mailbox_id as "mailboxId", t.subject, t.last_message_at as "lastMessageAt"
      from messages m join threads t on t.team_id = m.team_id and t.id = m.thread_id and t.folder not in ('trash', 'spam')
      where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and ${await findWords(db, { teamId, mailboxId }, wanted)} and not m.draft
      order by m.created_at desc limit ${MOST_COMPARED}
    `.execute(db);
    rows.push(...own);
  }
  const threads = new Map<string, MailRow>();
  for (const row of rows) {
    const shown = [row.sender, ...row.toAddresses, ...row.ccAddresses].filter(
      (person) => keyOfPerson(person) === addressKey,
    );
    if (shown.length > 0) threads.set(row.threadId, row);
    found.shown.push(...shown);
  }
  found.threads = [...threads.values()]
    .toSorted((one, other) => other.lastMessageAt.getTime() - one.lastMessageAt.getTime())
    .slice(0, MOST_SHOWN)
    .map((row) => ({
      id: encodeId('thr', row.threadId),
      mailbox_id: encodeId('mbx', row.mailboxId),
      subject: row.subject,
      last_message_at: row.lastMessageAt.toISOString(),
    }));
  return found;
}

type ContactRow = Row<'contacts', 'id' | 'contact_book_id' | OwnColumn | 'subscription'> & {
  properties: Record<string, unknown>;
  book: Row<'contact_books'>['name'];
};

async function findContacts(db: Db, teamId: number, addressKey: string): Promise<ContactRow[]> {
  const { rows } = await sql<ContactRow>`
    select c.id, c.contact_book_id, ${OWN_COLUMNS_OF_C}, c.subscription, c.properties, b.name as book
    from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key = ${addressKey}
    where b.team_id = ${teamId} order by c.id desc limit ${MOST_SHOWN}
  `.execute(db);
  return rows;
}

function presentContact(row: ContactRow): PersonProfile['contacts'][number] {
  return {
    id: encodeId('con', row.id),
    contact_book_id: encodeId('cbk', row.contact_book_id),
    contact_book: row.book,
    ...eachOwnColumn((name) => row[OWN_FIELDS[name].column]),
    subscribed: row.subscription === 'subscribed',
    properties: row.properties,
  };
}

function namesOf({ shown }: FoundMail, contacts: ContactRow[], addressKey: string): string[] {
  const names = [
    ...shown.map((person) => parseMailbox(person)?.name ?? ''),
    ...contacts.map(({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ')),
  ];
  return [...new Set(names.filter((name) => name !== '' && name.toLowerCase() !== addressKey))].slice(0, 10);
}

type CampaignRow = Row<'campaigns', 'id' | 'name'> & {
  sent_at: Date;
  opened: boolean;
  clicked: boolean;
};

async function findCampaigns(
  db: Db,
  teamId: number,
  addressKey: string,
): Promise<PersonProfile['campaigns']> {
  const { rows } = await sql<CampaignRow>`
    select p.id, p.name, e.created_at as sent_at, e.opened_at is not null as opened, e.clicked_at is not null as clicked
    from (
      select r.email_id from all_email_recipients r
      where r.team_id = ${teamId} and r.address_key = ${addressKey} order by r.email_id desc limit 200
    ) r
    join all_emails e on e.team_id = ${teamId} and e.id = r.email_id
    join campaigns p on p.team_id = ${teamId} and p.id = e.campaign_id
    order by e.id desc limit ${MOST_SHOWN}
  `.execute(db);
  return rows.map(({ id, name, sent_at, opened, clicked }) => ({
    id: encodeId('cmp', id),
    name,
    sent_at: sent_at.toISOString(),
    opened,
    clicked,
  }));
}

type RunRow = CamelRow<'automation_runs', 'automation_id' | 'status' | 'started_at'> & {
  name: Row<'automations'>['name'];
};

async function findAutomations(
  db: Db,
  teamId: number,
  addressKey: string,
): Promise<PersonProfile['automations']> {
  const { rows } = await sql<RunRow>`
    select r.automation_id as "automationId", r.status, r.started_at as "startedAt", a.name
    from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key = ${addressKey}
    join automation_runs r on r.team_id = c.team_id and r.contact_id = c.id
    join automations a on a.team_id = r.team_id and a.id = r.automation_id
    where b.team_id = ${teamId} order by r.id desc limit ${MOST_SHOWN}
  `.execute(db);
  return rows.map(({ automationId, status, startedAt, name }) => ({
    id: encodeId('aut', automationId),
    name,
    status,
    started_at: startedAt.toISOString(),
  }));
}

async function findBlocks(
  db: Db,
  teamId: number,
  mailboxIds: string[],
  { key, domain }: Address,
): Promise<string[]> {
  const { rows } = await sql<Row<'mailbox_blocks', 'mailbox_id'>>`
    select distinct mailbox_id from mailbox_blocks
    where team_id = ${teamId} and mailbox_id = any(${mailboxIds}::uuid[]) and entry in (${key}, ${`@${domain}`})
    order by mailbox_id limit ${MOST_MAILBOXES}
  `.execute(db);
  return rows.map(({ mailbox_id }) => encodeId('mbx', mailbox_id));
}
