/**
 * The only way in for a message, whatever the door: a short list of named steps. What comes out is stored with its
 * recipients, its first events and, when it is not to wait, one delivery for each recipient, all in one statement.
 */
import { sql } from 'kysely';
import type { Mailbox } from '../../mail/address.ts';
import { composeMessage } from '../../mail/compose.ts';
import type { Db } from '../../platform/database.ts';
import { AppError, badRequest, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { findHeldDomain } from '../domains/find-domain.ts';
import type { EmailInput } from './emails.schema.ts';

export interface Submission {
  source: 'api' | 'smtp' | 'campaign' | 'mailbox' | 'system';
  /** Whose request it is; a key bound to a domain sends from that one alone. */
  caller: Pick<Caller, 'teamId' | 'domainId'>;
  email: EmailInput;
}

interface Sender {
  domainId: number;
  domain: string;
}

const PRIORITY = { transactional: 0, bulk: 1 };
/** A clock a little behind ours, or a request a little slow, means now. */
const PAST_COUNTS_AS_NOW_MS = 60_000;

export async function submit(db: Db, { source, caller, email }: Submission): Promise<string> {
  const now = new Date();
  const sender = await requireSender(db, caller, email.from);
  const inReplyTo = await findAnswered(db, caller.teamId, email.inReplyToId);
  refuseTemplate(email);
  const leavesAt = timeToLeave(email, now);
  const id = newUuid();
  const messageId = `<${encodeId('eml', id)}@${sender.domain}>`;
  const raw = compose(email, messageId, inReplyTo, now);
  await store(db, { id, source, caller, email, sender, messageId, leavesAt, raw });
  return encodeId('eml', id);
}

async function requireSender(db: Db, caller: Submission['caller'], from: Mailbox): Promise<Sender> {
  const domainId = await findHeldDomain(db, caller.teamId, from.domain);
  if (caller.domainId !== null && domainId !== caller.domainId) {
    throw new AppError(
      'FORBIDDEN',
      'This API key is bound to another domain than the one it would send from.',
    );
  }
  if (domainId === undefined) {
    throw badRequest(`from must use a domain that your team has verified; ${from.domain} is not one.`);
  }
  return { domainId, domain: from.domain };
}

async function findAnswered(
  db: Db,
  teamId: number,
  emailId: string | null | undefined,
): Promise<string | null> {
  if (!emailId) return null;
  const id = decodeId('eml', emailId);
  const row =
    id &&
    (await db
      .selectFrom('emails')
      .select('message_id')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound('The email named by inReplyToId');
  return row.message_id;
}

function refuseTemplate({ templateId }: EmailInput): void {
  if (templateId) throw notFound('Template');
}

/** Null: at once. */
export function timeToLeave(email: Pick<EmailInput, 'scheduledAt' | 'undoSeconds'>, now: Date): Date | null {
  const undoUntil = now.getTime() + (email.undoSeconds ?? 0) * 1000;
  const wanted = email.scheduledAt?.getTime() ?? undoUntil;
  if (wanted < now.getTime() - PAST_COUNTS_AS_NOW_MS)
    throw badRequest('scheduledAt must not be in the past.');
  const leavesAt = Math.max(wanted, undoUntil);
  return leavesAt > now.getTime() ? new Date(leavesAt) : null;
}

function compose(email: EmailInput, messageId: string, inReplyTo: string | null, date: Date): Buffer {
  return composeMessage({
    messageId,
    date,
    from: email.from,
    to: email.to,
    cc: email.cc ?? [],
    replyTo: email.replyTo ?? [],
    subject: email.subject ?? '',
    html: email.html ?? null,
    text: email.text ?? null,
    headers: Object.entries(email.headers ?? {}),
    attachments: (email.attachments ?? []).map((file) => ({
      ...file,
      contentType: file.contentType ?? null,
      contentId: file.contentId ?? null,
    })),
    inReplyTo,
    references: inReplyTo ? [inReplyTo] : [],
  });
}

async function store(
  db: Db,
  message: {
    id: string;
    source: Submission['source'];
    caller: Submission['caller'];
    email: EmailInput;
    sender: Sender;
    messageId: string;
    leavesAt: Date | null;
    raw: Buffer;
  },
): Promise<void> {
  const { id, email, leavesAt } = message;
  const { teamId } = message.caller;
  const recipients = recipientsOf(email);
  const waiting = leavesAt === null ? 'QUEUED' : 'SCHEDULED';
  const priority = message.source === 'campaign' ? PRIORITY.bulk : PRIORITY.transactional;
  await sql`
    with recipient as (
      select r.no, r.address, r.key, r.domain, s.address_key is not null as suppressed
      from unnest(
        ${recipients.map((_, at) => at)}::smallint[], ${recipients.map(({ email: address }) => address)}::text[],
        ${recipients.map(({ key }) => key)}::text[], ${recipients.map(({ domain }) => domain)}::text[]
      ) as r (no, address, key, domain)
      left join suppressions s on s.team_id = ${teamId} and s.address_key = r.key
    ), outcome as (
      select case when bool_and(suppressed) then 'SUPPRESSED' else ${waiting} end as status from recipient
    ), stored as (
      insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
        reply_to, subject, message_id, scheduled_at)
      select ${teamId}, ${id}, ${message.sender.domainId}, ${message.source}, status, ${email.from.given},
        ${email.to.map(given)}::text[], ${(email.cc ?? []).map(given)}::text[],
        ${(email.bcc ?? []).map(given)}::text[], ${(email.replyTo ?? []).map(given)}::text[],
        ${email.subject ?? ''}, ${message.messageId}, ${leavesAt}::timestamptz
      from outcome
    ), content as (
      insert into email_contents (team_id, email_id, raw) values (${teamId}, ${id}, ${message.raw})
    ), kept as (
      insert into email_recipients (team_id, email_id, no, address, address_key, status)
      select ${teamId}, ${id}, no, address, key, case when suppressed then 'SUPPRESSED' else ${waiting} end
      from recipient
    ), first_event as (
      insert into email_events (team_id, email_id, id, status)
      select ${teamId}, ${id}, ${newUuid()}, ${waiting} from outcome where status <> 'SUPPRESSED'
    ), suppressed_events as (
      insert into email_events (team_id, email_id, id, status, recipient)
      select ${teamId}, ${id}, event.id, 'SUPPRESSED', address
      from recipient join unnest(${recipients.map(() => newUuid())}::uuid[]) with ordinality as event (id, at)
        on event.at = recipient.no + 1
      where suppressed
    )
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority)
    select ${teamId}, ${id}, no, ${message.sender.domainId}, address, domain, ${priority}
    from recipient where not suppressed and ${waiting} = 'QUEUED'
  `.execute(db);
}

/** Everyone once, in the order of to, cc and bcc. */
function recipientsOf(email: EmailInput): Mailbox[] {
  const all = [...email.to, ...(email.cc ?? []), ...(email.bcc ?? [])];
  return [...new Map(all.map((recipient) => [recipient.key, recipient])).values()];
}

function given({ given: text }: { given: string }): string {
  return text;
}
