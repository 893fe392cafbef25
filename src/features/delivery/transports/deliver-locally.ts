/** Delivers to a mailbox of this instance without SMTP. */
import type { Db } from '../../../platform/database/database.ts';
import { receiveLocally } from '../../mailboxes/receiving/receive-locally.ts';
import type { AttemptResult } from './attempt.ts';
import { acceptedAs, type WireMessage } from './transport.ts';

export interface LocalDelivery {
  db: Db;
  /** Tells listeners of the mailbox to check for new mail now. */
  hintMail(): void;
}

/** Returns null when no mailbox has this address. */
export async function deliverLocally(
  { db, hintMail }: LocalDelivery,
  message: WireMessage,
): Promise<AttemptResult | null> {
  if (!(await receiveLocally(db, message))) return null;
  hintMail();
  return { outcome: 'delivered', reply: acceptedAs('Delivered locally'), isFinal: true };
}
