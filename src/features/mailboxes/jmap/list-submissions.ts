/** Lists the submissions of a mailbox. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import type { SubmissionRow } from './submissions.ts';

export interface SubmissionFilter {
  identityIds?: string[];
  messageIds?: string[];
  threadIds?: string[];
  undoStatus?: string;
  before?: Date;
  after?: Date;
}

const COLUMNS = sql`s.id, s.identity_id as "identityId", s.message_id as "messageId", s.thread_id as "threadId",
  s.email_id as "emailId", s.envelope, s.send_at as "sendAt", s.undo_status as "undoStatus", s.modseq`;

/** Returns the submissions with these IDs, or all if null, newest first. */
export async function readSubmissions(
  db: Db,
  mailbox: MailboxRef,
  ids: readonly string[] | null,
  limit: number,
): Promise<SubmissionRow[]> {
  const named = ids === null ? sql`true` : sql`s.id = any(${ids}::uuid[])`;
  const { rows } = await sql<SubmissionRow>`
    select ${COLUMNS} from mail_submissions s where ${own(mailbox)} and not s.is_destroyed and ${named}
    order by s.id desc limit ${limit}
  `.execute(db);
  return rows;
}

function own({ teamId, mailboxId }: MailboxRef): RawBuilder<boolean> {
  return sql`s.team_id = ${teamId} and s.mailbox_id = ${mailboxId}`;
}

/** Returns the change number of the latest change. */
export async function submissionState(db: Db, mailbox: MailboxRef): Promise<number> {
  const { rows } = await sql<{ state: number }>`
    select coalesce(max(s.modseq), 0) as state from mail_submissions s where ${own(mailbox)}
  `.execute(db);
  return rows[0]!.state;
}

/** Returns the submissions that changed since then, earliest change first. */
export async function listSubmissionChanges(db: Db, mailbox: MailboxRef, since: number, limit: number) {
  const { rows } = await sql<
    CamelRow<'mail_submissions', 'id' | 'modseq' | 'created_modseq' | 'is_destroyed'>
  >`
    select s.id, s.modseq, s.created_modseq as "createdModseq", s.is_destroyed as "isDestroyed" from mail_submissions s
    where ${own(mailbox)} and s.modseq > ${since} order by s.modseq limit ${limit + 1}
  `.execute(db);
  const ids = (some: typeof rows) => some.map(({ id }) => id);
  const page = rows.slice(0, limit);
  return {
    created: ids(page.filter((row) => !row.isDestroyed && row.createdModseq > since)),
    updated: ids(page.filter((row) => !row.isDestroyed && row.createdModseq <= since)),
    destroyed: ids(page.filter((row) => row.isDestroyed && row.createdModseq <= since)),
    /** Each change number belongs to one submission, so a page may end anywhere. */
    next: rows.length > limit ? page.at(-1)!.modseq : null,
  };
}

const SORT_KEYS = { sentAt: sql`s.send_at`, emailId: sql`s.message_id`, threadId: sql`s.thread_id` };
export type SubmissionSort = { property: keyof typeof SORT_KEYS; isAscending: boolean };

/** Returns the IDs of all matching submissions. */
export async function querySubmissions(
  db: Db,
  mailbox: MailboxRef,
  filter: RawFilter,
  sort: readonly SubmissionSort[],
  limit: number,
): Promise<string[]> {
  const keys = sort.map(
    ({ property, isAscending }) => sql`${SORT_KEYS[property]} ${isAscending ? sql`asc` : sql`desc`}`,
  );
  const { rows } = await sql<Row<'mail_submissions', 'id'>>`
    select s.id from mail_submissions s where ${own(mailbox)} and not s.is_destroyed and ${toCondition(filter)}
    order by ${sql.join([...keys, sql`s.id desc`])} limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

type RawFilter =
  { operator: 'AND' | 'OR' | 'NOT'; conditions: RawFilter[] } | { condition: SubmissionFilter };

function toCondition(filter: RawFilter): RawBuilder<boolean> {
  if ('condition' in filter) return toPlainCondition(filter.condition);
  const conditions = filter.conditions.map(toCondition);
  if (conditions.length === 0) return filter.operator === 'OR' ? sql`false` : sql`true`;
  const joined = sql<boolean>`(${sql.join(conditions, filter.operator === 'AND' ? sql` and ` : sql` or `)})`;
  return filter.operator === 'NOT' ? sql<boolean>`not ${joined}` : joined;
}

function toPlainCondition(filter: SubmissionFilter): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`];
  const { identityIds, messageIds, threadIds, undoStatus, before, after } = filter;
  if (identityIds) conditions.push(sql`s.identity_id = any(${identityIds}::uuid[])`);
  if (messageIds) conditions.push(sql`s.message_id = any(${messageIds}::uuid[])`);
  if (threadIds) conditions.push(sql`s.thread_id = any(${threadIds}::uuid[])`);
  if (undoStatus !== undefined) conditions.push(sql`s.undo_status = ${undoStatus}`);
  if (before) conditions.push(sql`s.send_at < ${before}`);
  if (after) conditions.push(sql`s.send_at >= ${after}`);
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
