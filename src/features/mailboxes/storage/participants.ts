/** The participants of a thread. They are displayed as in headers, and compared by address. */
import { parseMailbox, writeMailbox } from '../../../mail/mime/address.ts';

export interface People {
  /** `Name <address>` or only the address. */
  shown: string[];
  /** Normalised addresses of the same people, in the same order. */
  keys: string[];
}

const MAX_PEOPLE = 50;
const MAX_LENGTH = 400;
const MAX_NAME_LENGTH = 200;

export function formatPerson({ name, address }: { name: string | null; address: string }): string {
  return writeMailbox(
    name && name.slice(0, MAX_NAME_LENGTH).trim(),
    address.slice(0, MAX_LENGTH),
  ).toWellFormed();
}

export function keyOfPerson(shown: string): string {
  const bare = /<([^<>]*)>\s*$/.exec(shown)?.[1] ?? shown;
  return parseMailbox(bare)?.key ?? bare.trim().toLowerCase().slice(0, MAX_LENGTH).toWellFormed();
}

/**
 * Returns each person once. Leaves out the mailbox itself unless it is the only participant. A sender without an address
 * is a participant too, but cannot be shown.
 */
export function collectPeople(shown: string[], ownKey: string): People {
  const byKey = new Map<string, string>();
  let isSomeoneUnnamed = false;
  for (const person of shown) {
    const key = keyOfPerson(person);
    if (key === '') isSomeoneUnnamed = true;
    else if (!byKey.has(key)) byKey.set(key, person);
  }
  if (byKey.size > 1 || isSomeoneUnnamed) byKey.delete(ownKey);
  const people = [...byKey].slice(0, MAX_PEOPLE);
  return { shown: people.map(([, person]) => person), keys: people.map(([key]) => key) };
}

/** Parses the participants stored with a thread. */
export function toPeople(participants: string[]): People {
  return { shown: participants, keys: participants.map(keyOfPerson) };
}

export function joinPeople(before: People, more: People, ownKey: string): People {
  return collectPeople([...before.shown, ...more.shown], ownKey);
}
