/** Makes the email of a step through the one submission path, in the transaction that moves the run. */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId, encodeId, uuidFrom } from '../../../platform/ids.ts';
import { findLinkHost } from '../../sending/domains/find-domain.ts';
import { submit } from '../../sending/emails/submit.ts';
import type { PublicLinks } from '../../content/links/links.ts';
import type { StepOfType } from '../definition/automations.schema.ts';
import type { RunRow } from '../runs/run-row.ts';
import type { ContactFacts } from './read-facts.ts';
import type { RenderedForContact } from '../../audience/rendering/render-for-contact.ts';
import { compileStepEmail, fillValue, toReplySubject, type StepRecipient } from './step-email.ts';

const MAX_SUBJECT = 998;

type Sender = NamedAddress & { given: string };

export interface OutgoingStepEmail {
  teamId: number;
  id: string;
  from: Sender;
  to: Sender;
  replyTo: Sender[];
  headers: Record<string, string>;
  reply: { inReplyTo: string; references: string[] } | null;
  email: RenderedForContact;
  /** Set for a step that sends from a mailbox. */
  mailboxId: string | null;
}

/** The mailboxes group is above this one, so the worker gives its functions to the engine. */
export interface MailboxActions {
  /** Stores a copy of a sent email in the mailbox, in the transaction that submits it. */
  keepSent(trx: Db, email: OutgoingStepEmail, messageId: string): Promise<void>;
  /** Returns false if the mailbox has no conversation with the contact. */
  actOnThread(trx: Db, step: ThreadStep): Promise<boolean>;
}

/** A `thread` step whose merge tags are filled in. The IDs are those of the API, except for the run's. */
export interface ThreadStep {
  teamId: number;
  runId: string;
  mailboxId: string;
  /** The address of the contact. */
  email: string;
  /** The conversation of the message that started the run. */
  threadId: string | null;
  draft: { subject: string; html: string } | null;
  assign: string | null;
  label: string | null;
  note: string | null;
}

export interface StepTools {
  links: PublicLinks;
  mailboxes: MailboxActions;
  /** Whether a step that someone has to mend holds its run. Otherwise it fails the transaction. */
  holdsFailures?: boolean;
}

/** Returns the UUID of the email. */
export async function sendStepEmail(
  trx: Db,
  { run, step, contact }: { run: RunRow; step: StepOfType<'email'>; contact: ContactFacts },
  { links: allLinks, mailboxes }: StepTools,
): Promise<string> {
  const { teamId, contactBookId, contactId } = run;
  const id = uuidFrom(run.enteredAt, `${run.id} ${step.key} ${run.visit}`);
  const render = await compileStepEmail(trx, teamId, step, contact);
  if (!render) throw badRequest('The email has no content.');
  const topicId = step.topicId ? decodeId('top', step.topicId) : null;
  const toStepRecipient = (shown: PublicLinks) => {
    const link = { teamId, contactBookId, contactId, emailId: id, campaignId: null, topicId };
    const unsubscribe = shown.unsubscribe(link);
    const preferences = shown.preferences(run);
    return { unsubscribe, recipient: toRecipient(run, contact, { unsubscribe, preferences }) };
  };
  const from = await findSender(trx, teamId, step, toStepRecipient(allLinks).recipient);
  const links = allLinks.under(await findLinkHost(trx, teamId, from.domain));
  const { unsubscribe, recipient } = toStepRecipient(links);
  const rendered = render(recipient);
  const last = step.sameThread ? await findLastEmail(trx, run) : null;
  const subject = toOneLine(last ? toReplySubject(last.thread_subject) : rendered.subject).slice(
    0,
    MAX_SUBJECT,
  );
  if (subject.trim() === '') throw badRequest('The email has no subject.');
  const mailboxId = step.mailboxId ? decodeId('mbx', step.mailboxId) : null;
  const email = { ...rendered, subject };
  const outgoing: OutgoingStepEmail = {
    teamId,
    id,
    from,
    to: toMailbox(contact.email),
    replyTo: step.replyTo ? [toMailbox(fillValue(step.replyTo, recipient))] : [],
    headers: step.kind === 'marketing' ? listHeaders(run, from.domain, { id, unsubscribe, links }) : {},
    reply: last && { inReplyTo: last.message_id, references: [last.message_id] },
    email,
    mailboxId,
  };
  await submit(trx, {
    source: mailboxId ? 'mailbox' : 'automation',
    id,
    priority: 'batch',
    contact: { contactBookId, contactId },
    caller: { teamId, ...AS_SERVER },
    content: {
      kind: 'fields',
      leavesAt: null,
      reply: outgoing.reply,
      links,
      email: {
        from,
        to: [outgoing.to],
        replyTo: outgoing.replyTo,
        subject,
        html: email.html,
        text: email.text,
        headers: outgoing.headers,
      },
    },
  });
  const messageId = await messageIdOf(trx, teamId, id);
  if (mailboxId) await mailboxes.keepSent(trx, outgoing, messageId);
  await sql`
    insert into automation_emails (team_id, email_id, automation_id, run_id, step, visit, message_id, thread_subject,
      is_marketing)
    values (${teamId}, ${id}, ${run.automationId}, ${run.id}, ${step.key}, ${run.visit}, ${messageId}, ${subject},
      ${step.kind === 'marketing'})
  `.execute(trx);
  return id;
}

async function messageIdOf(trx: Db, teamId: number, id: string): Promise<string> {
  const { rows } = await sql<Row<'emails', 'message_id'>>`
    select message_id from emails where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  return rows[0]!.message_id;
}

export function toRecipient(
  { event, memory }: Pick<RunRow, 'event' | 'memory'>,
  contact: ContactFacts,
  links: { unsubscribe: string; preferences: string },
): StepRecipient {
  return {
    contact,
    event: event?.data ?? {},
    outputs: memory.outputs ?? {},
    unsubscribeUrl: links.unsubscribe,
    preferencesUrl: links.preferences,
  };
}

async function findSender(
  trx: Db,
  teamId: number,
  step: StepOfType<'email'>,
  recipient: StepRecipient,
): Promise<Sender> {
  if (!step.mailboxId) {
    const from = fillValue(step.from ?? '', recipient);
    if (!parseMailbox(from)) throw badRequest('from is not an email address.');
    return toMailbox(from);
  }
  const { rows } = await sql<Row<'mailboxes', 'address' | 'name'>>`
    select address, name from mailboxes where team_id = ${teamId} and id = ${decodeId('mbx', step.mailboxId)}
  `.execute(trx);
  if (!rows[0]) throw badRequest('The mailbox of the step was deleted.');
  const parsed = parseMailbox(rows[0].address)!;
  const given = rows[0].name ? `${JSON.stringify(rows[0].name)} <${rows[0].address}>` : rows[0].address;
  return { ...parsed, name: rows[0].name, given };
}

function toMailbox(address: string): Sender {
  const parsed = parseMailbox(address);
  if (!parsed) throw badRequest(`${address} is not an email address.`);
  return { ...parsed, given: address };
}

async function findLastEmail(trx: Db, { teamId, id }: RunRow) {
  const { rows } = await sql<Row<'automation_emails', 'message_id' | 'thread_subject'>>`
    select message_id, thread_subject from automation_emails
    where team_id = ${teamId} and run_id = ${id} order by created_at desc, email_id desc limit 1
  `.execute(trx);
  return rows[0] ?? null;
}

/** As in campaigns: one-click unsubscribe (RFC 8058 section 3.1). */
function listHeaders(
  { teamId, automationId, contactBookId }: RunRow,
  domain: string,
  { id, unsubscribe, links }: { id: string; unsubscribe: string; links: PublicLinks },
): Record<string, string> {
  return {
    'List-Unsubscribe': `<${unsubscribe}>, <mailto:${links.unsubscribeAddress(id, domain)}?subject=unsubscribe>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': `<${encodeId('cbk', contactBookId)}.${domain}>`,
    'Feedback-ID': `${encodeId('aut', automationId)}:${teamId}:${domain}:posthorn`,
  };
}
