/**
 * The bytes of a message, and its structure as IMAP writes it. A received message has stored bytes, and a sent one has
 * those of its email. A draft of webmail has no bytes yet: they are composed from its fields, always in the same way.
 */
import { sql } from 'kysely';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { foldMailboxes } from '../../../mail/mime/header-encoding.ts';
import { composeOffLoop } from '../../../mail/offload/compose-message.ts';
import { writeBodyStructure } from '../../../mail/imap/body-structure.ts';
import { createLineCounter } from '../../../mail/imap/count-lines.ts';
import { writeEnvelope } from '../../../mail/imap/envelope.ts';
import { parseMimeTree } from '../../../mail/mime/parse/mime-tree.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { filesOfDraft } from '../writing/draft-files.ts';
import type { ProgramMessage } from './message-rows.ts';

/** Latin-1 texts, except for the header. */
export interface MessageStructure {
  size: number;
  header: Buffer;
  envelope: string;
  body: string;
  bodyStructure: string;
}

type Source = Pick<ProgramMessage, 'id' | 'rawHash' | 'emailId'>;

export async function readSource(db: Db, { teamId }: MailboxRef, message: Source): Promise<Buffer> {
  if (message.rawHash !== null) {
    const { rows } = await sql<StoredBlob>`
      select sha256, bytes, inflated_size as "inflatedSize", object_key as "objectKey" from blobs
      where team_id = ${teamId} and sha256 = ${message.rawHash}
    `.execute(db);
    if (rows[0]) return readBlob(db, rows[0]);
  }
  const content = message.emailId === null ? null : await readContent(db, teamId, message.emailId);
  return content ?? composeFromFields(db, teamId, message.id);
}

/**
 * Returns the structures of messages by message ID. Missing ones are made and stored, except those of drafts, which
 * change. With `onlyHeaders` the other texts are empty, because reading them takes most of the time.
 */
export async function readStructures(
  db: Db,
  mailbox: MailboxRef,
  messages: Source[],
  { onlyHeaders = false }: { onlyHeaders?: boolean } = {},
): Promise<Map<string, MessageStructure>> {
  const texts = onlyHeaders
    ? sql`''::bytea as envelope, ''::bytea as body, ''::bytea as "bodyStructure"`
    : sql`envelope, body, body_structure as "bodyStructure"`;
  const { rows } = await sql<StructureRow>`
    select message_id as id, source, size, header, ${texts}
    from message_structures where team_id = ${mailbox.teamId} and message_id = any(${messages.map(({ id }) => id)}::uuid[])
  `.execute(db);
  const kept = new Map(rows.map((row) => [row.id, row]));
  const structures = new Map<string, MessageStructure>();
  for (const message of messages) {
    const row = kept.get(message.id);
    const isCurrent = row && row.source === sourceOf(message);
    const structure = isCurrent ? toStructure(row) : await makeStructure(db, mailbox, message);
    if (structure) structures.set(message.id, structure);
  }
  return structures;
}

/** Makes structures that do not exist yet, for the latest messages first. */
export async function makeStructures(
  db: Db,
  mailbox: MailboxRef,
  folderId: string,
  limit: number,
): Promise<void> {
  const { rows } = await sql<Source>`
    select id, raw_sha256 as "rawHash", email_id as "emailId" from messages m
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and folder = ${folderId}
      and (raw_sha256 is not null or email_id is not null)
      and not exists (select 1 from message_structures s where s.team_id = m.team_id and s.message_id = m.id)
    order by uid desc limit ${limit}
  `.execute(db);
  for (const message of rows) await makeStructure(db, mailbox, message);
}

interface StructureRow extends CamelRow<
  'message_structures',
  'source' | 'size' | 'header' | 'envelope' | 'body' | 'body_structure'
> {
  id: Row<'message_structures'>['message_id'];
}

function sourceOf({ rawHash, emailId }: Source): string | null {
  return rawHash?.toString('hex') ?? emailId;
}

function toStructure({ size, header, envelope, body, bodyStructure }: StructureRow): MessageStructure {
  const [envelopeText, bodyText, structureText] = [envelope, body, bodyStructure].map((bytes) =>
    bytes.toString('latin1'),
  );
  return { size, header, envelope: envelopeText!, body: bodyText!, bodyStructure: structureText! };
}

/** Null if the message was deleted in the meantime. */
async function makeStructure(db: Db, mailbox: MailboxRef, message: Source): Promise<MessageStructure | null> {
  const raw = await readSource(db, mailbox, message).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (!raw) return null;
  const structure = structureOf(raw);
  const source = sourceOf(message);
  if (source === null) return structure;
  const [envelope, body, bodyStructure] = [structure.envelope, structure.body, structure.bodyStructure].map(
    (text) => Buffer.from(text, 'latin1'),
  );
  await sql`
    insert into message_structures (team_id, message_id, source, size, header, envelope, body, body_structure)
    select team_id, id, ${source}, ${structure.size}, ${structure.header}, ${envelope},
      ${body}, ${bodyStructure}
    from messages where team_id = ${mailbox.teamId} and id = ${message.id}
    on conflict (team_id, message_id) do update set source = excluded.source, size = excluded.size,
      header = excluded.header, envelope = excluded.envelope, body = excluded.body,
      body_structure = excluded.body_structure
  `.execute(db);
  return structure;
}

function structureOf(raw: Buffer): MessageStructure {
  const tree = parseMimeTree(raw);
  const countLines = createLineCounter(raw);
  return {
    size: raw.length,
    header: raw.subarray(0, tree.bodyStart),
    envelope: writeEnvelope(tree),
    body: writeBodyStructure(countLines, tree, false),
    bodyStructure: writeBodyStructure(countLines, tree, true),
  };
}

async function composeFromFields(db: Db, teamId: number, id: string): Promise<Buffer> {
  const { rows } = await sql<
    CamelRow<
      'messages',
      'sender' | 'subject' | 'text' | 'html' | 'in_reply_to' | 'created_at' | 'message_id'
    > & {
      to: Row<'messages'>['to_addresses'];
      cc: Row<'messages'>['cc_addresses'];
      bcc: Row<'messages'>['bcc_addresses'];
      references: Row<'messages'>['reference_ids'];
    }
  >`
    select sender, to_addresses as "to", cc_addresses as cc, bcc_addresses as bcc, subject, text, html,
      in_reply_to as "inReplyTo", reference_ids as "references", created_at as "createdAt", message_id as "messageId"
    from messages where team_id = ${teamId} and id = ${id}
  `.execute(db);
  const row = rows[0];
  const from = row && parseMailbox(row.sender);
  if (!from) throw notFound('Message');
  const files = await filesOfDraft(db, teamId, { id });
  const raw = await composeOffLoop({
    messageId: row.messageId ?? `<${encodeId('msg', id)}@${from.domain}>`,
    date: row.createdAt,
    from,
    to: toMailboxes(row.to),
    cc: toMailboxes(row.cc),
    replyTo: [],
    subject: row.subject,
    html: row.html,
    text: row.text,
    headers: [],
    attachments: files.map((file) => ({ ...file, filename: file.filename ?? 'attachment' })),
    inReplyTo: row.inReplyTo,
    references: row.references,
    boundary: id,
  });
  const bcc = toMailboxes(row.bcc);
  return bcc.length === 0 ? raw : Buffer.concat([Buffer.from(foldMailboxes('Bcc', bcc)), raw]);
}

/** The addresses of a draft may be incomplete. */
function toMailboxes(people: string[]): NamedAddress[] {
  return people.flatMap((person) => parseMailbox(person) ?? []);
}
