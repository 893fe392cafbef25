/** The preferences page, on which contacts choose their topics. */
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { changeContactTopics } from '../topics/change-topics.ts';
import { listContactTopics } from '../topics/contact-topics.ts';
import type { ContactTopic } from '../topics/topics.schema.ts';
import type { ContactRef } from '../../content/links/links.ts';
import { findContact, type LinkedContact } from './find-contact.ts';
import { RECIPIENT } from './unsubscribe.ts';

/** The most topics that the page shows. */
const MAX_TOPICS = 100;

export interface PreferencesView extends LinkedContact {
  topics: ContactTopic[];
}

/** Null for a deleted contact. */
export async function viewPreferences(db: Db, ref: ContactRef): Promise<PreferencesView | null> {
  const contact = await findContact(db, ref);
  return contact ? { ...contact, topics: await topicsOf(db, ref) } : null;
}

/** Subscribes to the chosen topics and leaves the other shown ones. Topics that were not shown stay unchanged. */
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
