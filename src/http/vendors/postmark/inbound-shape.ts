/** A received message in the shape of Postmark's inbound webhook. */
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { writeMailbox } from '../../../mail/mime/address.ts';
import type { MailPerson } from '../../../mail/mime/parse/shown-person.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import { textOf } from '../mapping/email-event.ts';
import { readReceived } from '../mapping/received-message.ts';

/** Postmark shows these in fields of their own. */
const SHOWN_ELSEWHERE = new Set(['from', 'to', 'cc', 'bcc', 'subject', 'date', 'reply-to']);

/** Null if the message was deleted. */
export async function toInboundMessage(db: Db, event: ToldEvent): Promise<object | null> {
  const mail = await readReceived(db, event);
  if (!mail) return null;
  const { from, to, cc, replyTo, subject, date, text, html, attachments } = await parseMessage(mail.source);
  const headers = mail.headers.filter(({ name }) => !SHOWN_ELSEWHERE.has(name.toLowerCase()));
  return {
    RecordType: 'Inbound',
    MessageStream: 'inbound',
    MessageID: textOf(event.payload.data.messageId),
    From: from?.address ?? '',
    FromName: from?.name ?? '',
    FromFull: toFull(from ?? { address: '', name: null }),
    To: write(to),
    ToFull: to.map(toFull),
    Cc: write(cc),
    CcFull: cc.map(toFull),
    Bcc: '',
    BccFull: [],
    OriginalRecipient: mail.recipient,
    Subject: subject,
    ReplyTo: write(replyTo),
    MailboxHash: hashOf(mail.recipient),
    Date: date?.toUTCString() ?? '',
    TextBody: text ?? '',
    HtmlBody: html ?? '',
    StrippedTextReply: '',
    Tag: '',
    // Postmark begins the list with the envelope sender.
    Headers: [
      { Name: 'Return-Path', Value: `<${mail.envelopeSender}>` },
      ...headers.map(({ name, value }) => ({ Name: name, Value: decodeWords(value) })),
    ],
    Attachments: attachments.map(({ filename, content, contentType, contentId }) => ({
      Name: filename ?? '',
      Content: Buffer.from(content).toString('base64'),
      ContentType: contentType,
      ContentLength: content.length,
      // Receivers treat an attachment with any ContentID as inline.
      ...(contentId ? { ContentID: contentId } : {}),
    })),
  };
}

function toFull({ address, name }: MailPerson) {
  return { Email: address, Name: name ?? '', MailboxHash: hashOf(address) };
}

function write(people: MailPerson[]): string {
  return people.map(({ address, name }) => writeMailbox(name, address)).join(', ');
}

/** The part after the plus sign, as in ada+orders@example.com. */
function hashOf(address: string): string {
  const local = address.slice(0, Math.max(address.lastIndexOf('@'), 0));
  const plus = local.indexOf('+');
  return plus === -1 ? '' : local.slice(plus + 1);
}
