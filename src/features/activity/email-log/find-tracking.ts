import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';

/** Whether opens and clicks of emails are tracked, by the ID of the email. */
export type TrackedEmails = ReadonlyMap<string, { opens: boolean; clicks: boolean }>;

export async function findTracking(db: Db, teamId: number, emailIds: string[]): Promise<TrackedEmails> {
  const ids = emailIds.flatMap((id) => decodeId('eml', id) ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Row<'emails', 'id' | 'tracks_opens' | 'tracks_clicks'>>`
    select id, tracks_opens, tracks_clicks from all_emails where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(
    rows.map((row) => [
      encodeId('eml', row.id),
      { opens: row.tracks_opens ?? false, clicks: row.tracks_clicks ?? false },
    ]),
  );
}
