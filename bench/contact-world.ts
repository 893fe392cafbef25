/** Starts Posthorn and the limit program on one database, with one book each. */
import { createBook, expectCount, expectSize, type Book } from './contact-book.ts';
import type { CountingLoad, Door } from './contact-loads.ts';
import { startLimit } from './limit.ts';
import { compare, type Comparison, type Measured } from './measure.ts';
import { startPosthorn, type Posthorn } from './posthorn.ts';

export interface ContactWorld {
  posthorn: Posthorn;
  ours: { door: Door; book: Book; path: string };
  limit: { door: Door; book: Book };
}

/** The size of both books before the measurement. */
const BOOK_SIZE = 1_000;

export async function openContactWorld(): Promise<ContactWorld> {
  const posthorn = await startPosthorn();
  const [ourBook, limitBook] = [await createBook(posthorn, BOOK_SIZE), await createBook(posthorn, BOOK_SIZE)];
  const limitPort = await startLimit(posthorn.databaseUrl, limitBook.teamId);
  return {
    posthorn,
    ours: { door: doorOf(posthorn), book: ourBook, path: bookPath(ourBook) },
    limit: { door: { port: limitPort, headers: '' }, book: limitBook },
  };
}

export function doorOf({ port, key }: Posthorn): Door {
  return { port, headers: `authorization: Bearer ${key}\r\n` };
}

export function bookPath({ id }: Book): string {
  return `/api/v1/contactBooks/${id}`;
}

/** Compares two loads that add contacts, and checks that the contacts exist. */
export async function compareAdding(
  { posthorn, ours, limit }: ContactWorld,
  ourLoad: CountingLoad,
  limitLoad: CountingLoad,
  comparison: Comparison,
): Promise<Measured> {
  const measured = await compare(ourLoad, limitLoad, comparison);
  ours.book.size += ourLoad.contacts();
  limit.book.size += limitLoad.contacts();
  await expectSize(posthorn.database.db, ours.book);
  await expectSize(posthorn.database.db, limit.book);
  await expectCount(posthorn, ours.book);
  return measured;
}
