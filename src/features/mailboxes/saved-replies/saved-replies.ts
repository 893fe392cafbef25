/** Saved replies are named texts for reuse. Each mailbox has its own. */
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isBound } from '../../api/bound-keys.ts';
import { TAGGED_COLUMNS, type TaggedContact } from '../../audience/own-fields/own-columns.ts';
import { eachOwnField } from '../../audience/own-fields/own-fields.ts';
import type { Caller } from '../../api/caller.ts';
import { switchOffReplying } from '../storage/switch-off-rules.ts';
import { withCleanHtml } from '../storage/own-html.ts';
import { listReaders } from '../access/readers.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { fillVariables, type FilledText } from './fill-variables.ts';
import {
  MAX_HTML_LENGTH,
  type SavedReply,
  type SavedReplyAction,
  type SavedReplyInput,
  type SavedReplyUpdate,
} from './saved-replies.schema.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';

const MAX_PER_MAILBOX = 100;

type SavedReplyRow = Row<'saved_replies', 'id' | 'name' | 'html' | 'updated_at' | 'folder'> &
  Pick<SavedReply, 'actions' | 'attachments'>;

/** The table has the alias r. */
const COLUMNS = sql`r.id, r.name, r.html, r.updated_at, r.folder, r.actions, (
  select coalesce(json_agg(json_build_object('n', f.no, 'filename', f.filename, 'content_type', f.content_type,
    'content_id', f.content_id, 'size', f.size) order by f.no), '[]')
  from saved_reply_files f
  where f.team_id = r.team_id and f.mailbox_id = r.mailbox_id and f.reply_id = r.id) as attachments`;

/** Sorts by name, ignoring case, then by age. */
export async function listSavedReplies(db: Db, caller: Caller, mailboxId: string): Promise<SavedReply[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<SavedReplyRow>`
    select ${COLUMNS} from saved_replies r where r.team_id = ${caller.teamId} and r.mailbox_id = ${mailbox.id}
  `.execute(db);
  // They are sorted here, because case conversion in the database depends on its locale.
  return rows
    .map((row) => ({ key: row.name.toLowerCase(), row }))
    .toSorted((one, other) => compare(one.key, other.key) || compare(one.row.id, other.row.id))
    .map(({ row }) => present(row));
}

export async function createSavedReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  input: SavedReplyInput,
): Promise<SavedReply> {
  const { html } = await withCleanHtml(input, MAX_HTML_LENGTH);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    await checkActions(trx, caller, mailbox.id, input.actions);
    await refuseTooMany(
      trx,
      { teamId: caller.teamId, id: mailbox.id },
      {
        table: 'saved_replies',
        most: MAX_PER_MAILBOX,
        message: `A mailbox can have at most ${MAX_PER_MAILBOX} saved replies. Delete one first.`,
      },
    );
    const { rows } = await sql<SavedReplyRow>`
      insert into saved_replies as r (team_id, mailbox_id, id, name, html, folder, actions)
      values (${caller.teamId}, ${mailbox.id}, ${newUuid()}, ${input.name}, ${html}, ${input.folder ?? null},
        ${JSON.stringify(input.actions)}::jsonb)
      returning ${COLUMNS}
    `.execute(trx);
    return present(rows[0]!);
  });
}

export async function updateSavedReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  replyId: string,
  update: SavedReplyUpdate,
): Promise<SavedReply> {
  const { html = null } = await withCleanHtml(update, MAX_HTML_LENGTH);
  const mailbox = await requireMailbox(db, caller, mailboxId, 'reply');
  await checkActions(db, caller, mailbox.id, update.actions ?? []);
  const actions = update.actions ? JSON.stringify(update.actions) : null;
  const { rows } = await sql<SavedReplyRow>`
    update saved_replies r set
      name = coalesce(${update.name ?? null}, name), html = coalesce(${html}, html), updated_at = now(),
      folder = case when ${update.folder !== undefined} then ${update.folder ?? null} else folder end,
      actions = coalesce(${actions}::jsonb, actions)
    where r.team_id = ${caller.teamId} and r.mailbox_id = ${mailbox.id} and r.id = ${decodeId('srp', replyId)}
    returning ${COLUMNS}
  `.execute(db);
  if (!rows[0]) throw notFound('Saved reply');
  return present(rows[0]);
}

export async function deleteSavedReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  replyId: string,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    const { rows } = await sql`
      delete from saved_replies
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('srp', replyId)}
      returning 1
    `.execute(trx);
    if (rows.length === 0) throw notFound('Saved reply');
    await switchOffReplying(trx, { teamId: caller.teamId, mailboxId: mailbox.id }, replyId);
  });
}

/** Returns the reply's HTML with the merge tags filled in for the recipient. `leaveOut` as in fill-variables.ts. */
export async function fillSavedReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  replyId: string,
  to: Address,
  options?: { leaveOut: boolean },
): Promise<FilledText & Pick<SavedReply, 'actions' | 'attachments'>> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { html, actions, attachments } = await findSavedReply(db, caller, mailbox.id, replyId);
  return { ...(await fillFor(db, caller, mailbox, to, html, options)), actions, attachments };
}

export async function getSavedReply(
  db: Db,
  caller: Caller,
  mailboxId: string,
  replyId: string,
): Promise<SavedReply> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  return present(await findSavedReply(db, caller, mailbox.id, replyId));
}

async function findSavedReply(
  db: Db,
  caller: Caller,
  mailboxKey: string,
  replyId: string,
): Promise<SavedReplyRow> {
  const { rows } = await sql<SavedReplyRow>`
    select ${COLUMNS} from saved_replies r
    where r.team_id = ${caller.teamId} and r.mailbox_id = ${mailboxKey} and r.id = ${decodeId('srp', replyId)}
  `.execute(db);
  if (!rows[0]) throw notFound('Saved reply');
  return rows[0];
}

/** `me` is a person only for those who sign in, and who that is shows when the reply is sent. */
async function checkActions(
  db: Db,
  caller: Caller,
  mailboxKey: string,
  actions: readonly SavedReplyAction[],
): Promise<void> {
  const assigned = actions.flatMap((action) => (action.type === 'assign' ? [action.user_id] : []));
  const named = assigned.filter((id) => id !== 'me');
  if (named.length === 0) return;
  const readers = await listReaders(db, caller.teamId, mailboxKey);
  if (!named.every((id) => readers.has(decodeId('usr', id) ?? '')))
    throw invalidField('actions', 'can assign only to people with access to the mailbox');
}

/** Fills in the merge tags of a message that is being written. */
export async function fillMessage(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { to, html }: { to: Address; html: string },
): Promise<FilledText> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  return fillFor(db, caller, mailbox, to, html);
}

async function fillFor(
  db: Db,
  caller: Caller,
  mailbox: { name: string | null; address: string },
  to: Address,
  html: string,
  options?: { leaveOut: boolean },
): Promise<FilledText> {
  const found = await findContact(db, caller, to);
  const contact = { email: to.email, ...(found ?? { ...eachOwnField(() => null), properties: {} }) };
  return fillVariables(html, { contact, mailbox, variables: await listVariables(db, caller) }, options);
}

/**
 * Finds the newest contact with this address in any of the team's books. A bound key cannot access
 * contacts.
 */
async function findContact(db: Db, caller: Caller, { key }: Address) {
  if (isBound(caller)) return undefined;
  const { rows } = await sql<TaggedContact>`
    select ${TAGGED_COLUMNS}
    from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key = ${key}
    where b.team_id = ${caller.teamId}
    order by c.id desc limit 1
  `.execute(db);
  return rows[0];
}

/** Lists the variables of all the team's books. A bound key cannot access them. */
async function listVariables(db: Db, caller: Caller): Promise<string[]> {
  if (isBound(caller)) return [];
  const { rows } = await sql<{ name: string }>`
    select distinct unnest(variables) as name from contact_books where team_id = ${caller.teamId}
  `.execute(db);
  return rows.map(({ name }) => name);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function present(row: SavedReplyRow): SavedReply {
  return {
    id: encodeId('srp', row.id),
    name: row.name,
    html: row.html,
    updated_at: row.updated_at.toISOString(),
    folder: row.folder,
    actions: row.actions,
    attachments: row.attachments,
  };
}
