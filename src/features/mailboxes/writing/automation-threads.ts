/**
 * What the `thread` step of an automation does in a mailbox: a draft that a person sends, an assignee, a label and a
 * note. It concerns the conversation with the contact: that of the message that started the run, that of an email which
 * the run sent from this mailbox, or else the newest one with the person. Without one, a draft begins it.
 */
import { sql } from 'kysely';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { ownCaller } from '../../api/caller.ts';
import type { ThreadStep } from '../../automations/engine/send-step-email.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { recordEvents, type EventToRecord } from '../../events/record-events.ts';
import { listReaders } from '../access/readers.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { mailOfPerson } from '../storage/of-person.ts';
import { wordsOf } from '../storage/search-words.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { createDraft } from './drafts.ts';
import { cleanOwnHtml } from '../storage/own-html.ts';

const ACTOR = 'automation';
const MAX_COMPARED = 50;
const MAX_LABELLED = 1_000;

interface Conversation {
  teamId: number;
  mailboxId: string;
  threadId: string;
}

/** Returns false if there is no conversation to act on. */
export async function actOnThread(trx: Db, step: ThreadStep): Promise<boolean> {
  const { teamId } = step;
  const mailboxId = decodeId('mbx', step.mailboxId);
  const { rows } = await sql`select 1 from mailboxes where team_id = ${teamId} and id = ${mailboxId}`.execute(
    trx,
  );
  if (!mailboxId || rows.length === 0) throw badRequest('The mailbox of the step was deleted.');
  const found = await findConversation(trx, step, mailboxId);
  const threadId = step.draft ? await draft(trx, step, found) : found?.id;
  if (!threadId) return false;
  const thread: Conversation = { teamId, mailboxId, threadId };
  if (step.label) await label(trx, thread, step.label);
  if (step.assign) await assign(trx, thread, step.assign);
  if (step.note) await note(trx, thread, step.note);
  await recordThreadChanges(trx, teamId, mailboxId, [threadId]);
  return true;
}

type Found = Row<'threads', 'id' | 'subject'>;

async function findConversation(trx: Db, step: ThreadStep, mailboxId: string): Promise<Found | undefined> {
  const { teamId, runId } = step;
  const { rows } = await sql<Found>`
    select t.id, t.subject from threads t
    where t.team_id = ${teamId} and t.mailbox_id = ${mailboxId} and t.id = ${decodeId('thr', step.threadId ?? '')}
    union all
    (select t.id, t.subject from automation_emails s
      join messages m on m.team_id = s.team_id and m.email_id = s.email_id and m.mailbox_id = ${mailboxId}
      join threads t on t.team_id = m.team_id and t.id = m.thread_id
      where s.team_id = ${teamId} and s.run_id = ${runId} order by s.created_at desc, s.email_id desc limit 1)
    limit 1
  `.execute(trx);
  return rows[0] ?? findByPerson(trx, step, mailboxId);
}

/** Finds the latest conversation with the person. */
async function findByPerson(
  trx: Db,
  { teamId, email }: ThreadStep,
  mailboxId: string,
): Promise<Found | undefined> {
  const address = email.toLowerCase();
  const { rows } = await sql<Found & { people: string }>`
    select t.id, t.subject, lower(concat_ws(' ', m.sender, array_to_string(m.to_addresses, ' '))) as people
    from ${mailOfPerson({ teamId, mailboxId, addressKey: address })} m
    join threads t on t.team_id = m.team_id and t.id = m.thread_id and t.folder not in ('trash', 'spam')
    order by m.created_at desc limit ${MAX_COMPARED}
  `.execute(trx);
  return rows.find(({ people }) => people.split(/[\s<>,;"]+/).includes(address));
}

/** Returns the UUID of the draft's thread. */
async function draft(
  trx: Db,
  { teamId, mailboxId, email, draft: content }: ThreadStep,
  thread: Found | undefined,
): Promise<string> {
  const subject = content!.subject || (thread ? thread.subject : '');
  const { thread_id } = await createDraft(trx, ownCaller(teamId, ACTOR), mailboxId, {
    to: [email],
    subject: thread && !/^re:/i.test(subject) ? `Re: ${subject}` : subject,
    html: content!.html,
    ...(thread ? { thread_id: encodeId('thr', thread.id) } : {}),
  });
  return decodeId('thr', thread_id)!;
}

/** The label is named as people see it, or by its keyword. One that the mailbox does not have yet is a keyword. */
async function label(trx: Db, { teamId, mailboxId, threadId }: Conversation, name: string): Promise<void> {
  const { rows } = await sql<Row<'mailbox_labels', 'keyword' | 'name'>>`
    select keyword, name from mailbox_labels
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and (lower(name) = lower(${name}) or keyword = ${name})
    order by keyword = ${name} desc limit 1
  `.execute(trx);
  const keyword = rows[0]?.keyword ?? toKeyword(name);
  const { rows: messages } = await sql<Row<'messages', 'id'>>`
    select id from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and thread_id = ${threadId}
      and ${keyword} <> all(labels)
    order by id desc limit ${MAX_LABELLED}
  `.execute(trx);
  const ids = messages.map(({ id }) => id);
  if (ids.length === 0) return;
  await changeFlags(trx, { teamId, mailboxId }, ids, { add: { labels: [keyword] } });
  const data = { added: [keyword], removed: [] };
  await record(trx, { teamId, mailboxId, threadId }, 'labelled', 'mailbox.thread.labelled', data);
}

/** IMAP keywords are ASCII without spaces and a few other characters. */
function toKeyword(name: string): string {
  return name.replaceAll(/[^!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]+/g, '_').slice(0, 100);
}

async function assign(trx: Db, { teamId, mailboxId, threadId }: Conversation, userId: string): Promise<void> {
  const userKey = decodeId('usr', userId);
  if (!userKey || !(await listReaders(trx, teamId, mailboxId)).has(userKey))
    throw badRequest('assign is nobody with access to the mailbox.');
  const { rows: before } = await sql<Row<'thread_assignments', 'user_id'>>`
    select user_id from thread_assignments where team_id = ${teamId} and thread_id = ${threadId} for update
  `.execute(trx);
  if (before[0]?.user_id === userKey) return;
  await sql`
    insert into thread_assignments (team_id, thread_id, mailbox_id, user_id)
    values (${teamId}, ${threadId}, ${mailboxId}, ${userKey})
    on conflict (team_id, thread_id) do update set user_id = excluded.user_id, assigned_at = now()
  `.execute(trx);
  const data = { userId, previousUserId: before[0] ? encodeId('usr', before[0].user_id) : null };
  await record(trx, { teamId, mailboxId, threadId }, 'assigned', 'mailbox.thread.assigned', data);
}

async function note(trx: Db, { teamId, mailboxId, threadId }: Conversation, html: string): Promise<void> {
  const clean = await cleanOwnHtml(html);
  const id = newUuid();
  await sql`
    insert into thread_notes (team_id, id, thread_id, mailbox_id, author, html, words)
    values (${teamId}, ${id}, ${threadId}, ${mailboxId}, ${ACTOR}, ${clean}, ${wordsOf(htmlToPlainText(clean))})
  `.execute(trx);
  const data = { noteId: encodeId('not', id), mentions: [] };
  await record(trx, { teamId, mailboxId, threadId }, 'noted', 'mailbox.note.created', data);
}

async function record(
  trx: Db,
  { teamId, mailboxId, threadId }: Conversation,
  type: 'assigned' | 'labelled' | 'noted',
  event: EventToRecord['type'],
  data: Record<string, unknown>,
): Promise<void> {
  await recordActivity(trx, { teamId, by: ACTOR }, [{ mailboxId, threadId, type, data }]);
  const ids = { mailboxId: encodeId('mbx', mailboxId), threadId: encodeId('thr', threadId) };
  await recordEvents(trx, teamId, [
    { type: event, subjectId: threadId, notice: { ...ids, ...data, by: ACTOR } },
  ]);
}
