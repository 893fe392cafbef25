/** The last step of a double opt-in: the button behind the link in the confirmation mail. */
import { sql } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../platform/database.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from '../contacts/contacts.ts';
import { hashAddress, type ConfirmLink } from '../tracking/links.ts';
import { sendConfirmationsLater } from '../contacts/confirmations.ts';
import { announce } from '../webhooks/announce.ts';
import { findContact, type LinkedContact } from './find-contact.ts';
import { RECIPIENT } from './unsubscribe.ts';

/** `left` unsubscribed since: an old link does not bring him back. `gone` is no contact any more, or another address. */
type Confirmation = 'asked' | 'confirmed' | 'expired' | 'left' | 'gone';

export interface ConfirmationView {
  state: Confirmation;
  email: string;
  bookName: string;
}

export async function viewConfirmation(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  return present(await findContact(db, link), link, await databaseNow(db));
}

/** Pending becomes subscribed, once; doing it again is fine. */
export async function confirmContact(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  return inTransaction(db, async (trx) => {
    const found = present(await findContact(trx, link, 'locked'), link, await databaseNow(trx));
    if (found.state !== 'asked') return found;
    const { rows } = await sql<ContactRow>`
      update contacts set subscription = 'subscribed', unsubscribe_reason = null,
        subscription_changed_at = now(), subscription_changed_by = ${RECIPIENT}, updated_at = now()
      where team_id = ${link.teamId} and contact_book_id = ${link.contactBookId} and id = ${link.contactId}
      returning ${CONTACT_COLUMNS}
    `.execute(trx);
    await announce(trx, link.teamId, [{ type: 'contact.confirmed', data: presentContact(rows[0]!) }]);
    return { ...found, state: 'confirmed' };
  });
}

/** For who comes with an expired link; like every such mail at most once in ten minutes. */
export async function sendAnotherConfirmation(db: Db, link: ConfirmLink): Promise<ConfirmationView> {
  const found = await viewConfirmation(db, link);
  if (found.state === 'expired' || found.state === 'asked') await sendConfirmationsLater(db, link);
  return found;
}

function present(contact: LinkedContact | undefined, link: ConfirmLink, now: Date): ConfirmationView {
  if (!contact || hashAddress(contact.addressKey) !== link.addressHash)
    return { state: 'gone', email: '', bookName: '' };
  const { email, bookName, subscription } = contact;
  const isExpired = link.expiresAt <= now;
  const state = {
    subscribed: 'confirmed',
    unsubscribed: 'left',
    pending: isExpired ? 'expired' : 'asked',
  } as const;
  return { state: state[subscription], email, bookName };
}
