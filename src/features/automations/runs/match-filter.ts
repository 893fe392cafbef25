/** Whether a contact of a run matches a filter, by the same SQL as segments. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { segmentCondition, type RunValues } from '../../audience/segments/segment-condition.ts';
import type { SegmentFilter } from '../../audience/segments/segment-filter.ts';

export interface RunContact {
  teamId: number;
  contactBookId: string;
  contactId: string;
}

export async function matchesFilter(
  db: Db,
  { contactId, ...book }: RunContact,
  filter: SegmentFilter | null | undefined,
  run: RunValues,
): Promise<boolean> {
  return !filter || (await matchingContacts(db, book, [contactId], filter, run)).length > 0;
}

/** Returns those of the contacts that are in the book and match. */
export async function matchingContacts(
  db: Db,
  { teamId, contactBookId }: Omit<RunContact, 'contactId'>,
  contactIds: string[],
  filter: SegmentFilter | null | undefined,
  run: RunValues,
): Promise<string[]> {
  const condition = filter
    ? segmentCondition({ teamId, bookKey: contactBookId }, filter, { reads: 'chunk', run })
    : sql<boolean>`true`;
  const { rows } = await sql<Row<'contacts', 'id'>>`
    select c.id from contacts c
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId} and c.id = any(${contactIds}::uuid[])
      and ${condition}
    order by c.id
  `.execute(db);
  return rows.map(({ id }) => id);
}
