/** Reads what `decidePolicy` has to know about a message of a key. */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { PolicyFacts } from './decide-policy.ts';
import { WAS_EXCHANGED } from './exchanged-mail.ts';
import type { ReadMessage } from './judged-message.ts';
import type { SendPolicy } from './policies.schema.ts';
import { readThreadFacts } from './thread-facts.ts';

export interface JudgedSender {
  teamId: number;
  /** UUID of the key. */
  keyId: string;
  /** The comparison key of From. */
  fromKey: string;
  /** Whether the key reads by IMAP or JMAP, where nothing is noted. */
  readsUnnoted: boolean;
}

export interface FoundFacts {
  mailboxId: string | null;
  /** Public IDs of what the key has read that outsiders wrote. */
  taintedBy: string[];
  of(policy: SendPolicy): PolicyFacts;
}

const MAX_TAINTS = 100;
const MAX_THREADS = 50;

export async function readFacts(
  trx: Db,
  sender: JudgedSender,
  message: ReadMessage,
  policies: readonly SendPolicy[],
): Promise<FoundFacts> {
  const { teamId } = sender;
  const mailbox = await findMailbox(trx, sender);
  const own = new Set([sender.fromKey, ...(mailbox?.addresses ?? [])]);
  const everyone = [...new Set([...message.recipients, ...message.named])].filter((key) => !own.has(key));
  const known = await findKnown(trx, sender, mailbox?.id ?? null, everyone);
  const contacts = new Map<SendPolicy, Set<string>>();
  for (const policy of policies) contacts.set(policy, await findContacts(trx, teamId, policy, everyone));
  const thread =
    mailbox && (await readThreadFacts(trx, { teamId, mailboxId: mailbox.id }, message.references));
  const reads = await findReads(trx, sender);
  const { rows: domains } = await sql<Row<'domains', 'name'>>`
    select name from domains where team_id = ${teamId} and held
  `.execute(trx);
  const isTainted = sender.readsUnnoted || reads.length > 0;
  const facts = {
    own,
    known,
    thread,
    sent: await countSent(trx, sender, everyone),
    ownDomains: new Set(domains.map(({ name }) => name)),
    taint: isTainted
      ? {
          threads: sender.readsUnnoted
            ? ('all' as const)
            : new Set(reads.flatMap(({ thread_id }) => thread_id ?? [])),
        }
      : null,
  };
  return {
    mailboxId: mailbox?.id ?? null,
    taintedBy: reads.map(({ item }) => item),
    of: (policy) => ({ ...facts, contacts: contacts.get(policy) ?? new Set() }),
  };
}

/** Not reversible, so that erasing a person need not look here. */
export function hashAddress(key: string): string {
  return sha256(key).toString('hex').slice(0, 32);
}

interface FromMailbox extends Row<'mailboxes', 'id'> {
  addresses: string[];
}

async function findMailbox(trx: Db, { teamId, fromKey }: JudgedSender): Promise<FromMailbox | null> {
  const { rows } = await sql<FromMailbox>`
    select m.id, array(
      select a.address_key from mailbox_addresses a where a.team_id = m.team_id and a.mailbox_id = m.id
    ) || m.address_key as addresses
    from mailboxes m
    where m.team_id = ${teamId} and (m.address_key = ${fromKey} or exists (
      select from mailbox_addresses a
      where a.team_id = m.team_id and a.mailbox_id = m.id and a.address_key = ${fromKey}))
  `.execute(trx);
  return rows[0] ?? null;
}

type Correspondence = CamelRow<
  'messages',
  'direction' | 'sender' | 'to_addresses' | 'cc_addresses' | 'bcc_addresses'
>;

/**
 * Of a mailbox: who wrote to it, and to whom it has sent. Of other senders: who has got an email from the address.
 * Emails that wait, were cancelled, or went to nobody do not count, so that an agent makes nobody known by asking.
 */
async function findKnown(
  trx: Db,
  { teamId, fromKey }: JudgedSender,
  mailboxId: string | null,
  keys: string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  if (keys.length === 0) return known;
  const { rows: sent } = await sql<Row<'email_recipients', 'address_key'> & Row<'emails', 'sender'>>`
    select distinct r.address_key, e.sender from email_recipients r
    join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${teamId} and r.address_key = any(${keys}::text[])
      and e.status not in ('SCHEDULED', 'CANCELLED', 'SUPPRESSED') and position(${fromKey} in lower(e.sender)) > 0
  `.execute(trx);
  for (const row of sent) if (parseMailbox(row.sender)?.key === fromKey) known.add(row.address_key);
  if (mailboxId === null) return known;
  const { rows } = await sql<Correspondence>`
    select m.direction, m.sender, m.to_addresses as "toAddresses", m.cc_addresses as "ccAddresses",
      m.bcc_addresses as "bccAddresses"
    from messages m
    left join emails e on e.team_id = m.team_id and e.id = m.email_id
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.folder <> 'spam' and not m.draft
      and ${WAS_EXCHANGED}
      and m.thread_id in (
        select id from threads
        where team_id = ${teamId} and mailbox_id = ${mailboxId} and participant_keys && ${keys}::text[]
        order by last_message_at desc limit ${MAX_THREADS * keys.length})
  `.execute(trx);
  for (const row of rows) {
    const people =
      row.direction === 'in' ? [row.sender] : [...row.toAddresses, ...row.ccAddresses, ...row.bccAddresses];
    for (const key of people.flatMap((person) => parseMailbox(person)?.key ?? [])) known.add(key);
  }
  return known;
}

async function findContacts(
  trx: Db,
  teamId: number,
  { recipients }: SendPolicy,
  keys: string[],
): Promise<Set<string>> {
  if (recipients.contactBookIds.length === 0 || keys.length === 0) return new Set();
  const books = recipients.contactBookIds.map((id) => decodeId('cbk', id));
  const { rows } = await sql<Row<'contacts', 'email_key'>>`
    select email_key from contacts
    where team_id = ${teamId} and contact_book_id = any(${books}::uuid[]) and email_key = any(${keys}::text[])
      and subscription = 'SUBSCRIBED'
  `.execute(trx);
  return new Set(rows.map(({ email_key }) => email_key));
}

async function countSent(
  trx: Db,
  { teamId, keyId }: JudgedSender,
  keys: string[],
): Promise<PolicyFacts['sent']> {
  const { rows } = await sql<{ hour: number; day: number; fresh: string[] }>`
    with recent as (
      select new_recipients, created_at from policy_sends
      where team_id = ${teamId} and key_id = ${keyId} and created_at > clock_timestamp() - interval '24 hours'
    )
    select count(*) filter (where created_at > clock_timestamp() - interval '1 hour')::integer as hour,
      count(*)::integer as day,
      array(select distinct hash from recent, unnest(new_recipients) as hash) as fresh
    from recent
  `.execute(trx);
  const { hour, day, fresh } = rows[0]!;
  // The hashes of addresses of this message are replaced by the addresses, which `decidePolicy` compares.
  const keyOf = new Map(keys.map((key) => [hashAddress(key), key]));
  return {
    lastHour: hour,
    lastDay: day,
    newLastDay: new Set(fresh.map((hash) => keyOf.get(hash) ?? hash)),
  };
}

/** Whether the key has read what an outsider wrote, or may have. */
export async function hasReadOutsiders(
  db: Db,
  { teamId, by }: { teamId: number; by: string },
): Promise<boolean> {
  const keyId = decodeId('key', by);
  return keyId === null || (await findReads(db, { teamId, keyId })).length > 0;
}

/**
 * Email apps with a password of the key read by IMAP and JMAP, where nothing is noted. So the password itself counts, and
 * for 24 hours more when it is revoked (app-passwords.ts). No thread is known by it.
 */
async function findReads(
  trx: Db,
  { teamId, keyId }: Pick<JudgedSender, 'teamId' | 'keyId'>,
): Promise<Row<'agent_reads', 'item' | 'thread_id'>[]> {
  const { rows: apps } = await sql<Row<'app_passwords', 'id'>>`
    select id from app_passwords where team_id = ${teamId} and made_by_key = ${keyId} limit ${MAX_TAINTS}
  `.execute(trx);
  const { rows } = await sql<Row<'agent_reads', 'item' | 'thread_id'>>`
    select item, thread_id from agent_reads
    where team_id = ${teamId} and key_id = ${keyId} and read_at > now() - interval '24 hours'
    order by read_at desc limit ${MAX_TAINTS}
  `.execute(trx);
  return [...rows, ...apps.map(({ id }) => ({ item: encodeId('apw', id), thread_id: null }))];
}
