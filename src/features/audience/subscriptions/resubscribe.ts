/**
 * Subscribes someone again who has unsubscribed, by the signed link of an email. The same rules hold as for a sign-up:
 * with double opt-in the person has to confirm by email, and a suppressed address stays unsubscribed.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { ContactRef } from '../../content/links/links.ts';
import { sendConfirmationsLater } from '../contacts/confirmations.ts';
import { updateContactRow } from '../contacts/update-contacts.ts';
import { changeContactTopics } from '../topics/change-topics.ts';
import { findContact, findTopic } from './find-contact.ts';
import { RECIPIENT } from './unsubscribe.ts';

/** `asked`: the person gets an email to confirm. `refused`: the contact was deleted or the address is suppressed. */
type Resubscription = 'subscribed' | 'asked' | 'refused';

export interface ResubscribedView {
  result: Resubscription;
  email: string;
  bookName: string;
}

/** With a topic, joins it again too. Repeating it changes nothing. */
export async function resubscribe(
  db: Db,
  ref: ContactRef & { topicId?: string | null },
): Promise<ResubscribedView> {
  const { teamId, contactBookId, contactId } = ref;
  return inTransaction(db, async (trx) => {
    const contact = await findContact(trx, ref, 'locked');
    if (!contact) return { result: 'refused', email: '', bookName: '' };
    const { email, bookName, subscription } = contact;
    if (contact.isSuppressed) return { result: 'refused', email, bookName };
    const topic = ref.topicId ? await findTopic(trx, ref, ref.topicId) : undefined;
    if (topic && !topic.subscribed) {
      const changes = [{ id: encodeId('top', ref.topicId!), subscribed: true }];
      const ids = [encodeId('cbk', contactBookId), encodeId('con', contactId)] as const;
      await changeContactTopics(trx, teamId, ...ids, changes, RECIPIENT);
    }
    if (subscription === 'subscribed') return { result: 'subscribed', email, bookName };
    if (contact.doubleOptIn) {
      await askAgain(trx, ref);
      return { result: 'asked', email, bookName };
    }
    const update = { subscribed: true };
    await updateContactRow(trx, { teamId, bookKey: contactBookId, id: contactId, update, by: RECIPIENT });
    return { result: 'subscribed', email, bookName };
  });
}

/** Notes a sign-up without a form, so that the contact waits for its confirmation. */
async function askAgain(trx: Db, ref: ContactRef): Promise<void> {
  await sql`
    update contacts set sign_up_form_id = null, sign_up_at = now()
    where team_id = ${ref.teamId} and contact_book_id = ${ref.contactBookId} and id = ${ref.contactId}
      and subscription = 'unsubscribed'
  `.execute(trx);
  await sendConfirmationsLater(trx, ref);
}
