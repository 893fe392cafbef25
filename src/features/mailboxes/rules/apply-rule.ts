/**
 * Looks at messages that a mailbox already has with a rule: which it would match, and, if asked, to act on them. What
 * sends (forward, reply, draft, webhook, event, notify) is left out there, because the mail is old.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { readHead } from '../../../mail/mime/parse/parse-headers.ts';
import { readAnyHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { isKnownPerson } from '../reading/first-contact.ts';
import { readMessageSource } from '../reading/messages.ts';
import { addDerivedBodies } from '../storage/derived-bodies.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { findFolder } from '../storage/folder-rows.ts';
import { isSystemFolder } from '../storage/folder-names.ts';
import { moveMessages } from '../storage/move-messages.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { compileRule, decide, type CompiledRule, type RuleDecision } from './decide.ts';
import { findSegments } from './decide-arrival.ts';
import { verdictOf } from '../storage/verdict.ts';
import { bodyOf, groupHeaders, listIdForms, UNNAMED_FILE } from './message-facts.ts';
import type { MessageFacts } from './rule-conditions.ts';
import { requireRule, findRule, type RuleRow } from './rules.ts';
import type { RuleAction, RuleApplication, RulePreview } from './rules.schema.ts';
import { lockThreadsOf } from '../storage/refresh-threads.ts';
import { FOLDER_GONE, switchOff } from '../storage/switch-off-rules.ts';
import { logRules, recordRules } from './take-effect.ts';
import { threadActions } from './thread-actions.ts';

const MOST_EXAMINED = 5_000;
const MOST_SHOWN = 20;
const AT_ONCE = 200;
const ON_THREADS: readonly RuleAction['type'][] = ['assign', 'snooze', 'note'];

type StoredRow = Row<
  'messages',
  | 'id'
  | 'thread_id'
  | 'mailbox_id'
  | 'sender'
  | 'to_addresses'
  | 'cc_addresses'
  | 'delivered_to'
  | 'subject'
  | 'text'
  | 'html'
  | 'display_html'
  | 'body_bytes'
  | 'size'
  | 'folder'
  | 'raw_sha256'
  | 'created_at'
> & { authentication: { dmarc: string } | null; files: string[] };

type Place = { teamId: number; mailboxId: string };

/** The newest first. `before` is the last one of the previous batch. */
async function readStored(
  db: Db,
  { teamId, mailboxId }: Place,
  { before, since, needsBody }: { before: string | null; since: Date | null; needsBody: boolean },
): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select id, thread_id, mailbox_id, sender, to_addresses, cc_addresses, delivered_to, subject, text, html, display_html,
      body_bytes, size, folder,
      raw_sha256, created_at, authentication,
      case when attachment_count = 0 then '{}'::text[] else array(
        select coalesce(a.filename, ${UNNAMED_FILE}::text) from message_attachments a
        where a.team_id = messages.team_id and a.message_id = messages.id
      ) end as files
    from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and direction = 'in' and folder <> 'trash'
      and (${before}::uuid is null or id < ${before}::uuid)
      and (${since}::timestamptz is null or created_at >= ${since}::timestamptz)
    order by id desc limit ${AT_ONCE}
  `.execute(db);
  // The bodies of most received messages are only in their sources.
  return needsBody ? addDerivedBodies(db, teamId, rows) : rows;
}

/** Reads the source only if the rule asks for header fields. */
async function factsOf(
  db: Db,
  { teamId, mailboxId }: Place,
  row: StoredRow,
  rule: StoredMailRule,
): Promise<MessageFacts> {
  const source = rule.needsHeaders ? await readMessageSource(db, teamId, row.id) : null;
  const headers = source
    ? groupHeaders(readHead(readAnyHeaders(source)).headers)
    : new Map<string, string[]>();
  const senderKey = keyOfPerson(row.sender) || null;
  return {
    from: formsOf([row.sender]),
    to: formsOf(row.to_addresses),
    cc: formsOf(row.cc_addresses),
    deliveredTo: row.delivered_to ?? '',
    subject: row.subject.toLowerCase(),
    body: () => bodyOf(row),
    header: (name) => headers.get(name) ?? [],
    listId: (headers.get('list-id') ?? []).flatMap(listIdForms),
    attachments: row.files.map((name) => name.toLowerCase()),
    size: row.size ?? 0,
    authentication: verdictOf(row.authentication),
    isSpam: row.folder === 'spam',
    isFirstContact: rule.needsFirstContact
      ? senderKey !== null && !(await isKnownPerson(db, { teamId, mailboxId }, senderKey, row.created_at))
      : null,
    segments: await findSegments(db, teamId, rule.segments, parseAddress(senderKey ?? '')?.key ?? null),
  };
}

function formsOf(people: string[]): string[] {
  return people.flatMap((person) => [person.toLowerCase(), keyOfPerson(person)]);
}

interface StoredMailRule extends CompiledRule {
  needsHeaders: boolean;
  needsBody: boolean;
}

function compile(row: RuleRow): StoredMailRule {
  const needsHeaders = row.conditions.some(({ field }) => field === 'list_id' || field.startsWith('header:'));
  const needsBody = row.conditions.some(({ field }) => field === 'body');
  return { ...compileRule(row), needsHeaders, needsBody };
}

export async function previewRule(
  db: Db,
  caller: Caller,
  ids: { mailboxId: string; ruleId: string },
  days: number,
): Promise<RulePreview> {
  const row = await requireRule(db, caller, ids);
  const rule = compile(row);
  const place = { teamId: caller.teamId, mailboxId: row.mailbox_id };
  const since = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  const preview: RulePreview = { count: 0, examined: 0, messages: [] };
  let before: string | null = null;
  while (preview.examined < MOST_EXAMINED) {
    const rows = await readStored(db, place, { before, since, needsBody: rule.needsBody });
    for (const message of rows) {
      preview.examined += 1;
      if (decide([rule], await factsOf(db, place, message, rule)).log.length === 0) continue;
      preview.count += 1;
      if (preview.messages.length < MOST_SHOWN) preview.messages.push(presentMatch(message));
    }
    if (rows.length < AT_ONCE) break;
    before = rows.at(-1)!.id;
  }
  return preview;
}

function presentMatch(row: StoredRow): RulePreview['messages'][number] {
  return {
    id: encodeId('msg', row.id),
    thread_id: encodeId('thr', row.thread_id),
    from: row.sender,
    subject: row.subject,
    folder: row.folder,
    created_at: row.created_at.toISOString(),
  };
}

/** Starts the run in the background. 409 while one is under way. */
export async function startApplication(
  db: Db,
  caller: Caller,
  ids: { mailboxId: string; ruleId: string },
): Promise<RuleApplication> {
  return inTransaction(db, async (trx) => {
    const { id, mailbox_id } = await requireRule(trx, caller, ids, 'manage');
    const { rows } = await sql`
      insert into rule_applications as a (team_id, mailbox_id, rule_id, status)
      values (${caller.teamId}, ${mailbox_id}, ${id}, 'running')
      on conflict (team_id, rule_id) do update set status = 'running', examined = 0, matched = 0, before_id = null,
        started_at = now(), ended_at = null where a.status <> 'running'
      returning 1
    `.execute(trx);
    if (rows.length === 0) throw conflict('The rule is already being applied.');
    await enqueue(trx, 'apply-rule', { teamId: caller.teamId, ruleId: id });
    return readApplication(trx, caller.teamId, id);
  });
}

export async function getApplication(
  db: Db,
  caller: Caller,
  ids: { mailboxId: string; ruleId: string },
): Promise<RuleApplication> {
  const { id } = await requireRule(db, caller, ids);
  return readApplication(db, caller.teamId, id);
}

async function readApplication(db: Db, teamId: number, ruleId: string): Promise<RuleApplication> {
  const { rows } = await sql<
    Row<'rule_applications', 'status' | 'examined' | 'matched' | 'started_at' | 'ended_at'>
  >`
    select status, examined, matched, started_at, ended_at from rule_applications
    where team_id = ${teamId} and rule_id = ${ruleId}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Application of the rule');
  return {
    status: row.status,
    examined: row.examined,
    matched: row.matched,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

/** The job. It stores how far it has come, so that it goes on from there after a restart. */
export async function applyRule(
  db: Db,
  { teamId, ruleId }: { teamId: number; ruleId: string },
): Promise<void> {
  for (;;) {
    const row = await findRule(db, teamId, ruleId);
    const { rows } = await sql<Row<'rule_applications', 'before_id'>>`
      select before_id from rule_applications
      where team_id = ${teamId} and rule_id = ${ruleId} and status = 'running'
    `.execute(db);
    if (!row || !rows[0]) return;
    const place = { teamId, mailboxId: row.mailbox_id };
    const rule = compile(row);
    const messages = await readStored(db, place, {
      before: rows[0].before_id,
      since: null,
      needsBody: rule.needsBody,
    });
    let matched = 0;
    for (const message of messages) {
      const decision = decide([rule], await factsOf(db, place, message, rule));
      if (decision.log.length === 0) continue;
      matched += 1;
      if (!(await actOn(db, place, message, decision))) return;
    }
    const isDone = messages.length < AT_ONCE;
    await sql`
      update rule_applications set examined = examined + ${messages.length}, matched = matched + ${matched},
        before_id = ${messages.at(-1)?.id ?? rows[0].before_id}, status = ${isDone ? 'done' : 'running'},
        ended_at = ${isDone ? sql`now()` : null}
      where team_id = ${teamId} and rule_id = ${ruleId}
    `.execute(db);
    if (isDone) return;
  }
}

/** Returns false if the run cannot go on. */
async function actOn(
  db: Db,
  place: Place,
  { id, thread_id }: StoredRow,
  decision: RuleDecision,
): Promise<boolean> {
  const { ruleId } = decision.log[0]!;
  const { folder, labels, unlabelled, isRead, isStarred } = decision;
  if (folder !== null && !isSystemFolder(folder) && !(await findFolder(db, place, folder))) {
    await switchOff(db, place.teamId, ruleId, FOLDER_GONE);
    await sql`
      update rule_applications set status = 'failed', ended_at = now()
      where team_id = ${place.teamId} and rule_id = ${ruleId}
    `.execute(db);
    return false;
  }
  const flags = [...(isRead ? ['read' as const] : []), ...(isStarred ? ['starred' as const] : [])];
  if (flags.length + labels.length + unlabelled.length > 0)
    await changeFlags(db, place, [id], { add: { flags, labels }, remove: { labels: unlabelled } });
  if (folder !== null) await moveMessages(db, place, [id], folder, { byRule: true });
  for (const { action } of decision.later)
    if (ON_THREADS.includes(action.type))
      await inTransaction(db, async (trx) => {
        await lockThreadsOf(trx, place, [id]);
        await threadActions(trx, { ...place, threadId: thread_id, ruleId }, action);
      });
  const leftOut = decision.later
    .map(({ action }) => action.type)
    .filter((type) => !ON_THREADS.includes(type));
  const entry = decision.log[0]!;
  const done = { ...entry, actions: entry.actions.filter((type) => !leftOut.some((each) => each === type)) };
  await logRules(db, place, [{ ...done, messageId: id }]);
  await recordRules(db, { ...place, threadId: thread_id, messageId: id }, [done]);
  return true;
}
