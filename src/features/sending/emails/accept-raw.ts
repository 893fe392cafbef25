/** Accepts a raw message. Its bytes are not changed, except for fields that must be added or removed. */
import { prepareRaw, toMessage } from '../../../mail/mime/compose/prepare-raw.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { readHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import { readSummary, type RawSummary } from '../../../mail/mime/parse/raw-summary.ts';
import { toStoredMessage } from '../../content/stored/stored-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, badRequest } from '../../../platform/errors.ts';
import { requireSender } from './require-sender.ts';
import { UNTRACKED } from './track-email.ts';
import type { SubmittedEnvelope, SubmittedMessage, RawContent, Submission } from './submission.ts';

/**
 * Limited because an index entry holds about 2,700 bytes. Reports with a longer Message-ID are matched by its
 * beginning.
 */
const MAX_MESSAGE_ID_LENGTH = 500;
const MAX_OTHER_SENDERS = 10;

export async function acceptRaw(
  db: Db,
  caller: Submission['caller'],
  content: RawContent,
  { emailId, now }: { emailId: string; now: Date },
): Promise<SubmittedMessage> {
  const { raw: received, recipients, leavesAt = null, labels = null, onlyFrom, envelope } = content;
  if (content.forwardedBy) return acceptForwarded(content, content.forwardedBy, emailId);
  const raw = await toMessage(received);
  const section = readHeaders(raw);
  if (!section) throw new AppError('TOO_LARGE', 'The message header is too large.');
  const summary = readSummary(section);
  if (!summary.from) throw badRequest('A message must have exactly one From header with one address.');
  if (onlyFrom) requireOwnAddress(summary, onlyFrom);
  const sender = await requireSender(db, caller, summary.from);
  await requireOtherSenders(db, caller, summary.otherSenders);
  if (envelope) await requireReportAddress(db, caller, envelope, onlyFrom);
  const prepared = prepareRaw(raw, section, { messageId: `<${emailId}@${sender.domain}>`, date: now });
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
    leavesAt,
    labels,
    tracked: UNTRACKED,
    content: await toStoredMessage(prepared.raw),
    ...(caller.policyIds.length > 0 ? { judged: { raw: prepared.raw } } : {}),
    ...(envelope ? { envelope } : {}),
  };
}

/** A message that passes through is not changed, so that its signatures stay valid. */
async function acceptForwarded(
  { raw, recipients }: RawContent,
  { address, domainId }: NonNullable<RawContent['forwardedBy']>,
  emailId: string,
): Promise<SubmittedMessage> {
  const section = readHeaders(raw);
  if (!section) throw new AppError('TOO_LARGE', 'The message header is too large.');
  const { to, subject } = readSummary(section);
  return {
    domainId,
    from: address,
    to,
    cc: [],
    bcc: recipients.map(({ email }) => email),
    replyTo: [],
    subject,
    recipients,
    messageId: `<${emailId}@${address.slice(address.lastIndexOf('@') + 1)}>`,
    leavesAt: null,
    labels: null,
    tracked: UNTRACKED,
    content: await toStoredMessage(raw),
  };
}

/** Delivery reports go only to addresses of the team, so that nobody can have them sent to others. */
async function requireReportAddress(
  db: Db,
  caller: Submission['caller'],
  { sender, recipients }: SubmittedEnvelope,
  onlyFrom: RawContent['onlyFrom'],
): Promise<void> {
  const isNotified = [...recipients.values()].some(({ notify }) => notify !== null && notify !== 'NEVER');
  if (!isNotified || sender === '') return;
  const mailbox = parseMailbox(sender);
  if (!mailbox) throw badRequest('MAIL FROM is not an address that delivery reports can be sent to.');
  if (onlyFrom && mailbox.key !== onlyFrom.addressKey)
    throw new AppError(
      'FORBIDDEN',
      `MAIL FROM must be ${onlyFrom.address}. Delivery reports go only to the mailbox.`,
    );
  await requireSender(db, caller, mailbox, 'MAIL FROM');
}

/** Any display name is allowed. */
function requireOwnAddress(
  { from, otherSenders }: RawSummary,
  { address, addressKey, furtherKeys = [] }: NonNullable<RawContent['onlyFrom']>,
): void {
  const senders = [{ field: 'From', mailbox: from }, ...otherSenders];
  const wrong = senders.find(
    ({ mailbox }) => mailbox?.key !== addressKey && !furtherKeys.includes(mailbox?.key ?? ''),
  );
  if (!wrong) return;
  throw new AppError(
    'FORBIDDEN',
    `${wrong.field} must be ${address}. An app password sends only as its mailbox.`,
  );
}

/** A message must not name a sender of another team's domain in any field. */
async function requireOtherSenders(
  db: Db,
  caller: Submission['caller'],
  senders: RawSummary['otherSenders'],
): Promise<void> {
  if (senders.length > MAX_OTHER_SENDERS)
    throw badRequest(`A message must have at most ${MAX_OTHER_SENDERS} Sender and Resent-* headers.`);
  for (const { field, mailbox } of senders) {
    if (!mailbox) throw badRequest(`${field} must have exactly one address.`);
    await requireSender(db, caller, mailbox, field);
  }
}
