/**
 * A book with a million contacts must be as fast as one with a thousand. The limit is a second Posthorn, whose database
 * has only the small book.
 */
import { encodeId } from '../src/platform/ids.ts';
import {
  createBook,
  expectCount,
  expectSize,
  middleCursor,
  someContacts,
  type Book,
} from './contact-book.ts';
import { getLoad, patchContactLoad, postContactLoad, type Door } from './contact-loads.ts';
import { bookPath, doorOf } from './contact-world.ts';
import type { Load } from './load.ts';
import { compare, type Measured } from './measure.ts';
import { startPosthorn, type Posthorn } from './posthorn.ts';
import { suite, type Row } from './suite.ts';

interface Place {
  posthorn: Posthorn;
  door: Door;
  book: Book;
  path: string;
}

interface TwoSizes {
  small: Place;
  large: Place;
}

const SMALL = 1_000;
const LARGE = 1_000_000;
const CONNECTIONS = 32;
const WANTED = 0.8;
/** More than the runs reach, so that in the large book each contact is on a page of its own. */
const PATCHED_CONTACTS = 20_000;

export const largeBookSuite = suite(openTwoSizes, [
  row('POST contacts', comparePosts),
  row('PATCH contact', (sizes) => compareEach(sizes, patches)),
  row('GET contact book', (sizes) => compareEach(sizes, ({ door, path }) => getLoad(door, path))),
  row('GET contacts', (sizes) => compareEach(sizes, ({ door, path }) => getLoad(door, `${path}/contacts`))),
  row('GET contacts from the middle', (sizes) => compareEach(sizes, middlePage)),
]);

async function openTwoSizes(): Promise<TwoSizes> {
  return { small: await openPlace(SMALL), large: await openPlace(LARGE) };
}

async function openPlace(size: number): Promise<Place> {
  const posthorn = await startPosthorn();
  const book = await createBook(posthorn, size);
  return { posthorn, door: doorOf(posthorn), book, path: bookPath(book) };
}

function row(name: string, measure: (sizes: TwoSizes) => Promise<Measured>): Row<TwoSizes> {
  return {
    name: `${name}, ${CONNECTIONS} connections, book of ${LARGE.toLocaleString('en-US')}`,
    unit: 'requests/s',
    wanted: () => WANTED,
    measure,
  };
}

async function compareEach(
  { small, large }: TwoSizes,
  loadOf: (place: Place) => Load | Promise<Load>,
): Promise<Measured> {
  return compare(await loadOf(large), await loadOf(small), { connections: CONNECTIONS });
}

async function comparePosts({ small, large }: TwoSizes): Promise<Measured> {
  const loads = [large, small].map(({ door, path }) => postContactLoad(door, `${path}/contacts`));
  const measured = await compare(loads[0]!, loads[1]!, { connections: CONNECTIONS });
  for (const [index, { book, posthorn }] of [large, small].entries()) {
    book.size += loads[index]!.contacts();
    await expectSize(posthorn.database.db, book);
    await expectCount(posthorn, book);
  }
  return measured;
}

async function patches({ posthorn, door, book, path }: Place): Promise<Load> {
  const ids = await someContacts(posthorn.database.db, book, PATCHED_CONTACTS);
  return patchContactLoad(
    door,
    ids.map((id) => `${path}/contacts/${encodeId('con', id)}`),
  );
}

async function middlePage({ posthorn, door, book, path }: Place): Promise<Load> {
  const cursor = await middleCursor(posthorn.database.db, book);
  return getLoad(door, `${path}/contacts?cursor=${cursor}`);
}
