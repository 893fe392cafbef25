/** The contact books, segments and topics that an import writes to. Each is looked up or created once. */
import {
  createContactBook,
  getContactBook,
  listContactBooks,
} from '../../features/audience/contact-books/contact-books.ts';
import {
  contactBookInput,
  type ContactBook,
} from '../../features/audience/contact-books/contact-books.schema.ts';
import { ensureBook, findOldestBook } from '../../features/audience/contact-books/oldest-book.ts';
import { createMemberSegment, isMemberSegment } from '../../features/audience/segments/member-segments.ts';
import { listSegments } from '../../features/audience/segments/segments.ts';
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import type { ImportedList } from './items.ts';
import type { Writing } from './writing.ts';

/** The property of a contact book that stores the vendor's list. */
const ORIGIN = 'importedFrom';
const MAX_NAME = 200;

export interface TargetBook {
  list: ImportedList;
  /** Null in a dry run, if the book does not exist yet. */
  book: ContactBook | null;
  /** IDs by name. Null in a dry run for a segment that does not exist yet. */
  segments: Map<string, string | null>;
}

export async function openBook(writing: Writing, list: ImportedList): Promise<TargetBook> {
  const book = (await findBook(writing, list)) ?? (writing.isDry ? null : await createBook(writing, list));
  return { list, book, segments: book ? await readSegments(writing, book.id) : new Map() };
}

async function findBook(
  { db, teamId, vendor, report }: Writing,
  list: ImportedList,
): Promise<ContactBook | null> {
  const counts = report.counts['contact books'];
  if (list.isOldestBook) {
    const id = await findOldestBook(db, teamId);
    counts[id === null ? 'created' : 'unchanged'] += 1;
    return id === null ? null : getContactBook(db, teamId, id);
  }
  const origin = originOf(vendor, list);
  const found = (await listContactBooks(db, teamId)).find((book) => book.properties[ORIGIN] === origin);
  counts[found ? 'unchanged' : 'created'] += 1;
  return found ?? null;
}

async function createBook(writing: Writing, list: ImportedList): Promise<ContactBook> {
  const { db, teamId, limits, vendor, isConfirmed } = writing;
  if (list.isOldestBook) return getContactBook(db, teamId, await ensureBook(db, teamId, list.name));
  const input = contactBookInput.parse({
    name: shorten(list.name.trim() || list.id),
    doubleOptInEnabled: list.doubleOptIn || !isConfirmed,
    properties: { [ORIGIN]: originOf(vendor, list) },
  });
  return createWithinLimit(db, teamId, { noun: 'contactBooks', limits }, (trx) =>
    createContactBook(trx, teamId, input),
  );
}

function originOf(vendor: string, list: ImportedList): string {
  return `${vendor}: ${list.id}`;
}

async function readSegments(
  { db, teamId }: Writing,
  contactBookId: string,
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  let cursor: string | undefined;
  do {
    const page = await listSegments(db, teamId, { contactBookId, limit: 100, cursor });
    for (const segment of page.items) if (isMemberSegment(segment)) found.set(segment.name, segment.id);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Returns null in a dry run if there is no such segment. */
export async function openSegment(
  writing: Writing,
  target: TargetBook,
  written: string,
): Promise<string | null> {
  const name = shorten(written.trim());
  if (name === '') return null;
  const { db, teamId, limits, isDry, report } = writing;
  const known = target.segments.get(name);
  if (known === undefined) {
    const contactBookId = target.book?.id;
    const id =
      isDry || contactBookId === undefined
        ? null
        : (
            await createWithinLimit(db, teamId, { noun: 'segments', limits }, (trx) =>
              createMemberSegment(trx, teamId, { name, contactBookId }),
            )
          ).id;
    target.segments.set(name, id);
    report.counts.segments.created += 1;
    return id;
  }
  return known;
}

function shorten(name: string): string {
  return [...name].slice(0, MAX_NAME).join('');
}
