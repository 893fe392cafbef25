/** What the sandbox caught: the messages as they would have gone out, for whoever wants to look. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
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
): Promise<{ items: SandboxMessage[]; next_cursor: string | null }> {
  const before = cursor === undefined ? null : decodeId('sbx', cursor);
  if (cursor !== undefined && !before) throw badRequest('cursor is not one that this list gave.');
  const rows = await db
    .selectFrom('sandbox_messages')
    .select(['id', 'email_id', 'mail_from', 'recipient', 'created_at', sql<Buffer>`raw`.as('raw')])
    .where('team_id', '=', teamId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit).map((row) => ({
    id: encodeId('sbx', row.id),
    emailId: encodeId('eml', row.email_id),
    mailFrom: row.mail_from,
    recipient: row.recipient,
    raw: row.raw.toString('utf8'),
    createdAt: row.created_at.toISOString(),
  }));
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}
