/**
 * Webhooks in the shape of Mailgun. Received messages have the form of a route that forwards whole messages (MIME).
 * The signature is an HMAC of a time and a token. The token is made from the ID of the event, so that receivers
 * recognise a repeated event.
 */
import { createHash, createHmac } from 'node:crypto';
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import {
  jsonRequest,
  type SigningContext,
  type WebhookRequest,
  type WriteRequest,
} from '../../../features/webhooks/format.ts';
import { getDomainName } from '../../../features/sending/domains/find-domain.ts';
import { findSuppressionReasons } from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { readEmailEvent, textOf, toSeconds, type EmailEvent } from '../mapping/email-event.ts';
import { formRequest } from '../mapping/form-request.ts';
import { isReceived, readReceived } from '../mapping/received-message.ts';
import { presentEvent } from './event-shape.ts';
import { hasName } from './event-types.ts';
import { findDomainTag } from './labels.ts';

const TOKEN_LENGTH = 50;

export const writeMailgunRequest: WriteRequest = async (db, event, context) => {
  const forwarded = isReceived(event) ? await forward(db, event, context) : null;
  if (forwarded) return forwarded;
  return jsonRequest({ signature: sign(event, context), 'event-data': await toEventData(db, event) });
};

function sign({ id }: ToldEvent, { secrets, now }: SigningContext) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const token = createHash('sha256').update(`mailgun ${id}`).digest('hex').slice(0, TOKEN_LENGTH);
  const signature = createHmac('sha256', secrets[0]).update(timestamp).update(token).digest('hex');
  return { timestamp, token, signature };
}

async function toEventData(db: Db, event: ToldEvent): Promise<object> {
  const { type, timestamp, data } = event.payload;
  const email = readEmailEvent(event);
  if (email && hasName(email.type)) return presentEmail(db, event, email);
  const head = { id: event.id, timestamp: toSeconds(timestamp), 'log-level': 'info' };
  if (type !== 'contact.unsubscribed') return { ...head, event: type, data };
  const recipient = textOf(data.email);
  return {
    ...head,
    event: 'unsubscribed',
    recipient,
    'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
    tags: [],
    campaigns: [],
    'user-variables': {},
  };
}

async function presentEmail(db: Db, { teamId, id }: ToldEvent, email: EmailEvent): Promise<object> {
  const { type, at, recipient, from } = email;
  const key = parseAddress(recipient)?.key;
  const reasons =
    type === 'email.suppressed' && key ? await findSuppressionReasons(db, teamId, [key]) : new Map();
  const listed = {
    ...email,
    position: { at, id },
    data: email.details,
    sender: from,
  };
  return presentEvent(listed, await findDomain(db, teamId, email), reasons);
}

/** The domain in the path of the request that sent the email. */
async function findDomain(db: Db, teamId: number, { labels, from }: EmailEvent): Promise<string> {
  const own = parseMailbox(from)?.domain ?? '';
  const domainId = findDomainTag(labels.tags);
  if (domainId === undefined) return own;
  // The domain may have been deleted.
  return getDomainName(db, teamId, domainId).catch(() => own);
}

async function forward(db: Db, event: ToldEvent, context: SigningContext): Promise<WebhookRequest | null> {
  const mail = await readReceived(db, event);
  if (!mail) return null;
  const { from, subject } = event.payload.data;
  return formRequest(event.id, {
    recipient: mail.recipient,
    sender: mail.envelopeSender,
    from: textOf(from),
    subject: textOf(subject),
    'message-headers': JSON.stringify(mail.headers.map(({ name, value }) => [name, value])),
    'body-mime': mail.source,
    ...sign(event, context),
  });
}
