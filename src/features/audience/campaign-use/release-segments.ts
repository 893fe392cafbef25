/** Switches off the rules of mailboxes that ask for a segment before it is deleted. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { switchOffNaming } from './switch-off-rules.ts';

/** Without it, a rule for people outside the segment would act on everyone. */
export async function releaseSegments(
  trx: Db,
  teamId: number,
  segmentKeys: readonly string[],
): Promise<void> {
  const conditions = segmentKeys.map((key) => ({ field: 'segment', value: encodeId('seg', key) }));
  await switchOffNaming(trx, { teamId }, ['conditions', conditions], 'The segment that it asks for is gone.');
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
