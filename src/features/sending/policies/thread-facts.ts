/** What is known about the thread that a message replies to. Messages that still wait are not part of it. */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { readAnyHeaders, valueOf } from '../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import type { ThreadFacts } from './decide-policy.ts';
import { WAS_EXCHANGED } from './exchanged-mail.ts';
import { linksOf } from './judged-message.ts';

type MessageRow = CamelRow<
  'messages',
  | 'id'
  | 'direction'
  | 'sender'
  | 'to_addresses'
  | 'cc_addresses'
  | 'reply_to'
  | 'html'
  | 'text'
  | 'raw_sha256'
  | 'created_at'
> & { byAgent: boolean };

const MAX_MESSAGES = 500;
const MAX_READ = 50;

export async function readThreadFacts(
  trx: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
  references: readonly string[],
): Promise<ThreadFacts | null> {
  if (references.length === 0) return null;
  const { rows: found } = await sql<Row<'messages', 'thread_id'>>`
    select thread_id from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and message_id = any(${references}::text[]) and not draft
    order by array_position(${references}::text[], message_id::text) limit 1
  `.execute(trx);
  const id = found[0]?.thread_id;
  if (id === undefined) return null;
  const { rows: messages } = await sql<MessageRow>`
    select m.id, m.direction, m.sender, m.to_addresses as "toAddresses", m.cc_addresses as "ccAddresses",
      m.reply_to as "replyTo", m.html, m.text, m.raw_sha256 as "rawSha256", m.created_at as "createdAt",
      exists (
        select from policy_sends s where s.team_id = m.team_id and s.email_id = m.email_id and not s.is_held
      ) as "byAgent"
    from messages m left join emails e on e.team_id = m.team_id and e.id = m.email_id
    where m.team_id = ${teamId} and m.thread_id = ${id} and not m.draft
      and ${WAS_EXCHANGED}
    order by m.created_at desc, m.id desc limit ${MAX_MESSAGES}
  `.execute(trx);
  const files = await filesOf(
    trx,
    teamId,
    messages.map((message) => message.id),
  );
  const ours = messages.filter(({ direction }) => direction === 'out');
  const people = messages.flatMap(({ sender, toAddresses, ccAddresses, replyTo }) => [
    sender,
    ...toAddresses,
    ...ccAddresses,
    ...replyTo,
  ]);
  return {
    id,
    people: new Set(people.flatMap((person) => parseMailbox(person)?.key ?? [])),
    files: new Set(files.map(({ hash }) => hash)),
    ownFiles: new Set(
      files.flatMap(({ messageId, hash }) => (ours.some((own) => own.id === messageId) ? hash : [])),
    ),
    ownLinks: new Set(ours.flatMap(({ html, text }) => [...linksOf(html ?? ''), ...linksOf(text ?? '')])),
    unattended: await countUnattended(trx, { teamId, threadId: id, messages }),
  };
}

type FileRow = CamelRow<'message_attachments', 'message_id'> & { hash: string };

async function filesOf(trx: Db, teamId: number, messageIds: string[]): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select message_id as "messageId", encode(sha256, 'hex') as hash from message_attachments
    where team_id = ${teamId} and message_id = any(${messageIds}::uuid[])
  `.execute(trx);
  return rows;
}

interface Recent {
  teamId: number;
  threadId: string;
  messages: MessageRow[];
}

/** Agents' emails since a person wrote: someone of the team, or someone whose email is not automatic. */
async function countUnattended(trx: Db, { teamId, threadId, messages }: Recent): Promise<number> {
  const last = await findLastPerson(trx, teamId, messages.slice(0, MAX_READ));
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from policy_sends s
    where s.team_id = ${teamId} and not s.is_held and s.created_at > ${last ?? new Date(0)}
      and (s.thread_id = ${threadId} or exists (
        select from messages m where m.team_id = s.team_id and m.email_id = s.email_id and m.thread_id = ${threadId}))
      and s.created_at > now() - interval '90 days'
  `.execute(trx);
  return rows[0]!.count;
}

async function findLastPerson(trx: Db, teamId: number, messages: MessageRow[]): Promise<Date | null> {
  for (const { direction, byAgent, rawSha256, createdAt } of messages) {
    if (direction === 'out' ? !byAgent : !(await isAutomatic(trx, teamId, rawSha256))) return createdAt;
  }
  return null;
}

async function isAutomatic(trx: Db, teamId: number, rawSha256: Buffer | null): Promise<boolean> {
  if (!rawSha256) return false;
  const { rows } = await sql<StoredBlob>`
    select sha256, bytes, inflated_size as "inflatedSize", object_key as "objectKey" from blobs
    where team_id = ${teamId} and sha256 = ${rawSha256}
  `.execute(trx);
  if (!rows[0]) return true;
  const raw = await readBlob(trx, rows[0]);
  const submitted = valueOf(readAnyHeaders(raw), 'auto-submitted');
  return submitted !== null && !/^no\b/i.test(submitted.trim());
}
