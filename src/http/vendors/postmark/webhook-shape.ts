/** Webhooks in the shape of Postmark. It signs nothing: receivers check the user name and password of the URL. */
import type { ToldEvent } from '../../../features/webhooks/event-facts.ts';
import { jsonRequest, type WriteRequest } from '../../../features/webhooks/format.ts';
import { encodeId } from '../../../platform/ids.ts';
import { toIdNumber } from '../../../platform/id-numbers.ts';
import { readMetadata } from '../mapping/labels.ts';
import { readEmailEvent, replyOf, textOf, type EmailEvent } from '../mapping/email-event.ts';
import { isReceived } from '../mapping/received-message.ts';
import { bounceTypeOf } from './bounce-types.ts';
import { TAG } from './email-shape.ts';
import { toInboundMessage } from './inbound-shape.ts';
import { streamOf, tagOf, UNKNOWN_SOFTWARE } from './messages.ts';

/** The stream of emails to many, which people unsubscribe from. */
const BROADCASTS = 'broadcast';

export const writePostmarkRequest: WriteRequest = async (db, event) => {
  const inbound = isReceived(event) ? await toInboundMessage(db, event) : null;
  return jsonRequest(inbound ?? toRecord(event));
};

function toRecord(event: ToldEvent): object {
  const { type, timestamp, data } = event.payload;
  const email = readEmailEvent(event);
  const record = email && toEmailRecord(event, email);
  if (record) return record;
  if (type === 'contact.unsubscribed' || type === 'contact.confirmed')
    return toSubscriptionChange(event, type === 'contact.unsubscribed');
  return { RecordType: type, ServerID: event.teamId, ReceivedAt: timestamp, Data: data };
}

/** Null for events that Postmark does not have, such as email.sent. */
function toEmailRecord(event: ToldEvent, email: EmailEvent): object | null {
  const { type, at, recipient, details } = email;
  const head = {
    ServerID: event.teamId,
    MessageStream: streamOf(email.labels),
    MessageID: email.emailId,
    Tag: tagOf(email.labels),
    Metadata: readMetadata(TAG, email.labels),
  };
  const visit = {
    ...head,
    Recipient: recipient,
    ReceivedAt: at,
    UserAgent: textOf(details.userAgent),
    Client: UNKNOWN_SOFTWARE,
    OS: UNKNOWN_SOFTWARE,
    Platform: 'Unknown',
    Geo: {},
  };
  switch (type) {
    case 'email.delivered':
      return {
        RecordType: 'Delivery',
        ...head,
        Recipient: recipient,
        DeliveredAt: at,
        Details: replyOf(details),
      };
    case 'email.opened': {
      const openedAt = event.email?.openedAt;
      return {
        RecordType: 'Open',
        ...visit,
        FirstOpen: !openedAt || openedAt.getTime() >= Date.parse(at),
        ReadSeconds: 0,
      };
    }
    case 'email.clicked':
      return { RecordType: 'Click', ...visit, OriginalLink: textOf(details.link), ClickLocation: 'HTML' };
    default:
      return toBounce(event, email, head);
  }
}

function toBounce({ id }: ToldEvent, email: EmailEvent, head: object): object | null {
  const bounceType = bounceTypeOf(email.type, email.details);
  if (!bounceType) return null;
  const { Type } = bounceType;
  const isInactive = Type === 'HardBounce' || Type === 'SpamComplaint' || Type === 'ManuallyDeactivated';
  return {
    RecordType: Type === 'SpamComplaint' ? 'SpamComplaint' : 'Bounce',
    ID: toIdNumber('evt', encodeId('evt', id)),
    ...bounceType,
    ...head,
    Description: textOf(email.details.reason) || bounceType.Name,
    Details: replyOf(email.details),
    Email: email.recipient,
    From: email.from,
    BouncedAt: email.at,
    DumpAvailable: false,
    Inactive: isInactive,
    CanActivate: isInactive && Type !== 'SpamComplaint',
    Subject: email.subject,
  };
}

function toSubscriptionChange({ teamId, payload: { timestamp, data } }: ToldEvent, hasLeft: boolean): object {
  return {
    RecordType: 'SubscriptionChange',
    MessageID: '',
    ServerID: teamId,
    MessageStream: BROADCASTS,
    ChangedAt: timestamp,
    Recipient: textOf(data.email),
    Origin: 'Recipient',
    SuppressSending: hasLeft,
    SuppressionReason: hasLeft ? 'ManualSuppression' : null,
    Tag: '',
    Metadata: {},
  };
}
