/** The messages that the sandbox transport stored, exactly as they would have been sent. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { compress, decompress } from '../../../platform/compress.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { SandboxMessage } from './sandbox.schema.ts';

export async function storeSandboxMessage(
  db: Db,
  message: { teamId: number; emailId: string; mailFrom: string; recipient: string; raw: Buffer },
): Promise<void> {
  const { bytes, inflatedSize } = await compress(message.raw);
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
    })
    .execute();
}

/** A page ends with the message that exceeds this size. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

interface SandboxRow extends Row<
  'sandbox_messages',
  'id' | 'email_id' | 'mail_from' | 'recipient' | 'created_at' | 'inflated_size'
> {
  /** Null when the message does not fit on the page. */
  raw: Row<'sandbox_messages'>['raw'] | null;
}

export async function listSandboxMessages(
  db: Db,
  teamId: number,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<SandboxMessage>> {
  const before = readCursor('sbx', cursor);
  const { rows } = await sql<SandboxRow>`
    select id, email_id, mail_from, recipient, created_at, inflated_size,
      case when bytes_before < ${MAX_PAGE_BYTES} then raw end as raw
    from (
      select *, sum(size) over (order by id desc) - size as bytes_before from (
        select id, email_id, mail_from, recipient, created_at, raw, inflated_size,
          coalesce(inflated_size, octet_length(raw)) as size
        from sandbox_messages
        where team_id = ${teamId} ${before === null ? sql`` : sql`and id < ${before}`}
        order by id desc limit ${limit + 1}
      ) newest
    ) sized
    order by id desc
  `.execute(db);
  const fitting = rows.filter(({ raw }) => raw !== null).length;
  const shown = await Promise.all(
    rows.map(async ({ raw, inflated_size, ...row }) => ({
      ...row,
      raw: raw && (await decompress({ bytes: raw, inflatedSize: inflated_size })),
    })),
  );
  return toPage(shown, { limit: Math.min(limit, fitting) }, (row) => ({
    id: encodeId('sbx', row.id),
    emailId: encodeId('eml', row.email_id),
    mailFrom: row.mail_from,
    recipient: row.recipient,
    raw: row.raw!.toString('utf8'),
    createdAt: row.created_at.toISOString(),
  }));
}
