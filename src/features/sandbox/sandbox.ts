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

export async function listSandboxMessages(
  db: Db,
  teamId: number,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<SandboxMessage>> {
  const before = readCursor('sbx', cursor);
  const rows = await db
    .selectFrom('sandbox_messages')
    .select(['id', 'email_id', 'mail_from', 'recipient', 'created_at', sql<Buffer>`raw`.as('raw')])
    .where('team_id', '=', teamId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => ({
    id: encodeId('sbx', row.id),
    emailId: encodeId('eml', row.email_id),
    mailFrom: row.mail_from,
    recipient: row.recipient,
    raw: row.raw.toString('utf8'),
    createdAt: row.created_at.toISOString(),
  }));
}
