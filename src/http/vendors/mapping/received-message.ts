/** A message that a mailbox received, as the inbound webhooks of vendors need it. */
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import { readMessageSource } from '../../../features/mailboxes/reading/messages.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { readAnyHeaders, type RawHeader } from '../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../platform/database/database.ts';

export interface InboundMail {
  source: Buffer;
  headers: RawHeader[];
  /** The address of MAIL FROM. Empty for reports. */
  envelopeSender: string;
  /** The address of the mailbox. */
  recipient: string;
}

export function isReceived({ payload }: ToldEvent): boolean {
  return payload.type === 'mailbox.message.received';
}

/** Null if the message was deleted. */
export async function readReceived(db: Db, { teamId, message }: ToldEvent): Promise<InboundMail | null> {
  const source = message && (await readMessageSource(db, teamId, message.id));
  if (!source) return null;
  const { headers } = readAnyHeaders(source);
  // We write Return-Path above the message, so a first line with this name is ours.
  const [first] = headers;
  const isPath = first?.name.toLowerCase() === 'return-path';
  return {
    source,
    headers: isPath ? headers.slice(1) : headers,
    envelopeSender: isPath ? first.value.replaceAll(/^<|>$/g, '') : '',
    recipient: parseMailbox(message.mailbox)?.email ?? message.mailbox,
  };
}
