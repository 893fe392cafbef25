/** Switches off the rules of mailboxes that ask for a segment before it is deleted. */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';

/** Without it, a rule for people outside the segment would act on everyone. The team's notices show the reason. */
export async function releaseSegments(
  trx: Db,
  teamId: number,
  segmentKeys: readonly string[],
): Promise<void> {
  if (segmentKeys.length === 0) return;
  const conditions = segmentKeys.map((key) => ({ field: 'segment', value: encodeId('seg', key) }));
  await sql`
    update mailbox_rules set enabled = false, disabled_at = now(),
      disabled_reason = 'The segment that it asks for is gone.'
    where team_id = ${teamId} and enabled and exists (
      select from jsonb_array_elements(${toJson(conditions)}::jsonb) as gone
      where conditions @> jsonb_build_array(gone))
  `.execute(trx);
}

/** Called before a contact book is deleted, whose segments go with it. */
export async function releaseSegmentsOfBook(trx: Db, teamId: number, bookKey: string): Promise<void> {
  const { rows } = await sql<Row<'segments', 'id'>>`
    select id from segments where team_id = ${teamId} and contact_book_id = ${bookKey}
  `.execute(trx);
  await releaseSegments(
    trx,
    teamId,
    rows.map(({ id }) => id),
  );
}
