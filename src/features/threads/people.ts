/** Who takes part in a conversation: shown as they write themselves, compared by their addresses. */
import { parseMailbox, writeMailbox } from '../../mail/address.ts';

export interface People {
  /** `Name <address>` or the address alone. */
  shown: string[];
  /** The same people in the same order, in the spelling that compares. */
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

/** Each once, without the mailbox itself unless it talks to nobody else. */
export function gatherPeople(shown: string[], ownKey: string): People {
  const byKey = new Map<string, string>();
  for (const person of shown) {
    const key = keyOfPerson(person);
    if (key !== '' && !byKey.has(key)) byKey.set(key, person);
  }
  if (byKey.size > 1) byKey.delete(ownKey);
  const people = [...byKey].slice(0, MAX_PEOPLE);
  return { shown: people.map(([, person]) => person), keys: people.map(([key]) => key) };
}

/** Those whom a thread shows. */
export function toPeople(participants: string[]): People {
  return { shown: participants, keys: participants.map(keyOfPerson) };
}

export function joinPeople(before: People, more: People, ownKey: string): People {
  return gatherPeople([...before.shown, ...more.shown], ownKey);
}
