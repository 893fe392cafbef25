/**
 * Finds what `posthorn trace` tells about: an email or a message by its ID, all with a Message-ID, or the newest of an
 * address. The operator sees all teams, so each lookup goes through the index of every team.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';

export type Traced =
  | ({ kind: 'email' } & CamelRow<'emails', 'team_id' | 'id'>)
  | ({ kind: 'message' } & CamelRow<'messages', 'team_id' | 'id'>);

const MOST = 20;

type Key = CamelRow<'emails', 'team_id' | 'id' | 'created_at'>;

/** The newest come first. Returns null for text that is none of the four. */
export async function findTraced(db: Db, text: string): Promise<Traced[] | null> {
  const emailId = decodeId('eml', /^(eml_[0-9a-z]{26})(?:-\d{1,4})?$/.exec(text)?.[1] ?? '');
  if (emailId !== null) return toEmails(await emailsById(db, emailId));
  const messageId = decodeId('msg', text);
  if (messageId !== null) return toMessages(await messagesById(db, messageId));
  if (!text.includes('@')) return null;
  const named = await findByMessageId(db, text.startsWith('<') ? text : `<${text}>`);
  if (named.length > 0 || text.startsWith('<')) return named;
  const address = parseAddress(text)?.key;
  return address === undefined ? null : findByAddress(db, address);
}

const toEmails = (rows: Key[]): Traced[] =>
  rows.map(({ teamId, id }) => ({ kind: 'email' as const, teamId, id }));
const toMessages = (rows: Key[]): Traced[] =>
  rows.map(({ teamId, id }) => ({ kind: 'message' as const, teamId, id }));

async function emailsById(db: Db, id: string): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select e.team_id as "teamId", e.id, e.created_at as "createdAt" from teams t
    cross join lateral (select team_id, id, created_at from all_emails where team_id = t.id and id = ${id}::uuid) e
  `.execute(db);
  return rows;
}

async function messagesById(db: Db, id: string): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select m.team_id as "teamId", m.id, m.created_at as "createdAt" from teams t
    cross join lateral (select team_id, id, created_at from messages where team_id = t.id and id = ${id}::uuid) m
  `.execute(db);
  return rows;
}

async function findByMessageId(db: Db, messageId: string): Promise<Traced[]> {
  const { rows: emails } = await sql<Key>`
    select e.team_id as "teamId", e.id, e.created_at as "createdAt" from teams t
    join emails e on e.team_id = t.id and e.message_id = ${messageId}
    order by e.id desc limit ${MOST}
  `.execute(db);
  // What was written here is told by its email.
  const { rows: messages } = await sql<Key>`
    select m.team_id as "teamId", m.id, m.created_at as "createdAt" from mailboxes b
    join messages m on m.team_id = b.team_id and m.mailbox_id = b.id and m.message_id = ${messageId}
    where m.direction = 'in' order by m.id desc limit ${MOST}
  `.execute(db);
  return newest(emails, messages);
}

/** Emails to the address, and messages that arrived in its mailbox. */
async function findByAddress(db: Db, address: string): Promise<Traced[]> {
  const { rows: emails } = await sql<Key>`
    select r.team_id as "teamId", r.id, r."createdAt" from teams t
    cross join lateral (
      select e.team_id, e.id, e.created_at as "createdAt" from (
        select distinct email_id from all_email_recipients where team_id = t.id and address_key = ${address}
        order by email_id desc limit ${MOST}
      ) of_address join all_emails e on e.team_id = t.id and e.id = of_address.email_id
    ) r
    order by r.id desc limit ${MOST}
  `.execute(db);
  const { rows: messages } = await sql<Key>`
    select m.team_id as "teamId", m.id, m.created_at as "createdAt" from mailboxes b
    cross join lateral (
      select team_id, id, created_at from messages
      where team_id = b.team_id and mailbox_id = b.id and direction = 'in' order by id desc limit ${MOST}
    ) m
    where b.address_key = ${address} order by m.id desc limit ${MOST}
  `.execute(db);
  return newest(emails, messages);
}

function newest(emails: Key[], messages: Key[]): Traced[] {
  const all = [
    ...emails.map((row) => ({ ...row, kind: 'email' as const })),
    ...messages.map((row) => ({ ...row, kind: 'message' as const })),
  ];
  return all
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, MOST)
    .map(({ kind, teamId, id }) => ({ kind, teamId, id }));
}
