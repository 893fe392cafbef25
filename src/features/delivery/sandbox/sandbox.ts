/**
 * The messages that the sandbox transport stored, exactly as they would have been sent. The message of an email that is
 * stored as a recipe is not stored again for each recipient, only what was added in front of it.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { compress, decompress, type Compressed } from '../../../platform/compress.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { readAnyHeaders, valueOf } from '../../../mail/mime/parse/raw-headers.ts';
import { readText } from '../../../mail/mime/parse/read-values.ts';
import { readContent } from '../../sending/emails/read-content.ts';
import type { SandboxMessage, SandboxQuery } from './sandbox.schema.ts';

export async function storeSandboxMessage(
  db: Db,
  message: { teamId: number; emailId: string; mailFrom: string; recipient: string; chunks: Buffer[] },
): Promise<void> {
  const isPrefix = await isRecipe(db, message);
  const { bytes, inflatedSize } = await compress(
    Buffer.concat(isPrefix ? message.chunks.slice(0, -1) : message.chunks),
  );
  await db
    .insertInto('sandbox_messages')
    .values({
      team_id: message.teamId,
      id: newUuid(),
      email_id: message.emailId,
      mail_from: message.mailFrom,
      recipient: message.recipient,
      raw: bytes,
      inflated_size: inflatedSize,
      is_prefix: isPrefix,
    })
    .execute();
}

async function isRecipe(db: Db, { teamId, emailId }: { teamId: number; emailId: string }): Promise<boolean> {
  const content = await db
    .selectFrom('email_contents')
    .select('is_recipe')
    .where('team_id', '=', teamId)
    .where('email_id', '=', emailId)
    .executeTakeFirst();
  return content?.is_recipe ?? false;
}

/** Returns the whole message. */
export async function openSandboxMessage(
  db: Db,
  {
    teamId,
    emailId,
    isPrefix,
    ...stored
  }: Compressed & { teamId: number; emailId: string; isPrefix: boolean },
): Promise<Buffer> {
  const own = await decompress(stored);
  const rest = isPrefix ? await readContent(db, teamId, emailId) : null;
  return rest ? Buffer.concat([own, rest]) : own;
}

/** A page ends with the message that exceeds this size. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

type SandboxRow = Row<
  'sandbox_messages',
  'id' | 'email_id' | 'mail_from' | 'recipient' | 'created_at' | 'raw' | 'inflated_size' | 'is_prefix'
>;

export async function listSandboxMessages(
  db: Db,
  teamId: number,
  { limit, cursor, source }: SandboxQuery,
): Promise<Page<SandboxMessage>> {
  const before = readCursor('sbx', cursor);
  // `raw` is null when the message does not fit on the page.
  const { rows } = await sql<Omit<SandboxRow, 'raw'> & { raw: SandboxRow['raw'] | null }>`
    select id, email_id, mail_from, recipient, created_at, inflated_size, is_prefix,
      case when bytes_before < ${MAX_PAGE_BYTES} then raw end as raw
    from (
      select *, sum(size) over (order by id desc) - size as bytes_before from (
        select id, email_id, mail_from, recipient, created_at, raw, inflated_size, is_prefix,
          case when is_prefix then (
            select full_size from email_contents c where c.team_id = s.team_id and c.email_id = s.email_id
          ) else coalesce(inflated_size, octet_length(raw)) end as size
        from sandbox_messages s
        where team_id = ${teamId} ${before === null ? sql`` : sql`and id < ${before}`}
        order by id desc limit ${limit + 1}
      ) newest
    ) sized
    order by id desc
  `.execute(db);
  const shown = await Promise.all(
    rows.map(async ({ raw, ...row }) => raw && toMessage(db, teamId, { ...row, raw })),
  );
  const fitting = shown.filter((message) => message !== null).length;
  return toPage(shown, { limit: Math.min(limit, fitting) }, (message) => ({
    ...message!,
    raw: source ? message!.raw : null,
  }));
}

export async function getSandboxMessage(db: Db, teamId: number, messageId: string): Promise<SandboxMessage> {
  const row = await db
    .selectFrom('sandbox_messages')
    .select(['id', 'email_id', 'mail_from', 'recipient', 'created_at', 'raw', 'inflated_size', 'is_prefix'])
    .where('team_id', '=', teamId)
    .where('id', '=', decodeId('sbx', messageId))
    .executeTakeFirst();
  if (!row) throw notFound('Sandbox message');
  return toMessage(db, teamId, row);
}

async function toMessage(db: Db, teamId: number, row: SandboxRow): Promise<SandboxMessage> {
  const raw = await openSandboxMessage(db, {
    teamId,
    emailId: row.email_id,
    bytes: row.raw,
    inflatedSize: row.inflated_size,
    isPrefix: row.is_prefix,
  });
  return {
    id: encodeId('sbx', row.id),
    emailId: encodeId('eml', row.email_id),
    mailFrom: row.mail_from,
    recipient: row.recipient,
    subject: readText(valueOf(readAnyHeaders(raw), 'subject') ?? ''),
    raw: raw.toString('utf8'),
    createdAt: row.created_at.toISOString(),
  };
}
