import { z } from 'zod';
import {
  listEventsOf,
  listOutcomes,
  type EmailEventItem,
} from '../../../features/activity/email-log/list-outcomes.ts';
import { listEmails } from '../../../features/activity/email-log/list-emails.ts';
import { findTracking, type TrackedEmails } from '../../../features/activity/email-log/find-tracking.ts';
import { getEmail, getEmailSource } from '../../../features/activity/email-log/show-email.ts';
import type { EmailLabels, EmailListItem } from '../../../features/sending/emails/emails.schema.ts';
import { publicLinksOf } from '../../../features/content/links/links.ts';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import { toIdNumber } from '../../../platform/id-numbers.ts';
import { pathId } from '../../../platform/schema.ts';
import { readLabels, readMetadata, toTagValue } from '../mapping/labels.ts';
import { collect } from '../mapping/offset-list.ts';
import { TAG } from './email-shape.ts';
import {
  DEFAULT_STREAM,
  listQuery,
  listQueryWithMetadata,
  postmarkRoute,
  readDateRange,
  STREAM_TAG,
} from './postmark-route.ts';

const params = z.object({ messageId: pathId() });
const person = z.object({ Email: z.string(), Name: z.string() });
const message = z.object({
  MessageID: z.string(),
  MessageStream: z.string(),
  Tag: z.string(),
  To: z.array(person),
  Cc: z.array(person),
  Bcc: z.array(person),
  Recipients: z.array(z.string()),
  ReceivedAt: z.string(),
  From: z.string(),
  Subject: z.string(),
  Status: z.enum(['Queued', 'Sent']),
  Metadata: z.record(z.string(), z.string()),
  Attachments: z.array(z.string()),
  TrackOpens: z.boolean(),
  TrackLinks: z.enum(['None', 'HtmlOnly']),
  Sandboxed: z.literal(false),
});
const details = message.extend({
  TextBody: z.string().nullable(),
  HtmlBody: z.string().nullable(),
  Body: z.string().nullable(),
  MessageEvents: z.array(
    z.object({ Recipient: z.string(), Type: z.string(), ReceivedAt: z.string(), Details: z.unknown() }),
  ),
});
const software = z.object({ Name: z.string(), Company: z.string(), Family: z.string() });
export const UNKNOWN_SOFTWARE = { Name: '', Company: '', Family: '' };
const visit = z.object({
  RecordType: z.enum(['Open', 'Click']),
  MessageID: z.string(),
  MessageStream: z.string(),
  Recipient: z.string(),
  Tag: z.string(),
  ReceivedAt: z.string(),
  UserAgent: z.string(),
  Client: software,
  OS: software,
  Platform: z.literal('Unknown'),
  Geo: z.object({}),
  ReadSeconds: z.literal(0).optional(),
  OriginalLink: z.string().optional(),
  ClickLocation: z.literal('HTML').optional(),
});

const dump = z.object({ Body: z.string() });
const opens = z.object({ TotalCount: z.int(), Opens: z.array(visit) });
const clicks = z.object({ TotalCount: z.int(), Clicks: z.array(visit) });
const readable = {
  method: 'GET' as const,
  permission: 'full' as const,
  boundKeys: 'kept-to-domain' as const,
};
const visitFilters = listQuery('recipient', 'tag', 'messagestream');
type VisitFilters = z.output<typeof visitFilters>;

export const messageRoutes = [
  postmarkRoute({
    ...readable,
    path: '/messages/outbound',
    scope: 'mail.read',
    query: listQueryWithMetadata(
      'recipient',
      'fromemail',
      'tag',
      'status',
      'fromdate',
      'todate',
      'subject',
      'messagestream',
    ),
    answer: z.object({ TotalCount: z.int(), Messages: z.array(message) }),
    async handle({ db, caller, query }) {
      const { recipient, fromemail, subject, status } = query;
      const tag = query.tag === undefined ? undefined : `${TAG}:${toTagValue(query.tag)}`;
      const [from, until] = readDateRange(query);
      const { items, total } = await collect(
        query,
        (page) => listEmails(db, caller, { ...page, tag, search: recipient ?? subject }),
        (email) => {
          const at = Date.parse(email.createdAt);
          return (
            isOf(email, query) &&
            hasMetadata(email, query.metadata_) &&
            isTo(email, recipient) &&
            includes(email.from, fromemail) &&
            includes(email.subject, subject) &&
            at >= from &&
            at < until &&
            (status === undefined || (statusOf(email) === 'Queued') === (status.toLowerCase() === 'queued'))
          );
        },
      );
      const tracking = await findTracking(
        db,
        caller.teamId,
        items.map(({ id }) => id),
      );
      return { TotalCount: total, Messages: items.map((email) => present(email, tracking)) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/{messageId}/details',
    scope: 'mail.read',
    params,
    answer: details,
    async handle({ db, caller, facts, params: { messageId } }) {
      const email = await getEmail(db, caller, messageId, publicLinksOf(facts));
      const events = await listEventsOf(db, caller, messageId);
      return {
        ...present(email, await findTracking(db, caller.teamId, [email.id])),
        Attachments: email.attachments.map(({ filename }) => filename ?? ''),
        TextBody: email.text,
        HtmlBody: email.html,
        Body: await getEmailSource(db, caller, messageId),
        MessageEvents: events.flatMap((event) => presentEvent(event) ?? []),
      };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/{messageId}/dump',
    scope: 'mail.read',
    params,
    answer: dump,
    handle: async ({ db, caller, params: { messageId } }) => ({
      Body: (await getEmailSource(db, caller, messageId)) ?? '',
    }),
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/opens',
    scope: 'mail.read',
    query: visitFilters,
    answer: opens,
    async handle({ db, caller, query }) {
      const { items, total } = await collect(
        query,
        (page) => listOutcomes(db, caller, { ...page, types: ['email.opened'] }),
        (event) => isWanted(event, query),
      );
      return { TotalCount: total, Opens: items.map(presentVisit) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/opens/{messageId}',
    scope: 'mail.read',
    params,
    query: visitFilters,
    answer: opens,
    async handle({ db, caller, query, params: { messageId } }) {
      const events = await listEventsOf(db, caller, messageId);
      const wanted = events.filter((event) => event.type === 'email.opened' && isWanted(event, query));
      const shown = wanted.toReversed().slice(query.offset, query.offset + query.count);
      return { TotalCount: wanted.length, Opens: shown.map(presentVisit) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/clicks',
    scope: 'mail.read',
    query: visitFilters,
    answer: clicks,
    async handle({ db, caller, query }) {
      const { items, total } = await collect(
        query,
        (page) => listOutcomes(db, caller, { ...page, types: ['email.clicked'] }),
        (event) => isWanted(event, query),
      );
      return { TotalCount: total, Clicks: items.map(presentVisit) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/messages/outbound/clicks/{messageId}',
    scope: 'mail.read',
    params,
    query: visitFilters,
    answer: clicks,
    async handle({ db, caller, query, params: { messageId } }) {
      const events = await listEventsOf(db, caller, messageId);
      const wanted = events.filter((event) => event.type === 'email.clicked' && isWanted(event, query));
      const shown = wanted.toReversed().slice(query.offset, query.offset + query.count);
      return { TotalCount: wanted.length, Clicks: shown.map(presentVisit) };
    },
  }),
];

export function tagOf(labels: EmailLabels): string {
  return readLabels(TAG, labels)[0] ?? '';
}

export function streamOf({ tags }: EmailLabels): string {
  return tags.find(({ name }) => name === STREAM_TAG)?.value ?? DEFAULT_STREAM;
}

/** Returns true if the tag and the stream of an email or event match the query. */
export function isOf(
  labels: EmailLabels,
  { tag, messagestream }: { tag?: string | undefined; messagestream?: string | undefined },
): boolean {
  return (
    (tag === undefined || tagOf(labels) === tag) &&
    (messagestream === undefined || streamOf(labels) === messagestream)
  );
}

function isWanted(event: EmailEventItem, query: VisitFilters): boolean {
  return isOf(event, query) && includes(event.recipient, query.recipient);
}

/** The search also finds emails by their subject, so the recipients are compared too. */
function isTo({ to, cc, bcc }: EmailListItem, recipient: string | undefined): boolean {
  if (recipient === undefined) return true;
  const key = parseAddress(recipient)?.key;
  return people([...to, ...cc, ...bcc]).some(
    ({ Email }) => includes(Email, recipient) || parseAddress(Email)?.key === key,
  );
}

export function includes(text: string, part: string | undefined): boolean {
  return part === undefined || text.toLowerCase().includes(part.toLowerCase());
}

function statusOf({ status }: EmailListItem): 'Queued' | 'Sent' {
  return status === 'QUEUED' || status === 'SCHEDULED' ? 'Queued' : 'Sent';
}

/** Reading the attachments would take parsing every message of a list, so only the details of a message name them. */
function present(email: EmailListItem, tracking: TrackedEmails) {
  const { to, cc, bcc } = email;
  const tracked = tracking.get(email.id);
  return {
    MessageID: email.id,
    MessageStream: streamOf(email),
    Tag: tagOf(email),
    To: people(to),
    Cc: people(cc),
    Bcc: people(bcc),
    Recipients: people([...to, ...cc, ...bcc]).map(({ Email }) => Email),
    ReceivedAt: email.createdAt,
    From: email.from,
    Subject: email.subject,
    Status: statusOf(email),
    Metadata: readMetadata(TAG, email),
    Attachments: [] as string[],
    TrackOpens: tracked?.opens ?? false,
    TrackLinks: tracked?.clicks ? ('HtmlOnly' as const) : ('None' as const),
    Sandboxed: false as const,
  };
}

function hasMetadata(email: EmailListItem, wanted: Record<string, string>): boolean {
  const names = Object.keys(wanted);
  if (names.length === 0) return true;
  const entries = Object.entries(readMetadata(TAG, email)).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const metadata = new Map(entries as [string, string][]);
  return names.every((name) => metadata.get(name) === wanted[name]);
}

function people(mailboxes: string[]) {
  return mailboxes.map((written) => {
    const mailbox = parseMailbox(written);
    return { Email: mailbox?.email ?? written, Name: mailbox?.name ?? '' };
  });
}

function presentVisit(event: EmailEventItem) {
  const isClick = event.type === 'email.clicked';
  return {
    RecordType: isClick ? ('Click' as const) : ('Open' as const),
    MessageID: event.emailId,
    MessageStream: streamOf(event),
    Recipient: event.recipient,
    Tag: tagOf(event),
    ReceivedAt: event.createdAt,
    UserAgent: textOf(event.data.userAgent),
    Client: UNKNOWN_SOFTWARE,
    OS: UNKNOWN_SOFTWARE,
    Platform: 'Unknown' as const,
    Geo: {},
    ...(isClick
      ? { OriginalLink: textOf(event.data.link), ClickLocation: 'HTML' as const }
      : { ReadSeconds: 0 as const }),
  };
}

/** Null for events that Postmark does not have. */
function presentEvent(event: EmailEventItem) {
  const { type, data, recipient, createdAt } = event;
  const build = (Type: string, Details: object) => ({
    Recipient: recipient,
    Type,
    ReceivedAt: createdAt,
    Details,
  });
  const reply = {
    DeliveryMessage: textOf(data.text) || textOf(data.reason),
    DestinationServer: textOf(data.host),
    DestinationIP: '',
  };
  switch (type) {
    case 'email.delivered':
      return build('Delivered', reply);
    case 'email.delivery_delayed':
      return build('Transient', reply);
    case 'email.opened':
      return build('Opened', { Summary: textOf(data.userAgent) });
    case 'email.clicked':
      return build('LinkClicked', {
        Summary: textOf(data.userAgent),
        Link: textOf(data.link),
        ClickLocation: 'HTML',
      });
    case 'email.bounced':
    case 'email.complained':
      return build('Bounced', { Summary: textOf(data.reason), BounceID: toIdNumber('evt', event.id) });
    default:
      return null;
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
