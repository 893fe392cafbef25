/**
 * Webhooks in the shape of SendGrid: a list of events with an ECDSA signature. Received messages have the form of
 * its Inbound Parse webhook with the option to post the raw message.
 */
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import { readRecipients } from '../../../features/webhooks/event-facts.ts';
import { signEcdsa } from '../../../features/webhooks/ecdsa-signature.ts';
import { jsonRequest, type WebhookRequest, type WriteRequest } from '../../../features/webhooks/format.ts';
import { findSuppressionReasons } from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { readEmailEvent, replyOf, textOf, toSeconds, type EmailEvent } from '../mapping/email-event.ts';
import { formRequest } from '../mapping/form-request.ts';
import { readLabels, readMetadata } from '../mapping/labels.ts';
import { isReceived, readReceived } from '../mapping/received-message.ts';
import { BATCH_TAG, CATEGORY } from './to-emails.ts';

export const writeSendgridRequest: WriteRequest = async (db, event, { secrets, now }) => {
  const parsed = isReceived(event) ? await parse(db, event) : null;
  const request = parsed ?? jsonRequest(await toEvents(db, event));
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    ...request,
    headers: {
      'x-twilio-email-event-webhook-signature': signEcdsa(secrets[0], timestamp, request.body),
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
  };
};

async function toEvents(db: Db, event: ToldEvent): Promise<object[]> {
  const { type, timestamp, data } = event.payload;
  const email = readEmailEvent(event);
  if (email) return toEmailEvents(db, event, email);
  const head = { timestamp: toSeconds(timestamp), sg_event_id: idOf(event, 0) };
  if (type === 'contact.unsubscribed')
    return [{ email: textOf(data.email), ...head, event: 'unsubscribe', category: [] }];
  return [{ ...head, event: type, data }];
}

/** SendGrid has an event for each recipient. */
async function toEmailEvents(db: Db, event: ToldEvent, email: EmailEvent): Promise<object[]> {
  const all = email.isAboutAll && !isVisit(email) && event.email;
  const recipients = all ? await readRecipients(db, event.teamId, all.id) : [email.recipient];
  const outcome = await describe(db, event.teamId, email);
  return recipients.map((recipient, no) => ({
    // SendGrid puts custom arguments beside its own fields, which win.
    ...readMetadata(CATEGORY, email.labels),
    email: recipient,
    timestamp: toSeconds(email.at),
    'smtp-id': email.messageId,
    category: categoriesOf(email),
    sg_event_id: idOf(event, no),
    sg_message_id: email.emailId,
    ...outcome,
  }));
}

/** Who opened an email or clicked in it may be unknown. */
function isVisit({ type }: EmailEvent): boolean {
  return type === 'email.opened' || type === 'email.clicked';
}

async function describe(db: Db, teamId: number, { type, details, recipient }: EmailEvent): Promise<object> {
  const useragent = textOf(details.userAgent);
  const status = textOf(details.enhanced);
  switch (type) {
    case 'email.queued':
    case 'email.scheduled':
      return { event: 'processed' };
    case 'email.delivered':
      return { event: 'delivered', response: replyOf(details) };
    case 'email.delivery_delayed':
      return { event: 'deferred', response: replyOf(details), status };
    case 'email.bounced':
      return {
        event: 'bounce',
        type: details.bounceType === 'soft' ? 'blocked' : 'bounce',
        reason: replyOf(details),
        status,
      };
    case 'email.suppressed':
      return { event: 'dropped', reason: await whySuppressed(db, teamId, recipient) };
    case 'email.failed':
    case 'email.cancelled':
      return { event: 'dropped', reason: replyOf(details) || 'Cancelled' };
    case 'email.opened':
      return { event: 'open', useragent };
    case 'email.clicked':
      return { event: 'click', url: textOf(details.link), useragent };
    case 'email.complained':
      return { event: 'spamreport' };
    default:
      return { event: type };
  }
}

const REASONS = {
  HARD_BOUNCE: 'Bounced Address',
  COMPLAINT: 'Spam Reporting Address',
  MANUAL: 'Unsubscribed Address',
  ERASED: 'Unsubscribed Address',
};

/** An address that is no longer suppressed counts as bounced, as in Mailgun's events. */
async function whySuppressed(db: Db, teamId: number, recipient: string): Promise<string> {
  const key = parseAddress(recipient)?.key;
  const reasons = key ? await findSuppressionReasons(db, teamId, [key]) : new Map<string, never>();
  return REASONS[reasons.get(key ?? '') ?? 'HARD_BOUNCE'];
}

/** Tags from another API are shown as `name:value`. */
function categoriesOf({ labels }: EmailEvent): string[] {
  const others = labels.tags.filter(({ name }) => name !== CATEGORY && name !== BATCH_TAG);
  return [...readLabels(CATEGORY, labels), ...others.map(({ name, value }) => `${name}:${value}`)];
}

function idOf({ id }: ToldEvent, no: number): string {
  const short = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return no === 0 ? short : `${short}-${no}`;
}

async function parse(db: Db, event: ToldEvent): Promise<WebhookRequest | null> {
  const mail = await readReceived(db, event);
  if (!mail) return null;
  const { from, to, subject } = event.payload.data;
  return formRequest(event.id, {
    to: Array.isArray(to) ? to.join(', ') : '',
    from: textOf(from),
    subject: textOf(subject),
    envelope: JSON.stringify({ to: [mail.recipient], from: mail.envelopeSender }),
    charsets: JSON.stringify({ to: 'UTF-8', from: 'UTF-8', subject: 'UTF-8' }),
    email: mail.source,
  });
}
