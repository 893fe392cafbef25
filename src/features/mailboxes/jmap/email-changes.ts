/** Lists the changes of a mailbox since a JMAP state (RFC 8620 section 5.2), in pages. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { readChangeNumber } from '../storage/list-changes.ts';
import type { MessageRef } from './email-rows.ts';

/**
 * A position in the order of changes: everything up to `modseq`, and the messages of the next change up to `messageId`.
 * `base` is the change number at which the client began to read pages.
 */
export interface ChangePosition {
  modseq: number;
  messageId: string | null;
  base: number;
}

export interface EmailChanges {
  created: MessageRef[];
  updated: MessageRef[];
  destroyed: MessageRef[];
  /** Null if there are no more changes. */
  next: ChangePosition | null;
  modseq: number;
}

/**
 * Null if the log does not reach back that far, or if the position is in the future. The client must then synchronise
 * from the start.
 */
export async function listEmailChanges(
  db: Db,
  mailbox: MailboxRef,
  since: ChangePosition,
  limit: number,
): Promise<EmailChanges | null> {
  const { modseq, forgotten_modseq } = await readChangeNumber(db, mailbox);
  if (since.modseq > modseq || since.modseq < forgotten_modseq) return null;
  const after =
    since.messageId === null
      ? sql`c.modseq > ${since.modseq}`
      : sql`(c.modseq, c.id) > (${since.modseq + 1}::bigint, ${since.messageId}::uuid)`;
  const { rows } = await sql<ChangedRow>`
    select c.id, c.modseq, c."createdModseq", c.version, c."isComposed" from (
      (
        select c.id, c.modseq, c.created_modseq as "createdModseq", c.raw_sha256 is null as "isComposed",
          case when c.raw_sha256 is null and c.email_id is null then c.uid end as version
        from messages c
        where ${ownRows(mailbox)} and ${after} and c.modseq <= ${modseq} order by c.modseq, c.id limit ${limit + 1}
      ) union all (
        select c.id, max(c.modseq), null, true, null from (
          select team_id, mailbox_id, modseq, message_id as id from vanished_messages where message_id is not null
        ) c
        where ${ownRows(mailbox)} and ${after} and c.modseq <= ${modseq}
          and not exists (select 1 from messages m where m.team_id = c.team_id and m.id = c.id)
        group by c.id order by max(c.modseq), c.id limit ${limit + 1}
      )
    ) c order by c.modseq, c.id limit ${limit + 1}
  `.execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isNew = ({ createdModseq, version }: ChangedRow) =>
    version !== null || (createdModseq ?? 0) > since.base;
  const existing = page.filter(({ createdModseq }) => createdModseq !== null);
  const gone = page.filter(({ createdModseq }) => createdModseq === null);
  const composed = page.filter(({ isComposed }) => isComposed);
  return {
    created: existing.filter(isNew).map(toRef),
    updated: existing.filter((row) => !isNew(row)).map(toRef),
    destroyed: [...gone.map(toRef), ...(await listFormerRefs(db, mailbox, since.base, composed))],
    next:
      rows.length > limit && last ? { modseq: last.modseq - 1, messageId: last.id, base: since.base } : null,
    modseq,
  };
}

interface ChangedRow extends MessageRef {
  modseq: Row<'messages'>['modseq'];
  /** Null for a deleted message. */
  createdModseq: Row<'messages'>['created_modseq'] | null;
  /** Whether it is or was written in webmail. */
  isComposed: boolean;
}

function toRef({ id, version }: MessageRef): MessageRef {
  return { id, version };
}

/**
 * The references under which JMAP has shown messages of webmail before: each version of a draft, and the message itself
 * once it waited to be sent. References that no client has seen do no harm.
 */
async function listFormerRefs(
  db: Db,
  mailbox: MailboxRef,
  since: number,
  rows: readonly MessageRef[],
): Promise<MessageRef[]> {
  if (rows.length === 0) return [];
  const { rows: vanished } = await sql<
    Row<'vanished_messages', 'uid'> & { id: NonNullable<Row<'vanished_messages'>['message_id']> }
  >`
    select distinct c.message_id as id, c.uid from vanished_messages c
    where ${ownRows(mailbox)} and c.modseq > ${since} and c.folder = 'drafts' and c.message_id = any(${rows.map(idOf)}::uuid[])
  `.execute(db);
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  const older = vanished.filter(({ id, uid }) => current.get(id) !== uid);
  const unversioned = rows.filter(({ version }) => version !== null);
  return [
    ...older.map(({ id, uid }) => ({ id, version: uid })),
    ...unversioned.map(({ id }) => ({ id, version: null })),
  ];
}

function ownRows({ teamId, mailboxId }: MailboxRef): RawBuilder<boolean> {
  return sql`c.team_id = ${teamId} and c.mailbox_id = ${mailboxId}`;
}

function idOf({ id }: { id: string }): string {
  return id;
}

export interface ThreadChanges {
  created: string[];
  updated: string[];
  destroyed: string[];
  modseq: number;
}

/** Null for the same reasons, or if there are more changes than the limit. Other flags do not change a thread. */
export async function listThreadChanges(
  db: Db,
  mailbox: MailboxRef,
  since: number,
  limit: number,
): Promise<ThreadChanges | null> {
  const { modseq, forgotten_modseq } = await readChangeNumber(db, mailbox);
  if (since > modseq || since < forgotten_modseq) return null;
  const { rows } = await sql<{
    id: Row<'messages'>['thread_id'];
    firstModseq: number | null;
    isNew: boolean;
  }>`
    select t.id, bool_or(t.is_new) as "isNew", (
      select min(m.created_modseq) from messages m where m.team_id = ${mailbox.teamId} and m.thread_id = t.id
    ) as "firstModseq"
    from (
      select c.thread_id as id, false as is_new from messages c
      where ${ownRows(mailbox)} and c.modseq > ${since} and c.created_modseq > ${since}
      union
      select c.thread_id, false from vanished_messages c
      where ${ownRows(mailbox)} and c.modseq > ${since} and c.thread_id is not null
        and not exists (select 1 from messages m where m.team_id = c.team_id and m.id = c.message_id)
      union
      -- People merged or split threads, or undid it. Splits and undone merges make a thread.
      select side.id, side.is_new from thread_changes c
      cross join lateral (values
        (c.thread_id, false), (c.other_id, case c.kind when 'split' then c.modseq else c.undone_modseq end > ${since})
      ) as side (id, is_new)
      where ${ownRows(mailbox)} and (c.modseq > ${since} or c.undone_modseq > ${since})
      limit ${2 * limit + 2}
    ) t group by t.id limit ${limit + 1}
  `.execute(db);
  if (rows.length > limit) return null;
  const isCreated = ({ firstModseq, isNew }: (typeof rows)[number]) => isNew || (firstModseq ?? 0) > since;
  // A late message may have merged threads. Clients must learn that the younger ones no longer exist.
  const { rows: merged } = await sql<Row<'merged_threads', 'id'>>`
    select id from merged_threads where team_id = ${mailbox.teamId} and into_id = any(${rows.map(idOf)}::uuid[])
  `.execute(db);
  return {
    created: rows.filter((row) => row.firstModseq !== null && isCreated(row)).map(idOf),
    updated: rows.filter((row) => row.firstModseq !== null && !isCreated(row)).map(idOf),
    destroyed: [...new Set([...rows.filter(({ firstModseq }) => firstModseq === null), ...merged].map(idOf))],
    modseq,
  };
}

/** Returns messages that changed or vanished, and with `wholeThreads` also the other messages of their threads. */
export async function listChangedIds(
  db: Db,
  mailbox: MailboxRef,
  since: number,
  { wholeThreads, limit }: { wholeThreads: boolean; limit: number },
): Promise<{ refs: MessageRef[]; modseq: number } | null> {
  const { modseq, forgotten_modseq } = await readChangeNumber(db, mailbox);
  if (since > modseq || since < forgotten_modseq) return null;
  const changed = sql`
    select c.id, c.thread_id from messages c where ${ownRows(mailbox)} and c.modseq > ${since}
    union
    select c.message_id, c.thread_id from vanished_messages c
    where ${ownRows(mailbox)} and c.modseq > ${since} and c.message_id is not null`;
  const others = wholeThreads
    ? sql`union select m.id from messages m
        where m.team_id = ${mailbox.teamId} and m.thread_id in (select thread_id from changed)`
    : sql``;
  const { rows } = await sql<MessageRef & { isComposed: boolean }>`
    with changed as materialized (${changed} limit ${limit + 1}), affected as (
      select id from changed ${others} limit ${limit + 1}
    )
    select a.id, m.raw_sha256 is null as "isComposed",
      case when m.raw_sha256 is null and m.email_id is null then m.uid end as version
    from affected a left join messages m on m.team_id = ${mailbox.teamId} and m.id = a.id
  `.execute(db);
  if (rows.length > limit) return null;
  const composed = rows.filter(({ isComposed }) => isComposed);
  return { refs: [...rows.map(toRef), ...(await listFormerRefs(db, mailbox, since, composed))], modseq };
}

/** Returns the folders that were deleted since. The log has a row with UID 0 for each. */
export async function listDestroyedFolders(db: Db, mailbox: MailboxRef, since: number): Promise<string[]> {
  const { rows } = await sql<Row<'vanished_messages', 'folder'>>`
    select distinct c.folder from vanished_messages c where ${ownRows(mailbox)} and c.modseq > ${since} and c.uid = 0
  `.execute(db);
  return rows.map(({ folder }) => folder);
}
