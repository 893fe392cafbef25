/**
 * Maps Resend's audiences to our terms (docs/moving/resend.md). Contacts are those of one contact book, the oldest of
 * the team. A segment is a segment of that book. Where Resend takes the ID of a segment or audience, the ID of a
 * contact book stands for everyone in that book.
 */
import { ensureBook, findOldestBook } from '../../../../features/audience/contact-books/oldest-book.ts';
import { getContactBook } from '../../../../features/audience/contact-books/contact-books.ts';
import { isMemberSegment } from '../../../../features/audience/segments/member-segments.ts';
import type { SegmentFilter } from '../../../../features/audience/segments/segment-filter.ts';
import type { Segment } from '../../../../features/audience/segments/segments.schema.ts';
import { getSegment } from '../../../../features/audience/segments/segments.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { badRequest } from '../../../../platform/errors.ts';

const NEW_BOOK = 'Contacts';

export interface Audience {
  bookId: string;
  /** Null for a whole contact book. */
  segment: Segment | null;
}

export function isBookId(id: string): boolean {
  return id.startsWith('cbk_');
}

export async function findAudience(db: Db, teamId: number, id: string): Promise<Audience> {
  if (isBookId(id)) return { bookId: (await getContactBook(db, teamId, id)).id, segment: null };
  const segment = await getSegment(db, teamId, id);
  return { bookId: segment.contactBookId, segment };
}

/** Finds the audience that a new contact goes to. */
export async function requireAudience(db: Db, teamId: number, id: string | undefined): Promise<Audience> {
  if (id !== undefined) return findAudience(db, teamId, id);
  return { bookId: await ensureContacts(db, teamId), segment: null };
}

export function ensureContacts(db: Db, teamId: number): Promise<string> {
  return ensureBook(db, teamId, NEW_BOOK);
}

/** Finds the book with the team's contacts; null if there is none. */
export function findContacts(db: Db, teamId: number): Promise<string | null> {
  return findOldestBook(db, teamId);
}

export function filterOf({ segment }: Audience): SegmentFilter | undefined {
  return segment ? (segment.filter as SegmentFilter) : undefined;
}

/** Returns the properties that put a contact into these segments. */
export function membershipOf(segments: Segment[], bookId: string): Record<string, true> {
  for (const segment of segments) {
    if (!isMemberSegment(segment))
      throw badRequest(`The contacts of the segment ${segment.name} are selected by its filter.`);
    if (segment.contactBookId !== bookId)
      throw badRequest(`The segment ${segment.name} belongs to another contact book.`);
  }
  return Object.fromEntries(segments.map(({ id }) => [id, true as const]));
}
