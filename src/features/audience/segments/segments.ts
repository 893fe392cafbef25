/** A segment is a stored filter on a contact book. Its contacts are evaluated at each use. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { refuseInUse } from '../campaign-use/campaign-use.ts';
import { releaseSegments } from '../campaign-use/release-segments.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { requireReferences } from './filter-references.ts';
import { segmentCondition } from './segment-condition.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { Segment, SegmentInput, SegmentUpdate } from './segments.schema.ts';

const COLUMNS = ['id', 'contact_book_id', 'name', 'filter', 'created_at', 'updated_at'] as const;

/** No segment has this ID. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type SegmentRow = Row<'segments', (typeof COLUMNS)[number]>;

export function segmentKey(segmentId: string): string {
  const key = decodeId('seg', segmentId);
  if (!key) throw notFound('Segment');
  return key;
}

export async function createSegment(
  db: Db,
  teamId: number,
  input: SegmentInput,
  id = newUuid(),
): Promise<Segment> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<SegmentRow>`
      insert into segments (team_id, id, contact_book_id, name, filter)
      select team_id, ${id}::uuid, id, ${input.name}, ${JSON.stringify(input.filter)}::jsonb
      from contact_books where team_id = ${teamId} and id = ${contactBookKey(input.contactBookId)} for key share
      returning id, contact_book_id, name, filter, created_at, updated_at
    `.execute(trx);
    if (!rows[0]) throw notFound('Contact book');
    await requireReferences(trx, teamId, input.filter);
    return present(rows[0]);
  });
}

export async function getSegment(db: Db, teamId: number, segmentId: string): Promise<Segment> {
  return present(await readSegment(db, teamId, segmentId));
}

export async function listSegments(
  db: Db,
  teamId: number,
  { contactBookId, ids, ...page }: PageRequest & { contactBookId?: string | undefined; ids?: string[] },
): Promise<Page<Segment>> {
  const start = readPageStart('seg', page);
  const bookKey = contactBookId === undefined ? null : contactBookKey(contactBookId);
  if (bookKey !== null) await requireContactBook(db, teamId, bookKey);
  const rows = await db
    .selectFrom('segments')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$if(bookKey !== null, (query) => query.where('contact_book_id', '=', bookKey))
    .$if(ids !== undefined, (query) => query.where('id', 'in', keysOf(ids!)))
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, present);
}

export async function updateSegment(
  db: Db,
  teamId: number,
  segmentId: string,
  { name, filter }: SegmentUpdate,
): Promise<Segment> {
  if (name === undefined && filter === undefined) return getSegment(db, teamId, segmentId);
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('segments')
      .set({
        ...(name === undefined ? {} : { name }),
        ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
        updated_at: sql`now()`,
      })
      .where('team_id', '=', teamId)
      .where('id', '=', segmentKey(segmentId))
      .returning(COLUMNS)
      .executeTakeFirst();
    if (!row) throw notFound('Segment');
    if (filter !== undefined) await requireReferences(trx, teamId, filter);
    return present(row);
  });
}

/** Locks the row first, so that a campaign that starts to use the segment waits and then does not find it. */
export async function deleteSegment(db: Db, teamId: number, segmentId: string): Promise<void> {
  const id = segmentKey(segmentId);
  await inTransaction(db, async (trx) => {
    const found = await trx
      .selectFrom('segments')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!found) throw notFound('Segment');
    await refuseInUse(trx, teamId, { segment: id });
    await releaseSegments(trx, teamId, [id]);
    await trx.deleteFrom('segments').where('team_id', '=', teamId).where('id', '=', id).execute();
  });
}

export async function countSegment(db: Db, teamId: number, segmentId: string): Promise<number> {
  const row = await readSegment(db, teamId, segmentId);
  return countContacts(db, teamId, row.contact_book_id, row.filter as SegmentFilter);
}

/** Counts the matches of a filter that is not stored, such as one that is being edited. */
export async function countFilter(
  db: Db,
  teamId: number,
  contactBookId: string,
  filter: SegmentFilter,
): Promise<number> {
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
  await requireReferences(db, teamId, filter);
  return countContacts(db, teamId, bookKey, filter);
}

async function countContacts(
  db: Db,
  teamId: number,
  bookKey: string,
  filter: SegmentFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from contacts c
    where c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and ${segmentCondition({ teamId, bookKey }, filter)}
  `.execute(db);
  return rows[0]!.count;
}

/** Leaves out text that is not the ID of a segment. */
function keysOf(segmentIds: string[]): string[] {
  const keys = segmentIds.map((id) => decodeId('seg', id)).filter((key) => key !== null);
  return keys.length === 0 ? [NO_ID] : keys;
}

export async function readSegment(db: Db, teamId: number, segmentId: string): Promise<SegmentRow> {
  const row = await db
    .selectFrom('segments')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('id', '=', segmentKey(segmentId))
    .executeTakeFirst();
  if (!row) throw notFound('Segment');
  return row;
}

function present(row: SegmentRow): Segment {
  return {
    id: encodeId('seg', row.id),
    name: row.name,
    contactBookId: encodeId('cbk', row.contact_book_id),
    filter: row.filter,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
