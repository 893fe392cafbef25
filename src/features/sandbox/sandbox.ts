/** What the sandbox caught: the messages as they would have gone out, for whoever wants to look. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { SandboxMessage } from './sandbox.schema.ts';

export async function keepSandboxMessage(
  db: Db,
  message: { teamId: number; emailId: string; mailFrom: string; recipient: string; raw: Buffer },
): Promise<void> {
  await db
    .insertInto('sandbox_messages')
    .values({
      team_id: message.teamId,
      id: newUuid(),
      email_id: message.emailId,
      mail_from: message.mailFrom,
      recipient: message.recipient,
      raw: message.raw,
    })
    .execute();
}

/** A page ends where it has so much, and one message more. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

interface SandboxRow {
  id: string;
  email_id: string;
  mail_from: string;
  recipient: string;
  created_at: Date;
  /** Null: it does not fit any more. */
  raw: Buffer | null;
}

export async function listSandboxMessages(
  db: Db,
  teamId: number,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<SandboxMessage>> {
  const before = readCursor('sbx', cursor);
  const { rows } = await sql<SandboxRow>`
    select id, email_id, mail_from, recipient, created_at, case when bytes_before < ${MAX_PAGE_BYTES} then raw end as raw
    from (
      select *, sum(octet_length(raw)) over (order by id desc) - octet_length(raw) as bytes_before from (
        select id, email_id, mail_from, recipient, created_at, raw from sandbox_messages
        where team_id = ${teamId} ${before === null ? sql`` : sql`and id < ${before}`}
        order by id desc limit ${limit + 1}
      ) newest
    ) weighed
    order by id desc
  `.execute(db);
  const fitting = rows.filter(({ raw }) => raw !== null).length;
  return toPage(rows, Math.min(limit, fitting), (row) => ({
    id: encodeId('sbx', row.id),
    emailId: encodeId('eml', row.email_id),
    mailFrom: row.mail_from,
    recipient: row.recipient,
    raw: row.raw!.toString('utf8'),
    createdAt: row.created_at.toISOString(),
  }));
}
