/** Receives mail that this instance sends to one of its own mailboxes, without going through SMTP. */
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { findDestination } from '../mailboxes/find-mailbox.ts';
import { receiveMessage } from './receive.ts';

export interface InternalMessage {
  emailId: string;
  mailFrom: string;
  recipient: string;
  chunks: Buffer[];
}

/** Returns false if no mailbox accepts the message. */
export async function receiveLocally(db: Db, message: InternalMessage): Promise<boolean> {
  const destination = await findDestination(db, message.recipient);
  if (!destination) return false;
  const raw = Buffer.concat(message.chunks);
  return receiveMessage(db, {
    destinations: [destination],
    raw,
    trace: `Return-Path: <${message.mailFrom}>\r\n`,
    parsed: await parseMessage(raw),
    mailFrom: message.mailFrom,
    authentication: null,
    isSpam: false,
    // Stores the message once per mailbox, regardless of the number of attempts and the address that was used.
    deliveryKey: sha256(`letter ${message.emailId}`),
  });
}
