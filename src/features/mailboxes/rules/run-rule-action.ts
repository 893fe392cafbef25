/** Actions of rules that take effect after the message is stored: forward, reply, draft, event and notify. */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { ownCaller, type Caller } from '../../api/caller.ts';
import { sendEvent } from '../../automations/custom-events/send-events.ts';
import type { JobPayloads } from '../../jobs/jobs.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { listReaders } from '../access/readers.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import { chooseSender } from '../addresses/choose-sender.ts';
import { fillSavedReply } from '../saved-replies/saved-replies.ts';
import { readUsedReply } from '../saved-replies/use-saved-reply.ts';
import type { FileInput } from '../storage/file.schema.ts';
import { createDraft } from '../writing/drafts.ts';
import { forwardMessage } from './forward-message.ts';
import { findRule } from './rules.ts';
import type { RuleAction } from './rules.schema.ts';
import { REPLY_GONE, switchOff } from '../storage/switch-off-rules.ts';
import { logRules } from './take-effect.ts';

const DAYS_BETWEEN_REPLIES = 4;
const MAX_REPLIES_A_DAY = 200;
const MOST_NOTIFIED = 200;
/** RFC 3834 section 5. */
const HEADERS = { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' };

type Job = JobPayloads['run-rule-action'];

type ActedMessage = CamelRow<
  'messages',
  'id' | 'mailbox_id' | 'thread_id' | 'message_id' | 'sender' | 'subject'
> & { references: Row<'messages'>['reference_ids'] };

/** Refused work is logged with the rule. Only trouble of our own is retried. */
export async function runRuleAction(db: Db, secret: Buffer, job: Job): Promise<void> {
  const { teamId, mailboxId, messageId, ruleId } = job;
  const rule = await findRule(db, teamId, ruleId);
  const action = rule?.actions[job.no];
  const message = await findMessage(db, teamId, messageId);
  if (!rule || action?.type !== job.type || !message) return;
  let error: string | null;
  try {
    error = await act(db, secret, job, action, message);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code === 'INTERNAL' || thrown.code === 'UNAVAILABLE')
      throw thrown;
    error = thrown.message;
  }
  if (error !== null) await logRules(db, { teamId, mailboxId }, [{ ruleId, messageId, actions: [], error }]);
}

async function act(
  db: Db,
  secret: Buffer,
  job: Job,
  action: RuleAction,
  message: ActedMessage,
): Promise<string | null> {
  switch (action.type) {
    case 'forward':
      return forwardMessage(db, secret, job, action.to);
    case 'reply':
      return reply(db, job, action.saved_reply_id, message);
    case 'draft':
      return draft(db, job, action.saved_reply_id, message);
    case 'event':
      return startAutomations(db, job, action.name, message);
    case 'notify':
      return notify(db, job, message);
    default:
      return null;
  }
}

/** The person to whom the conversation is assigned, or else everyone who may read the mailbox. */
async function notify(
  db: Db,
  { teamId, mailboxId }: Job,
  { id: messageId, threadId }: ActedMessage,
): Promise<null> {
  const { rows } = await sql<Row<'thread_assignments', 'user_id'>>`
    select user_id from thread_assignments where team_id = ${teamId} and thread_id = ${threadId}
  `.execute(db);
  const readers = rows[0] ? [rows[0].user_id] : [...(await listReaders(db, teamId, mailboxId)).keys()];
  await addNotifications(db, teamId, [
    { mailboxId, threadId, messageId, kind: 'rule', userIds: readers.slice(0, MOST_NOTIFIED) },
  ]);
  return null;
}

/** What rules do is done in the name of the team. */
function callerOf(teamId: number): Caller {
  return ownCaller(teamId, 'rule');
}

interface FilledReply {
  html: string;
  attachments: FileInput[];
}

/** Null, and the rule is switched off, if the saved reply is gone. */
async function fillReply(
  db: Db,
  { teamId, mailboxId, ruleId, type }: Job,
  replyId: string,
  to: string,
): Promise<FilledReply | null> {
  const { rows } = await sql`
    select 1 from saved_replies where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${decodeId('srp', replyId)}
  `.execute(db);
  if (rows.length === 0) {
    await switchOff(db, teamId, ruleId, REPLY_GONE);
    return null;
  }
  const recipient = parseMailbox(to);
  if (!recipient) return null;
  // A person reads a draft, but nobody reads a reply before it is sent.
  const options = { leaveOut: type === 'reply' };
  const mailbox = encodeId('mbx', mailboxId);
  const { html } = await fillSavedReply(db, callerOf(teamId), mailbox, replyId, recipient, options);
  const { files } = await readUsedReply(db, teamId, mailboxId, replyId);
  return { html, attachments: files.map((file) => ({ ...file, filename: file.filename ?? 'attachment' })) };
}

async function reply(db: Db, job: Job, replyId: string, message: ActedMessage): Promise<string | null> {
  const { teamId, mailboxId, answerTo } = job;
  const recipient = parseMailbox(answerTo ?? '');
  if (!recipient) return null;
  const filled = await fillReply(db, job, replyId, recipient.email);
  if (filled === null) return null;
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<Row<'mailboxes', 'id' | 'address' | 'address_key' | 'domain' | 'name'>>`
      select id, address, address_key, domain, name from mailboxes where team_id = ${teamId} and id = ${mailboxId}
    `.execute(trx);
    if (!rows[0]) return null;
    const from = await chooseSender(trx, teamId, rows[0], { from: null, threadId: message.threadId });
    if ((await findHeldDomain(trx, teamId, from.domain)) === undefined)
      return `The domain ${from.domain} is not verified.`;
    if (!(await claimReply(trx, job, recipient.key))) return null;
    await submit(trx, {
      source: 'system',
      caller: { teamId, ...AS_SERVER },
      content: {
        kind: 'fields',
        leavesAt: null,
        reply: message.messageId
          ? { inReplyTo: message.messageId, references: [...message.references, message.messageId] }
          : null,
        email: {
          from: toMailbox(from.given),
          to: [{ ...recipient, given: recipient.email }],
          subject: replySubject(message.subject),
          ...filled,
          headers: HEADERS,
        },
      },
    });
    return null;
  });
}

/** Returns false if the person got a reply in the last four days, or the mailbox has sent too many today. */
async function claimReply(trx: Db, { teamId, mailboxId }: Job, addressKey: string): Promise<boolean> {
  const { rows } = await sql`
    insert into rule_replies as r (team_id, mailbox_id, address_key)
    select ${teamId}::integer, ${mailboxId}::uuid, ${addressKey} where (
      select count(*) from rule_replies
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and replied_at between now() - interval '1 day' and now()
    ) < ${MAX_REPLIES_A_DAY}
    on conflict (team_id, mailbox_id, address_key) do update set replied_at = now()
      where r.replied_at not between now() - make_interval(days => ${DAYS_BETWEEN_REPLIES}) and clock_timestamp()
    returning 1
  `.execute(trx);
  return rows.length > 0;
}

async function draft(db: Db, job: Job, replyId: string, message: ActedMessage): Promise<string | null> {
  const filled = await fillReply(db, job, replyId, message.sender);
  if (filled === null) return null;
  await createDraft(db, callerOf(job.teamId), encodeId('mbx', job.mailboxId), {
    to: [message.sender],
    subject: replySubject(message.subject),
    ...filled,
    thread_id: encodeId('thr', message.threadId),
  });
  return null;
}

async function startAutomations(
  db: Db,
  { teamId, no, ruleId, mailboxId }: Job,
  name: string,
  message: ActedMessage,
): Promise<string | null> {
  const email = parseMailbox(message.sender);
  if (!email) return 'The message names no author.';
  await sendEvent(
    db,
    { teamId, by: 'rule' },
    {
      name,
      email,
      data: {
        mailboxId: encodeId('mbx', mailboxId),
        messageId: encodeId('msg', message.id),
        subject: message.subject.slice(0, 998),
      },
      id: `rule-${encodeId('rul', ruleId)}-${encodeId('msg', message.id)}-${no}`,
    },
  );
  return null;
}

function replySubject(subject: string): string {
  return (/^re:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, 998).toWellFormed();
}

async function findMessage(db: Db, teamId: number, id: string): Promise<ActedMessage | undefined> {
  const { rows } = await sql<ActedMessage>`
    select id, mailbox_id as "mailboxId", thread_id as "threadId", message_id as "messageId", sender, subject,
      reference_ids as "references"
    from messages where team_id = ${teamId} and id = ${id}
  `.execute(db);
  return rows[0];
}
