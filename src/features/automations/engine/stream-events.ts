/** The recorded events that automations see, with the people to whom they happened. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { RecordedEvent, StreamPosition } from '../../events/read-events.ts';
import { OF_RECIPIENTS } from '../definition/own-events.ts';
import type { HappenedEvent } from '../runs/exit-runs.ts';

/** An event as automations see it. */
export interface StreamEvent extends HappenedEvent {
  id: Row<'custom_events'>['id'];
  teamId: number;
  at: Date;
  contactIds: string[];
  /** Whether an application sent it. Its exits were done when it was recorded. */
  isCustom: boolean;
  position: StreamPosition;
}

/** Events that happen to nobody of the team's contacts are left out. */
export async function toStreamEvents(trx: Db, recorded: RecordedEvent[]): Promise<StreamEvent[]> {
  const custom = await readCustomEvents(
    trx,
    recorded.filter(({ type }) => type.startsWith('event.')),
  );
  const senders = await readSenders(
    trx,
    recorded.filter(({ type }) => type === 'mailbox.message.received'),
  );
  const visitors = await readVisitors(
    trx,
    recorded.filter((event) => isVisit(event)),
  );
  return recorded.flatMap((event): StreamEvent[] => {
    const { type, teamId, createdAt: at, position } = event;
    const common = {
      teamId,
      at,
      data: dataOf(event),
      isCustom: false,
      contactIds: event.contactIds ?? [],
      position,
    };
    const ofContact = { contactId: null, addressKey: null, isOfBook: true };
    if (type.startsWith('event.')) {
      const sent = custom.get(event.subjectId ?? '');
      return sent ? [{ ...common, ...sent, at, isCustom: true }] : [];
    }
    if (type.startsWith('contact.') || type === 'form.submitted')
      return [{ ...common, ...ofContact, id: position.id, name: type }];
    const recipient = isVisit(event) ? visitors.get(event.subjectId ?? '') : event.recipient?.toLowerCase();
    if (OF_RECIPIENTS.includes(type) && recipient !== undefined)
      return [
        {
          ...common,
          id: position.id,
          name: type,
          contactId: null,
          addressKey: recipient,
          isOfBook: false,
        },
      ];
    const sender = type === 'mailbox.message.received' ? senders.get(event.subjectId ?? '') : undefined;
    if (sender !== undefined)
      return [
        {
          ...common,
          id: position.id,
          name: type,
          contactId: null,
          addressKey: sender.key,
          isOfBook: false,
          data: { ...common.data, subject: sender.subject },
        },
      ];
    return [];
  });
}

/** IDs are those of the API, except for that of an import. The transcript of an SMTP session is left out. */
function dataOf({ type, subjectId, data }: RecordedEvent): Record<string, unknown> {
  if (type.startsWith('email.')) {
    const { transcript: _, ...shown } = data ?? {};
    return { ...shown, emailId: subjectId && encodeId('eml', subjectId) };
  }
  if (!type.startsWith('mailbox.message.')) return data ?? {};
  const { mailboxId, threadId } = (data ?? {}) as { mailboxId?: string; threadId?: string };
  return {
    ...(mailboxId ? { mailboxId: encodeId('mbx', mailboxId) } : {}),
    ...(threadId ? { threadId: encodeId('thr', threadId) } : {}),
    messageId: subjectId && encodeId('msg', subjectId),
  };
}

type SentEvent = Pick<StreamEvent, 'id' | 'name' | 'data' | 'contactId' | 'addressKey' | 'isOfBook'>;

async function readCustomEvents(trx: Db, events: RecordedEvent[]): Promise<Map<string, SentEvent>> {
  if (events.length === 0) return new Map();
  const { rows } = await sql<SentEvent>`
    select id, name, data, contact_id as "contactId", address_key as "addressKey", is_of_book as "isOfBook"
    from custom_events where team_id = any(${[...new Set(events.map(({ teamId }) => teamId))]}::integer[])
      and id = any(${events.map(({ subjectId }) => subjectId!)}::uuid[])
  `.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

type Sender = Row<'messages', 'subject'> & { key: string };

/** The authors of received messages, by the ID of the message. */
async function readSenders(trx: Db, events: RecordedEvent[]): Promise<Map<string, Sender>> {
  if (events.length === 0) return new Map();
  const { rows } = await sql<Row<'messages', 'id' | 'subject'> & { key: string | null }>`
    select id, subject, lower(coalesce(substring(sender from '<([^<>]+)>'), sender)) as key from messages
    where team_id = any(${[...new Set(events.map(({ teamId }) => teamId))]}::integer[])
      and id = any(${events.map(({ subjectId }) => subjectId!)}::uuid[])
  `.execute(trx);
  return new Map(rows.flatMap(({ id, key, subject }) => (key ? [[id, { key, subject }]] : [])));
}

/** An open or a click belongs to the email as a whole. */
function isVisit({ type, recipient }: RecordedEvent): boolean {
  return recipient === null && (type === 'email.opened' || type === 'email.clicked');
}

/** The addresses of the visitors, by the ID of the email. With several recipients, nobody knows who it was. */
async function readVisitors(trx: Db, events: RecordedEvent[]): Promise<Map<string, string>> {
  if (events.length === 0) return new Map();
  const { rows } = await sql<CamelRow<'email_recipients', 'email_id' | 'address_key'>>`
    select r.email_id as "emailId", r.address_key as "addressKey"
    from emails e join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    where e.team_id = any(${[...new Set(events.map(({ teamId }) => teamId))]}::integer[])
      and e.id = any(${[...new Set(events.map(({ subjectId }) => subjectId!))]}::uuid[])
      -- An email to a contact may have copies for others.
      and (e.contact_id is not null or not exists (
        select from all_email_recipients other
        where other.team_id = e.team_id and other.email_id = e.id and other.address_key <> r.address_key
      ))
  `.execute(trx);
  return new Map(rows.map(({ emailId, addressKey }) => [emailId, addressKey]));
}
