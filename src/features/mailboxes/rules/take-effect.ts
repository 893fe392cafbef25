/**
 * What rules do in the transaction that stores messages. Flags, labels and folders are part of the stored message.
 * Everything else follows here, and what sends is only enqueued. No failure of a rule keeps a message from being stored.
 */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { recordActivity } from '../activity/record-activity.ts';
import { isSystemFolder } from '../storage/folder-names.ts';
import { refreshThreads } from '../storage/refresh-threads.ts';
import type { StoredMessage } from '../storage/store-message.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { addNotifications } from '../notifications/add-notifications.ts';
import type { RuleDecision } from './decide.ts';
import { FOLDER_GONE, switchOff } from '../storage/switch-off-rules.ts';
import { ruleActor, threadActions } from './thread-actions.ts';

export interface Ruled {
  stored: StoredMessage;
  decision: RuleDecision;
  /** The recipient of an automatic reply, if one may be sent. */
  answerTo: string | null;
  /** True for messages that no person wrote (RFC 3834). */
  isAutomatic: boolean;
}

/**
 * Messages for folders that are gone stay in the inbox, and their rules are switched off. Locks the folders, and before
 * them the change numbers, as all changes of messages do.
 */
export async function confirmFolders(trx: Db, ruled: readonly Ruled[]): Promise<void> {
  const moved = ruled.filter(({ decision: { folder } }) => folder !== null && !isSystemFolder(folder));
  if (moved.length === 0) return;
  const refs = toJson(
    ruled.map(({ stored: { message }, decision }) => ({
      team_id: message.teamId,
      mailbox_id: message.mailboxId,
      folder: decision.folder,
    })),
  );
  const wanted = sql`json_to_recordset(${refs}::json) as w (team_id integer, mailbox_id uuid, folder text)`;
  await sql`
    select 1 from mailbox_change_numbers
    where (team_id, mailbox_id) in (select team_id, mailbox_id from ${wanted})
    order by team_id, mailbox_id for update
  `.execute(trx);
  const { rows } = await sql<CamelRow<'folders', 'mailbox_id' | 'id'>>`
    select mailbox_id as "mailboxId", id from folders
    where (team_id, mailbox_id, id) in (select team_id, mailbox_id, folder from ${wanted}) for key share
  `.execute(trx);
  const existing = new Set(rows.map(({ mailboxId, id }) => `${mailboxId} ${id}`));
  for (const { stored, decision } of moved) {
    const { message } = stored;
    if (existing.has(`${message.mailboxId} ${message.folder}`)) continue;
    message.folder = 'inbox';
    await switchOff(trx, message.teamId, decision.folderRule!, FOLDER_GONE);
  }
}

/** Runs after the messages are stored. */
export async function takeEffect(trx: Db, ruled: readonly Ruled[]): Promise<void> {
  await notifyWatchers(trx, ruled);
  for (const each of ruled) {
    const { stored, decision } = each;
    const { teamId, mailboxId, id: messageId } = stored.message;
    if (decision.folder !== null) await refreshThreads(trx, teamId, [stored.thread.id]);
    for (const { ruleId, no, action } of decision.later) {
      const error = await actSafely(trx, each, { ruleId, no, action });
      if (error !== null) {
        const entry = decision.log.find((row) => row.ruleId === ruleId);
        await writeLog(trx, each, [{ ruleId, actions: [], error }]);
        if (entry) entry.actions = entry.actions.filter((type) => type !== action.type);
      }
    }
    if (decision.log.length > 0) {
      await writeLog(trx, { stored, messageId }, decision.log);
      await recordRules(trx, { teamId, mailboxId, threadId: stored.thread.id, messageId }, decision.log);
    }
  }
}

async function notifyWatchers(trx: Db, ruled: readonly Ruled[]): Promise<void> {
  for (const { stored, decision, isAutomatic } of ruled) {
    const { teamId, mailboxId, id: messageId, folder, flags } = stored.message;
    if (folder === 'spam' || folder === 'trash' || flags.read) continue;
    await addNotifications(trx, teamId, [
      {
        mailboxId,
        threadId: stored.thread.id,
        messageId,
        kind: 'message',
        userIds: decision.watchers,
        isAutomatic,
      },
    ]);
  }
}

/** Whatever fails, the message is stored. */
async function actSafely(
  trx: Db,
  ruled: Ruled,
  later: RuleDecision['later'][number],
): Promise<string | null> {
  await sql`savepoint rule_action`.execute(trx);
  try {
    const error = await actLater(trx, ruled, later);
    await sql`release savepoint rule_action`.execute(trx);
    return error;
  } catch (error) {
    await sql`rollback to savepoint rule_action`.execute(trx);
    await sql`release savepoint rule_action`.execute(trx);
    return error instanceof AppError ? error.message : 'It could not be done.';
  }
}

/** The activity of the conversation names the rules that acted. The IDs are UUIDs. */
export async function recordRules(
  trx: Db,
  {
    teamId,
    mailboxId,
    threadId,
    messageId,
  }: Record<'mailboxId' | 'threadId' | 'messageId', string> & { teamId: number },
  log: readonly LogEntry[],
): Promise<void> {
  for (const { ruleId, actions } of log) {
    if (actions.length === 0) continue;
    const data = { rule_id: encodeId('rul', ruleId), message_id: encodeId('msg', messageId), actions };
    await recordActivity(trx, ruleActor({ teamId, ruleId }), [{ mailboxId, threadId, type: 'rule', data }]);
  }
}

/** Returns what went wrong, or null. */
async function actLater(
  trx: Db,
  { stored, answerTo }: Ruled,
  { ruleId, no, action }: RuleDecision['later'][number],
): Promise<string | null> {
  const { teamId, mailboxId, id: messageId } = stored.message;
  const job = { teamId, mailboxId, messageId, ruleId, no, type: action.type };
  switch (action.type) {
    case 'reply':
      if (answerTo !== null) await enqueue(trx, 'run-rule-action', { ...job, answerTo });
      return null;
    case 'webhook':
      await enqueue(trx, 'call-rule-webhook', job);
      return null;
    case 'forward':
    case 'draft':
    case 'event':
    case 'notify':
      await enqueue(trx, 'run-rule-action', { ...job, answerTo: null });
      return null;
    default:
      return threadActions(trx, { teamId, mailboxId, threadId: stored.thread.id, ruleId }, action);
  }
}

type LogEntry = RuleDecision['log'][number];

async function writeLog(
  trx: Db,
  { stored: { message } }: { stored: StoredMessage; messageId?: string },
  entries: readonly LogEntry[],
): Promise<void> {
  await logRules(
    trx,
    { teamId: message.teamId, mailboxId: message.mailboxId },
    entries.map((entry) => ({ ...entry, messageId: message.id })),
  );
}

export async function logRules(
  db: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
  entries: readonly (LogEntry & { messageId: Row<'rule_log'>['message_id'] })[],
): Promise<void> {
  const rows = entries.map(({ ruleId, messageId, actions, error }) => ({
    id: newUuid(),
    rule_id: ruleId,
    message_id: messageId,
    actions,
    error: error && error.slice(0, 500),
  }));
  await sql`
    insert into rule_log (team_id, mailbox_id, id, rule_id, message_id, actions, error)
    select ${teamId}::integer, ${mailboxId}::uuid, id, rule_id, message_id, actions, error
    from json_to_recordset(${toJson(rows)}::json)
      as l (id uuid, rule_id uuid, message_id uuid, actions text[], error text)
  `.execute(db);
}
