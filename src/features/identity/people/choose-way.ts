/**
 * How the link of an invitation reaches the person.
 *
 * - Normally it is sent to the address and shown to nobody else. Whoever uses it reads the mail of the address.
 * - While nobody can send it (the sandbox is on, or neither the team nor the first team, which runs the server, has a
 *   verified domain), the inviter gets the link. It proves nothing.
 * - A mailbox of the team itself gets no such mail, because the team could read it, and because the person can often
 *   read it only after joining. The inviter gets the link. It proves the address, because the team holds its domain and
 *   decides who has addresses there.
 */
import type { Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import { findDestination } from '../../mailboxes/mailboxes/find-mailbox.ts';
import { isSuppressed } from '../../sending/suppressions/suppressions.ts';
import { listSenders } from './account-mail.ts';
import type { CreatedInvitation } from './members.schema.ts';

interface Way {
  /** The team that sends the link. Null: it is not sent. */
  sender: number | null;
  /** Whether the inviter sees the link. */
  isShown: boolean;
  proves: boolean;
  notMailedBecause: CreatedInvitation['notMailedBecause'];
}

export async function chooseWay(db: Db, facts: Facts, teamId: number, email: string): Promise<Way> {
  if (facts.mailTransport === 'sandbox') return show(false, 'sandbox');
  const destination = await findDestination(db, email);
  if (destination?.teamId === teamId) return show(true, 'own_mailbox');
  const [sender] = await listSenders(db, [teamId]);
  if (sender === undefined) return show(false, 'no_domain');
  if (await isSuppressed(db, sender, email))
    return { sender: null, isShown: false, proves: false, notMailedBecause: 'suppressed' };
  return { sender, isShown: false, proves: true, notMailedBecause: null };
}

function show(proves: boolean, notMailedBecause: Way['notMailedBecause']): Way {
  return { sender: null, isShown: true, proves, notMailedBecause };
}
