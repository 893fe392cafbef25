/**
 * Messages that were stored before the column `display_html` existed have no form for display. It is made from the
 * source when such a message is read, and not stored, so that reading never writes.
 */
import { sql } from 'kysely';
import { cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import { addDerivedBodies } from '../storage/derived-bodies.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { findBlobContent, type StoredBlob } from '../../content/stored/read-blob.ts';

/** Limits the sources that are read for one response. The other messages are shown without their style sheets. */
const MAX_SOURCE_BYTES = 8 * 1024 * 1024;
/** The migration that added the column. */
const VERSION = 50;

/** True for a message of `m` whose display form is not known. */
export const LACKS_DISPLAY = sql`(m.display_html is null and m.html is not null and m.raw_sha256 is not null
  and m.created_at < (select applied_at from schema_migrations where version = ${sql.lit(VERSION)}))`;

interface ShownRow extends Row<
  'messages',
  'id' | 'text' | 'html' | 'display_html' | 'body_bytes' | 'raw_sha256'
> {
  body_omitted?: boolean;
  lacks_display?: boolean;
}

/** Adds the bodies that are in the sources, and the missing display forms, to the newest messages first. */
export async function completeBodies<Shown extends ShownRow>(
  db: Db,
  teamId: number,
  rows: Shown[],
): Promise<Shown[]> {
  const withBodies = await addDerivedBodies(db, teamId, rows);
  const lacking = rows.filter(({ lacks_display, html }) => lacks_display && html !== null);
  if (lacking.length === 0) return withBodies;
  const ids = lacking.map(({ id }) => id);
  const { rows: sources } = await sql<Row<'messages', 'id'> & StoredBlob>`
    select m.id, b.sha256, b.bytes, b.inflated_size as "inflatedSize", b.object_key as "objectKey"
    from (
      select s.id, s.raw_sha256, sum(coalesce(b.object_size, b.inflated_size, octet_length(b.bytes))) over (order by s.created_at desc, s.id desc) as total
      from messages s join blobs b on b.team_id = s.team_id and b.sha256 = s.raw_sha256
      where s.team_id = ${teamId} and s.id = any(${ids}::uuid[])
    ) m join blobs b on b.team_id = ${teamId} and b.sha256 = m.raw_sha256
    where m.total <= ${MAX_SOURCE_BYTES}
  `.execute(db);
  const forms = new Map<string, string>();
  for (const { id, ...blob } of sources) {
    const form = await deriveDisplay(db, blob);
    if (form !== null) forms.set(id, form);
  }
  return withBodies.map((row) => ({ ...row, display_html: row.display_html ?? forms.get(row.id) ?? null }));
}

/** Returns null if the source is lost too, because the message can be shown without it. */
async function deriveDisplay(db: Db, blob: StoredBlob): Promise<string | null> {
  const source = await findBlobContent(db, blob).catch(() => null);
  if (!source) return null;
  const { html } = await parseMessage(source);
  return (await cleanMailOffLoop(html)).displayHtml;
}
