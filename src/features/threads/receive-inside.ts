/** Mail of this instance to a mailbox of its own, that never leaves it: transports hand it over here. */
import { parseMessage } from '../../mail/parse-message.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { findDestination } from '../mailboxes/find-mailbox.ts';
import { receiveMessage } from './receive.ts';

export interface InsideLetter {
  emailId: string;
  mailFrom: string;
  recipient: string;
  chunks: Buffer[];
}

/** False when no mailbox here takes it. */
export async function receiveInside(db: Db, letter: InsideLetter): Promise<boolean> {
  const destination = await findDestination(db, letter.recipient);
  if (!destination) return false;
  const raw = Buffer.concat(letter.chunks);
  return receiveMessage(db, {
    destinations: [destination],
    raw,
    trace: `Return-Path: <${letter.mailFrom}>\r\n`,
    parsed: await parseMessage(raw),
    mailFrom: letter.mailFrom,
    authentication: null,
    isSpam: false,
    // Once for each mailbox, however often it is tried and by whichever of its addresses.
    deliveryKey: sha256(`letter ${letter.emailId}`),
  });
}
