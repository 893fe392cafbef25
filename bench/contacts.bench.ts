/** Requests for single contacts and books, each one statement, compared with that statement alone. */
import { encodeId } from '../src/platform/ids.ts';
import { someContacts } from './contact-book.ts';
import { getLoad, patchContactLoad, postContactLoad } from './contact-loads.ts';
import { compareAdding, openContactWorld, type ContactWorld } from './contact-world.ts';
import { compare, type Measured } from './measure.ts';
import { suite, type Row } from './suite.ts';

/** With one connection the round trip dominates, and there is no goal for it. */
const WANTED_AT_32 = 0.75;
const PATCHED_CONTACTS = 1_000;

export const contactsSuite = suite(openContactWorld, [
  row('POST contacts', 1, postContacts),
  row('POST contacts', 32, postContacts),
  row('PATCH contact', 1, patchContacts),
  row('PATCH contact', 32, patchContacts),
  row('GET contact book', 1, getContactBook),
  row('GET contact book', 32, getContactBook),
]);

function row(
  name: string,
  connections: number,
  measure: (world: ContactWorld, connections: number) => Promise<Measured>,
): Row<ContactWorld> {
  return {
    name: `${name}, ${connections} connection${connections === 1 ? '' : 's'}`,
    unit: 'requests/s',
    wanted: () => (connections === 1 ? null : WANTED_AT_32),
    measure: (world) => measure(world, connections),
  };
}

function postContacts(world: ContactWorld, connections: number): Promise<Measured> {
  const { ours, limit } = world;
  return compareAdding(
    world,
    postContactLoad(ours.door, `${ours.path}/contacts`),
    postContactLoad(limit.door, `/createContact/${limit.book.uuid}`),
    { connections },
  );
}

async function patchContacts(
  { posthorn, ours, limit }: ContactWorld,
  connections: number,
): Promise<Measured> {
  const { db } = posthorn.database;
  const ourIds = await someContacts(db, ours.book, PATCHED_CONTACTS);
  const limitIds = await someContacts(db, limit.book, PATCHED_CONTACTS);
  return compare(
    patchContactLoad(
      ours.door,
      ourIds.map((id) => `${ours.path}/contacts/${encodeId('con', id)}`),
    ),
    patchContactLoad(
      limit.door,
      limitIds.map((id) => `/updateContact/${limit.book.uuid}/${id}`),
    ),
    { connections },
  );
}

function getContactBook({ ours, limit }: ContactWorld, connections: number): Promise<Measured> {
  return compare(getLoad(ours.door, ours.path), getLoad(limit.door, `/getContactBook/${limit.book.uuid}`), {
    connections,
  });
}
