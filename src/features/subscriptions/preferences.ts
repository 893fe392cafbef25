/** What a contact wants to hear about, chosen by himself: topics one by one, or nothing any more. */
import { inTransaction, type Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { changeContactTopics, listContactTopics } from '../topics/contact-topics.ts';
import type { ContactTopic } from '../topics/topics.schema.ts';
import type { ContactRef } from '../tracking/links.ts';
import { findContact, type LinkedContact } from './find-contact.ts';
import { RECIPIENT } from './unsubscribe.ts';

/** As many as a page can show to a person. */
const MAX_TOPICS = 100;

export interface PreferencesView extends LinkedContact {
  topics: ContactTopic[];
}

/** Null for a contact that is gone. */
export async function viewPreferences(db: Db, ref: ContactRef): Promise<PreferencesView | null> {
  const contact = await findContact(db, ref);
  return contact ? { ...contact, topics: await topicsOf(db, ref) } : null;
}

/** Of the topics that the page showed the contact is in the chosen ones from now on, and in no other. */
export async function choosePreferences(
  db: Db,
  ref: ContactRef,
  choice: { shown: string[]; chosen: string[] },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await findContact(trx, ref, 'locked'))) return;
    const shown = new Set(choice.shown);
    const chosen = new Set(choice.chosen);
    const changes = (await topicsOf(trx, ref))
      .filter(({ id, subscribed }) => shown.has(id) && chosen.has(id) !== subscribed)
      .map(({ id }) => ({ id, subscribed: chosen.has(id) }));
    if (changes.length > 0) await changeContactTopics(trx, ref.teamId, ...idsOf(ref), changes, RECIPIENT);
  });
}

async function topicsOf(db: Db, ref: ContactRef): Promise<ContactTopic[]> {
  return (await listContactTopics(db, ref.teamId, ...idsOf(ref), { limit: MAX_TOPICS })).items;
}

function idsOf({ contactBookId, contactId }: ContactRef): [string, string] {
  return [encodeId('cbk', contactBookId), encodeId('con', contactId)];
}
