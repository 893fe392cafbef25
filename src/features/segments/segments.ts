/** Segments: the part of a book that a filter finds, looked up anew each time. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { Row } from '../../platform/rows.ts';
import { refuseInUse } from '../campaigns/in-use.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { segmentCondition } from './segment-condition.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { Segment, SegmentInput, SegmentQuery, SegmentUpdate } from './segments.schema.ts';

const COLUMNS = ['id', 'contact_book_id', 'name', 'filter', 'created_at', 'updated_at'] as const;

type SegmentRow = Row<'segments', (typeof COLUMNS)[number]>;

export function segmentKey(segmentId: string): string {
  const key = decodeId('seg', segmentId);
  if (!key) throw notFound('Segment');
  return key;
}

export async function createSegment(db: Db, teamId: number, input: SegmentInput): Promise<Segment> {
  const { rows } = await sql<SegmentRow>`
    insert into segments (team_id, id, contact_book_id, name, filter)
    select team_id, ${newUuid()}::uuid, id, ${input.name}, ${JSON.stringify(input.filter)}::jsonb
    from contact_books where team_id = ${teamId} and id = ${contactBookKey(input.contactBookId)} for key share
    returning id, contact_book_id, name, filter, created_at, updated_at
  `.execute(db);
  if (!rows[0]) throw notFound('Contact book');
  return present(rows[0]);
}

export async function getSegment(db: Db, teamId: number, segmentId: string): Promise<Segment> {
  return present(await readSegment(db, teamId, segmentId));
}

export async function listSegments(
  db: Db,
  teamId: number,
  { limit, cursor, contactBookId }: SegmentQuery,
): Promise<Page<Segment>> {
  const before = readCursor('seg', cursor);
  const bookKey = contactBookId === undefined ? null : contactBookKey(contactBookId);
  if (bookKey !== null) await requireContactBook(db, teamId, bookKey);
  const rows = await db
    .selectFrom('segments')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(bookKey !== null, (query) => query.where('contact_book_id', '=', bookKey))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, present);
}

export async function updateSegment(
  db: Db,
  teamId: number,
  segmentId: string,
  { name, filter }: SegmentUpdate,
): Promise<Segment> {
  if (name === undefined && filter === undefined) return getSegment(db, teamId, segmentId);
  const row = await db
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
  return present(row);
}

/** The row is locked first: whoever begins to use the segment waits, and then does not find it. */
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
    await trx.deleteFrom('segments').where('team_id', '=', teamId).where('id', '=', id).execute();
  });
}

export async function countSegment(db: Db, teamId: number, segmentId: string): Promise<number> {
  const row = await readSegment(db, teamId, segmentId);
  return countContacts(db, teamId, row.contact_book_id, row.filter as SegmentFilter);
}

/** For a filter that is not kept, as in a form where it is being put together. */
export async function countFilter(
  db: Db,
  teamId: number,
  contactBookId: string,
  filter: SegmentFilter,
): Promise<number> {
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
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
    where c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and ${segmentCondition(filter)}
  `.execute(db);
  return rows[0]!.count;
}

async function readSegment(db: Db, teamId: number, segmentId: string): Promise<SegmentRow> {
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
