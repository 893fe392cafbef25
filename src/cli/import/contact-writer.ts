/** Stores contacts in batches, each list in its book. */
import {
  beginCommandImport,
  findChangedContacts,
  storeImportedContacts,
  storeTopicChoices,
  type CommandImport,
} from '../../features/audience/contacts/imports/import-by-command.ts';
import { addBookVariables } from '../../features/audience/contacts/imports/book-variables.ts';
import { contactBookKey } from '../../features/audience/contact-books/contact-books.ts';
import { parseAddress } from '../../mail/mime/address.ts';
import { openBook, openSegment, type TargetBook } from './books.ts';
import type { ImportedContact, ImportedList } from './items.ts';
import { refuse } from './report.ts';
import { toContact, type ConvertedContact } from './to-contact.ts';
import type { Writing } from './writing.ts';

interface Target extends TargetBook {
  /** Created with the first stored contact. */
  imports: Partial<Record<CommandImport['consent'], CommandImport>>;
  properties: Set<string>;
}

export interface ContactWriter {
  open(list: ImportedList): Promise<void>;
  /** `topicKeys` maps the vendor's IDs to our topics. */
  store(listId: string, contacts: ImportedContact[], topicKeys: Map<string, string>): Promise<void>;
  /** Adds stored contacts to a segment. Unknown addresses were rejected before. */
  join(listId: string, segment: string, emails: string[]): Promise<void>;
}

export function createContactWriter(writing: Writing): ContactWriter {
  const targets = new Map<string, Target>();
  const { db, teamId, report, isDry } = writing;
  const counts = report.counts.contacts;

  return {
    async open(list) {
      if (targets.has(list.id)) return;
      targets.set(list.id, { ...(await openBook(writing, list)), imports: {}, properties: new Set() });
    },
    async store(listId, contacts, topicKeys) {
      const target = targets.get(listId)!;
      const converted = await convert(writing, target, contacts);
      const { book } = target;
      if (!book) {
        counts.created += converted.length;
        return;
      }
      const { isNew, isChanged } = await findChangedContacts(db, teamId, book.id, converted);
      const wanted = converted.filter((_, index) => isNew[index] || isChanged[index]);
      counts.unchanged += converted.length - wanted.length;
      if (isDry) {
        counts.created += isNew.filter(Boolean).length;
        counts.updated += isChanged.filter(Boolean).length;
        return;
      }
      for (const [index, each] of converted.entries()) {
        // Without double opt-in, a contact that has not confirmed would be subscribed.
        const isUnconfirmed = each.consent === 'none' && each.contact.subscribed !== false;
        if (isNew[index] && isUnconfirmed && !book.doubleOptInEnabled)
          each.contact = { ...each.contact, subscribed: false, unsubscribeReason: 'UNCONFIRMED' };
        for (const name of Object.keys(each.contact.properties ?? {})) target.properties.add(name);
      }
      await storeChanged(writing, target, wanted);
      await addBookVariables(db, teamId, contactBookKey(book.id), [...target.properties]);
      await storeTopicChoices(
        db,
        teamId,
        book.id,
        converted.flatMap(({ contact, topics }) =>
          topics.flatMap(({ id, subscribed }) => {
            const topicKey = topicKeys.get(id);
            return topicKey === undefined ? [] : [{ emailKey: contact.email.key, topicKey, subscribed }];
          }),
        ),
      );
    },
    async join(listId, segment, emails) {
      const target = targets.get(listId)!;
      const segmentId = await openSegment(writing, target, segment);
      if (segmentId === null || !target.book || isDry) return;
      const members = emails.flatMap((text) => {
        const email = parseAddress(text);
        return email
          ? [{ contact: { email, properties: { [segmentId]: true } }, consent: 'none' as const, topics: [] }]
          : [];
      });
      const { isChanged } = await findChangedContacts(db, teamId, target.book.id, members);
      const joining = members.filter((_, index) => isChanged[index]);
      if (joining.length === 0) return;
      const before = { ...counts };
      await storeChanged(writing, target, joining);
      // These contacts were already counted when they were stored.
      Object.assign(counts, before);
    },
  };
}

async function convert(
  writing: Writing,
  target: Target,
  contacts: ImportedContact[],
): Promise<ConvertedContact[]> {
  const converted: ConvertedContact[] = [];
  for (const contact of contacts) {
    const ids: string[] = [];
    for (const name of contact.segments ?? []) ids.push((await openSegment(writing, target, name)) ?? '');
    const result = toContact(contact, ids.filter(Boolean), writing);
    if (typeof result === 'string') refuse(writing.report, 'contacts', contact.email, result);
    else converted.push(result);
  }
  return converted;
}

async function storeChanged(writing: Writing, target: Target, changed: ConvertedContact[]): Promise<void> {
  const { db, teamId, report, vendor } = writing;
  for (const consent of ['confirmed', 'none'] as const) {
    const group = changed.filter((each) => each.consent === consent);
    if (group.length === 0) continue;
    const running = (target.imports[consent] ??= await beginCommandImport(db, teamId, target.book!.id, {
      consent,
      consentNote: noteOf(vendor, target.list),
    }));
    const rows = group.map(({ contact }, index) => ({ line: index + 1, contact }));
    const { created, updated, refused } = await storeImportedContacts(db, running, rows);
    report.counts.contacts.created += created;
    report.counts.contacts.updated += updated;
    for (const { email, reason } of refused) refuse(report, 'contacts', email ?? '', reason);
  }
}

function noteOf(vendor: string, { id, name }: ImportedList): string {
  const list = name === id ? name : `${name} (${id})`;
  return `Imported from ${vendor}, list ${list}, on ${new Date().toISOString().slice(0, 10)}`;
}
