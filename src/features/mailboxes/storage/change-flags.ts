/** Changes the flags and labels of messages. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, runTogether, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from './change-numbers.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { lockThreadsOf, refreshThreads } from './refresh-threads.ts';
import type { Flags } from './store-message.ts';

export type Flag = keyof Flags;
const FLAGS: readonly Flag[] = ['read', 'starred', 'answered', 'draft', 'deleted'];

export interface FlagSet {
  flags?: readonly Flag[];
  labels?: readonly string[];
}

/** Adds and removes some flags and labels, or replaces all of them. A label that is added and removed is removed. */
export type FlagChange = { add?: FlagSet; remove?: FlagSet } | { set: FlagSet };

/** Whether the change stores labels. All other changes take no space. */
export function addsLabels(change: FlagChange): boolean {
  const added = 'set' in change ? change.set : change.add;
  return (added?.labels?.length ?? 0) > 0;
}

type ChangedMessage = CamelRow<'messages', 'id' | 'thread_id' | 'folder' | 'uid'>;

export interface FlagsChanged {
  /** The messages that were changed. They have the change number `modseq`. */
  changed: ChangedMessage[];
  modseq: number;
  /** Messages that were not changed, because someone else changed them after `unchangedSince`. */
  stale: string[];
}

/** Messages that do not exist, or are in another mailbox, are ignored. */
export async function changeFlags(
  db: Db,
  mailbox: MailboxRef,
  messageIds: readonly string[],
  change: FlagChange,
  { unchangedSince }: { unchangedSince?: number } = {},
): Promise<FlagsChanged> {
  return inTransaction(db, async (trx) => {
    await lockThreadsOf(trx, mailbox, messageIds);
    const modseq = await lockChangeNumber(trx, mailbox);
    const named = sql`m.team_id = ${mailbox.teamId} and m.mailbox_id = ${mailbox.mailboxId}
      and m.id = any(${messageIds}::uuid[])`;
    const isStale = unchangedSince === undefined ? sql`false` : sql`m.modseq > ${unchangedSince}`;
    const stale = unchangedSince === undefined ? [] : await listIds(trx, sql`${named} and ${isStale}`);
    const values = newValues(change);
    const names = values.map(([name]) => sql.ref(name));
    const { rows: changed } = await sql<ChangedMessage>`
      update messages m set modseq = ${modseq},
        ${sql.join(values.map(([name, value]) => sql`${sql.ref(name)} = ${value}`))}
      where ${named} and not ${isStale}
        and (${sql.join(names.map((name) => sql`m.${name}`))}) is distinct from
          (${sql.join(values.map(([, value]) => value))})
      returning m.id, m.thread_id as "threadId", m.folder, m.uid
    `.execute(trx);
    if (changed.length > 0) await finishChange(trx, mailbox, modseq, changed);
    return { changed, modseq, stale };
  });
}

async function listIds(trx: Db, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<Row<'messages', 'id'>>`
    select m.id from messages m where ${condition}
  `.execute(trx);
  return rows.map(({ id }) => id);
}

/** Stores the change number, updates the threads and notifies listening clients. */
export async function finishChange(
  trx: Db,
  mailbox: MailboxRef,
  modseq: number,
  changed: { threadId: string }[],
): Promise<void> {
  const threadIds = [...new Set(changed.map(({ threadId }) => threadId))];
  await runTogether(
    storeChangeNumber(trx, mailbox, modseq),
    refreshThreads(trx, mailbox.teamId, threadIds),
    recordThreadChanges(trx, mailbox.teamId, mailbox.mailboxId, threadIds),
  );
}

function newValues(change: FlagChange): [Flag | 'labels', RawBuilder<unknown>][] {
  if ('set' in change) {
    const { flags = [], labels = [] } = change.set;
    return [
      ...FLAGS.map((flag): [Flag, RawBuilder<unknown>] => [flag, sql`${flags.includes(flag)}::boolean`]),
      ['labels', sql`${sortLabels(labels)}::text[]`],
    ];
  }
  const { add = {}, remove = {} } = change;
  const [added, removed] = [sortLabels(add.labels ?? []), sortLabels(remove.labels ?? [])];
  return [
    ...FLAGS.map((flag): [Flag, RawBuilder<unknown>] => {
      if (remove.flags?.includes(flag)) return [flag, sql`false`];
      return [flag, add.flags?.includes(flag) ? sql`true` : sql`m.${sql.ref(flag)}`];
    }),
    [
      'labels',
      added.length + removed.length === 0
        ? sql`m.labels`
        : sql`array(
            select label from (
              select unnest(m.labels) union select unnest(${added}::text[])
            ) as l (label)
            where label <> all(${removed}::text[]) order by label collate "C")`,
    ],
  ];
}

/** Returns the labels in the order in which the column stores them. */
export function sortLabels(labels: readonly string[]): string[] {
  return [...new Set(labels)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
