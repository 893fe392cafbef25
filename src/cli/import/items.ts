/**
 * The items that the readers of vendors yield and the writer stores. Suppressions and topics come before the contacts
 * that they concern, and a list before its contacts.
 */
import type { SentOwnValues } from '../../features/audience/own-fields/own-fields.ts';
import type { Suppression } from '../../features/sending/suppressions/suppressions.schema.ts';

export type Item =
  | { kind: 'domain'; name: string }
  | { kind: 'template'; template: ImportedTemplate }
  | { kind: 'topic'; topic: ImportedTopic }
  | { kind: 'suppression'; email: string; reason: Suppression['reason'] }
  | { kind: 'list'; list: ImportedList }
  | { kind: 'contact'; listId: string; contact: ImportedContact }
  /** Puts a contact that was imported before into a segment. */
  | { kind: 'member'; listId: string; segment: string; email: string }
  /** A row of a file that cannot be read. */
  | { kind: 'refused'; what: string; reason: string }
  /** An item that has no counterpart here. It is counted in the final report. */
  | { kind: 'skipped'; what: string }
  /** All earlier items have been yielded. `cursor` is the position to continue at, null at the end of the step. */
  | { kind: 'checkpoint'; step: string; cursor: string | null };

export interface ImportedTemplate {
  name: string;
  alias?: string | null;
  subject: string | null;
  html: string | null;
  text: string | null;
}

export interface ImportedTopic {
  /** The vendor's ID. */
  id: string;
  name: string;
  description: string | null;
  defaultSubscription: 'opt_in' | 'opt_out';
}

export interface ImportedList {
  /** The vendor's ID. A second run finds the contact book by it. */
  id: string;
  name: string;
  doubleOptIn: boolean;
  /** True if the contacts go to the oldest contact book of the team, which the Resend door shows. */
  isOldestBook?: boolean;
}

export interface ImportedContact extends SentOwnValues {
  email: string;
  properties?: Record<string, unknown>;
  /** `pending` has not confirmed yet. `cleaned` bounced. */
  status: 'subscribed' | 'unsubscribed' | 'pending' | 'cleaned';
  /** The reason why the contact has unsubscribed. */
  reason?: string | null;
  /** The names of segments that the contact belongs to. */
  segments?: string[];
  /** Choices by the vendor's IDs of topics. */
  topics?: { id: string; subscribed: boolean }[];
}

/** The position at which an interrupted run stopped. */
export interface Checkpoints {
  /** The cursor to continue at, null if the step is done, undefined if it has not begun. */
  cursorOf(step: string): string | null | undefined;
}

export interface Reader {
  /** The vendor's name for messages. */
  vendor: string;
  read(checkpoints: Checkpoints): AsyncGenerator<Item>;
}

export interface EntryPage<Entry> {
  entries: Entry[];
  next: string | null;
}

/** Reads all entries of a short list, without checkpoints. */
export async function* readEntries<Entry>(
  readPage: (cursor: string | undefined) => Promise<EntryPage<Entry>>,
): AsyncGenerator<Entry> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: EntryPage<Entry> = await readPage(cursor);
    yield* page.entries;
    cursor = page.next;
  }
}

/**
 * Reads a list page by page, from the last checkpoint on. A page whose `next` is null is the last one. `cursor` is
 * undefined for the first page.
 */
export async function* readPages<Entry>(
  step: string,
  checkpoints: Checkpoints,
  readPage: (cursor: string | undefined) => Promise<EntryPage<Entry>>,
  toItems: (entry: Entry) => Item[],
): AsyncGenerator<Item> {
  let cursor = checkpoints.cursorOf(step);
  while (cursor !== null) {
    const { entries, next } = await readPage(cursor);
    for (const entry of entries) yield* toItems(entry);
    cursor = next;
    yield { kind: 'checkpoint', step, cursor };
  }
}

/** Splits a person's name into the first word and the rest. */
export function splitName(name: string | null | undefined): { firstName?: string; lastName?: string } {
  const [firstName, ...rest] = (name ?? '').trim().split(/\s+/);
  return { firstName: firstName || undefined, lastName: rest.join(' ') || undefined };
}
