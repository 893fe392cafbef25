/** The labels of a mailbox: names and colours for the keywords of its messages. */
import { sql } from 'kysely';
import { KEYWORD } from '../../../mail/imap/keyword-form.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { MailboxNeed } from '../../api/mailbox-access.ts';
import { recordFolderChange } from '../../events/live-updates.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';
import { changeFlags } from '../storage/change-flags.ts';
import { switchOffLabelling } from '../storage/switch-off-rules.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { makeKeyword } from './keywords.ts';
import { MAX_LABELS, type LabelInput, type LabelUpdate, type MailboxLabel } from './labels.schema.ts';

type LabelRow = Row<'mailbox_labels', 'id' | 'keyword' | 'name' | 'color' | 'created_at'>;

const COLUMNS = sql`id, keyword, name, color, created_at`;
/** For labels without a colour of their own. Each has enough contrast with white. */
const PALETTE = ['#1a73e8', '#188038', '#c5221f', '#b06000', '#8430ce', '#00796b', '#b80672', '#5f6368'];
/** The number of messages that lose a deleted label in one transaction. */
const AT_ONCE = 1_000;

/** Lists them by name. */
export async function listLabels(db: Db, caller: Caller, mailboxId: string): Promise<MailboxLabel[]> {
  const mailbox = await requireRef(db, caller, mailboxId, 'read');
  const { rows } = await sql<LabelRow>`
    select ${COLUMNS} from mailbox_labels
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}
    order by lower(name), id limit ${MAX_LABELS}
  `.execute(db);
  return rows.map(present);
}

/** A keyword that email apps have set becomes the label of the same name. */
export async function createLabel(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { name, color }: LabelInput,
): Promise<MailboxLabel> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireRef(trx, caller, mailboxId, 'reply');
    await refuseTooMany(
      trx,
      { teamId: mailbox.teamId, id: mailbox.mailboxId },
      {
        table: 'mailbox_labels',
        most: MAX_LABELS,
        message: `A mailbox can have at most ${MAX_LABELS} labels.`,
      },
    );
    const { rows: others } = await sql<Row<'mailbox_labels', 'keyword'>>`
      select keyword from mailbox_labels where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}
    `.execute(trx);
    const taken = new Set(others.map(({ keyword }) => keyword.toLowerCase()));
    const keyword = makeKeyword(name, (wanted) => !taken.has(wanted.toLowerCase()));
    const { rows } = await sql<LabelRow>`
      insert into mailbox_labels (team_id, id, mailbox_id, keyword, name, color)
      values (${mailbox.teamId}, ${newUuid()}, ${mailbox.mailboxId}, ${keyword}, ${name},
        ${color ?? PALETTE[others.length % PALETTE.length]})
      on conflict do nothing returning ${COLUMNS}
    `.execute(trx);
    if (!rows[0]) throw nameTaken(name);
    await recordFolderChange(trx, mailbox);
    return present(rows[0]);
  });
}

export async function updateLabel(
  db: Db,
  caller: Caller,
  { mailboxId, labelId }: { mailboxId: string; labelId: string },
  { name, color }: LabelUpdate,
): Promise<MailboxLabel> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireRef(trx, caller, mailboxId, 'reply');
    const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
    const id = decodeId('lab', labelId);
    // Locks all labels of the mailbox, so that two of them do not get the same name.
    // The comparison is that of the index, so that no other name is taken for the same.
    const { rows: all } = await sql<Row<'mailbox_labels', 'id'> & { has_name: boolean }>`
      select id, coalesce(lower(name) = lower(${name ?? null}::text), false) as has_name
      from mailbox_labels where ${own} order by id for update
    `.execute(trx);
    if (!all.some((each) => each.id === id)) throw notFound('Label');
    if (name !== undefined && all.some((each) => each.id !== id && each.has_name)) throw nameTaken(name);
    const { rows } = await sql<LabelRow>`
      update mailbox_labels set name = coalesce(${name ?? null}, name), color = coalesce(${color ?? null}, color)
      where ${own} and id = ${id} returning ${COLUMNS}
    `.execute(trx);
    await recordFolderChange(trx, mailbox);
    return present(rows[0]!);
  });
}

/** The messages lose the keyword in the background. Rules that set it are switched off. */
export async function deleteLabel(db: Db, caller: Caller, mailboxId: string, labelId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireRef(trx, caller, mailboxId, 'reply');
    const { rows } = await sql<Row<'mailbox_labels', 'keyword'>>`
      delete from mailbox_labels
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${decodeId('lab', labelId)}
      returning keyword
    `.execute(trx);
    if (!rows[0]) throw notFound('Label');
    await switchOffLabelling(trx, mailbox, rows[0].keyword);
    await recordFolderChange(trx, mailbox);
    await enqueue(trx, 'drop-label', { ...mailbox, keyword: rows[0].keyword });
  });
}

/** Stops if there is a label with this keyword again. */
export async function dropLabel(
  db: Db,
  { keyword, ...mailbox }: MailboxRef & { keyword: string },
): Promise<void> {
  const own = sql`team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}`;
  for (;;) {
    const { rows } = await sql<Row<'messages', 'id'>>`
      select id from messages where ${own} and labels <> '{}' and labels @> ${[keyword]}::text[]
        and not exists (select from mailbox_labels where ${own} and keyword = ${keyword})
      limit ${AT_ONCE}
    `.execute(db);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await changeFlags(db, mailbox, ids, { remove: { labels: [keyword] } });
    if (ids.length < AT_ONCE) return;
  }
}

/** Returns the keywords of labels that are given by their IDs or keywords. An ID of another mailbox is not found. */
export async function toKeywords(db: Db, mailbox: MailboxRef, labels: readonly string[]): Promise<string[]> {
  const keyOf = new Map(labels.map((label) => [label, decodeId('lab', label)]));
  const keys = [...keyOf.values()].filter((key) => key !== null);
  if (keys.length === 0) return [...new Set(labels)];
  const { rows } = await sql<Row<'mailbox_labels', 'id' | 'keyword'>>`
    select id, keyword from mailbox_labels
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = any(${keys}::uuid[])
  `.execute(db);
  const keywordOf = new Map(rows.map(({ id, keyword }) => [id, keyword]));
  const keywords = labels.map((label) => {
    const key = keyOf.get(label) ?? null;
    if (key === null) return label;
    const keyword = keywordOf.get(key);
    if (keyword === undefined) throw notFound('Label');
    return keyword;
  });
  return [...new Set(keywords)];
}

/** The keyword of a label that is given by its ID, keyword or name, or else the keyword itself. Null: there is none. */
export async function findKeyword(db: Db, mailbox: MailboxRef, label: string): Promise<string | null> {
  const { rows } = await sql<Row<'mailbox_labels', 'keyword'>>`
    select keyword from mailbox_labels
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId}
      and (id = ${decodeId('lab', label)} or keyword = ${label} or lower(name) = lower(${label}))
    order by keyword = ${label} desc limit 1
  `.execute(db);
  // IDs have the form of keywords.
  return rows[0]?.keyword ?? (KEYWORD.test(label) && !label.startsWith('lab_') ? label : null);
}

function nameTaken(name: string) {
  return conflict(`A label named ${name} already exists.`);
}

async function requireRef(db: Db, caller: Caller, mailboxId: string, need: MailboxNeed): Promise<MailboxRef> {
  return { teamId: caller.teamId, mailboxId: (await requireMailbox(db, caller, mailboxId, need)).id };
}

function present({ id, keyword, name, color, created_at }: LabelRow): MailboxLabel {
  return { id: encodeId('lab', id), name, color, keyword, created_at: created_at.toISOString() };
}
