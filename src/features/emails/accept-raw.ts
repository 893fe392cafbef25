/** A message that comes in one piece: kept byte for byte, but for what every message must have or must not have. */
import { prepareRaw, toMessage } from '../../mail/prepare-raw.ts';
import { readSummary, type RawSummary } from '../../mail/raw-summary.ts';
import type { Db } from '../../platform/database.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import { MAX_RECIPIENTS } from './emails.schema.ts';
import { requireSender } from './require-sender.ts';
import type { Message, RawContent, Submission } from './submission.ts';

/** An entry of an index can take about 2,700 bytes, and a report is matched by the start of a longer one as well. */
const MAX_MESSAGE_ID_LENGTH = 500;
const MAX_OTHER_SENDERS = 10;

export async function acceptRaw(
  db: Db,
  caller: Submission['caller'],
  { raw: received, recipients }: RawContent,
  { emailId, now }: { emailId: string; now: Date },
): Promise<Message> {
  const raw = await toMessage(received);
  const summary = readSummary(raw);
  if (!summary) throw new AppError('TOO_LARGE', 'The header of this message is too large.');
  if (!summary.from) throw badRequest('A message must have one From field with one address.');
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS)
    throw badRequest(`A message must have 1 to ${MAX_RECIPIENTS} recipients.`);
  const sender = await requireSender(db, caller, summary.from);
  await requireOtherSenders(db, caller, summary.otherSenders);
  const prepared = prepareRaw(raw, { messageId: `<${emailId}@${sender.domain}>`, date: now });
  if (!prepared) throw new AppError('TOO_LARGE', 'The header of this message is too large.');
  return {
    domainId: sender.domainId,
    from: summary.from.given,
    to: summary.to,
    cc: summary.cc,
    bcc: recipients.filter(({ key }) => !summary.namedKeys.has(key)).map(({ email }) => email),
    replyTo: summary.replyTo,
    subject: summary.subject,
    recipients,
    messageId: prepared.messageId.replaceAll('\0', '').slice(0, MAX_MESSAGE_ID_LENGTH),
    leavesAt: null,
    raw: prepared.raw,
  };
}

/** Nobody may name somebody else's domain as the sender, whichever field says it. */
async function requireOtherSenders(
  db: Db,
  caller: Submission['caller'],
  senders: RawSummary['otherSenders'],
): Promise<void> {
  if (senders.length > MAX_OTHER_SENDERS)
    throw badRequest(`A message must have at most ${MAX_OTHER_SENDERS} Sender and Resent-* senders.`);
  for (const { field, mailbox } of senders) {
    if (!mailbox) throw badRequest(`${field} must have one address.`);
    await requireSender(db, caller, mailbox, field);
  }
}
