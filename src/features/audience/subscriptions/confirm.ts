/** Confirms a double opt-in: the page behind the link in the confirmation email. */
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { updateContactRow } from '../contacts/update-contacts.ts';
import { hashAddress, type ConfirmLink } from '../../content/links/links.ts';
import { sendConfirmationsLater } from '../contacts/confirmations.ts';
import { confirmSignUp } from '../forms/sign-up.ts';
import { findContact, type LinkedContact } from './find-contact.ts';
import { RECIPIENT } from './unsubscribe.ts';

/**
 * `left`: the contact has unsubscribed since, and an old link does not resubscribe it. `gone`: the contact was
 * deleted or has another address.
 */
type Confirmation = 'asked' | 'confirmed' | 'expired' | 'left' | 'gone';

export interface ConfirmationView {
  state: Confirmation;
  email: string;
  bookName: string;
}

export async function viewConfirmation(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  return present(await findContact(db, link), link, await databaseNow(db));
}

/** Subscribes a pending contact, or one that has signed up again by a form. Repeating it changes nothing. */
export async function confirmContact(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  return inTransaction(db, async (trx) => {
    const found = present(await findContact(trx, link, 'locked'), link, await databaseNow(trx));
    if (found.state !== 'asked') return found;
    const { teamId, contactBookId: bookKey, contactId: id } = link;
    await confirmSignUp(trx, link, RECIPIENT);
    const update = { subscribed: true };
    await updateContactRow(trx, { teamId, bookKey, id, update, by: RECIPIENT, confirms: true });
    return { ...found, state: 'confirmed' };
  });
}

/** Sends a new link, for example when the old one has expired, but at most one email in ten minutes. */
export async function sendAnotherConfirmation(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  const found = await viewConfirmation(db, link);
  if (found.state === 'expired' || found.state === 'asked') await sendConfirmationsLater(db, link);
  return found;
}

function present(contact: LinkedContact | undefined, link: ConfirmLink, now: Date): ConfirmationView {
  if (!contact || hashAddress(contact.addressKey) !== link.addressHash)
    return { state: 'gone', email: '', bookName: '' };
  const { email, bookName, subscription, awaitsConfirmation } = contact;
  if (awaitsConfirmation) return { state: link.expiresAt <= now ? 'expired' : 'asked', email, bookName };
  return { state: subscription === 'subscribed' ? 'confirmed' : 'left', email, bookName };
}
