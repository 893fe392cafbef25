/**
 * The identities of JMAP clients (RFC 8621 section 6). Every mailbox has one that cannot be deleted, with the ID of the
 * mailbox. Clients can add others with the same address.
 */
import { sql } from 'kysely';
import type { EmailAddress } from '../../../mail/jmap/header-forms.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { lockChangeNumber, storeChangeNumber, type MailboxRef } from '../storage/change-numbers.ts';

export interface IdentityFields extends CamelRow<
  'mail_identities',
  'name' | 'text_signature' | 'html_signature'
> {
  replyTo: EmailAddress[] | null;
  bcc: EmailAddress[] | null;
}

export interface IdentityRow extends IdentityFields {
  id: string;
  email: string;
}

const MAX_IDENTITIES = 100;

type StoredRow = IdentityFields &
  CamelRow<'mail_identities', 'id' | 'modseq' | 'created_modseq' | 'is_destroyed'>;

/** Returns the identity of the mailbox first. `state` is the change number of the latest change. */
export async function listIdentities(
  db: Db,
  mailbox: MailboxRef,
): Promise<{ identities: IdentityRow[]; state: number }> {
  const { rows: boxes } = await sql<Row<'mailboxes', 'address' | 'name'>>`
    select address, name from mailboxes where team_id = ${mailbox.teamId} and id = ${mailbox.mailboxId}
  `.execute(db);
  const box = boxes[0];
  if (!box) throw notFound('Mailbox');
  const rows = await readRows(db, mailbox);
  const own = { name: box.name ?? '', replyTo: null, bcc: null, textSignature: '', htmlSignature: '' };
  const stored = rows.filter(({ isDestroyed }) => !isDestroyed);
  const first = stored.find(({ id }) => id === mailbox.mailboxId);
  const others = stored.filter(({ id }) => id !== mailbox.mailboxId);
  return {
    identities: [first ?? { ...own, id: mailbox.mailboxId }, ...others].map(
      ({ id, name, replyTo, bcc, textSignature, htmlSignature }) => {
        return { id, email: box.address, name, replyTo, bcc, textSignature, htmlSignature };
      },
    ),
    state: Math.max(0, ...rows.map(({ modseq }) => modseq)),
  };
}

async function readRows(db: Db, { teamId, mailboxId }: MailboxRef): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select id, name, reply_to as "replyTo", bcc, text_signature as "textSignature", html_signature as "htmlSignature",
      modseq, created_modseq as "createdModseq", is_destroyed as "isDestroyed"
    from mail_identities where team_id = ${teamId} and mailbox_id = ${mailboxId} order by id
  `.execute(db);
  return rows;
}

export async function listIdentityChanges(db: Db, mailbox: MailboxRef, since: number) {
  const changed = (await readRows(db, mailbox)).filter(({ modseq }) => modseq > since);
  const isOld = ({ id, createdModseq }: StoredRow) => createdModseq <= since || id === mailbox.mailboxId;
  return {
    created: idsOf(changed.filter((row) => !row.isDestroyed && !isOld(row))),
    updated: idsOf(changed.filter((row) => !row.isDestroyed && isOld(row))),
    destroyed: idsOf(changed.filter((row) => row.isDestroyed && isOld(row))),
  };
}

function idsOf(rows: StoredRow[]): string[] {
  return rows.map(({ id }) => id);
}

/** Creates an identity if `id` is null. Returns the UUID. */
export async function saveIdentity(
  db: Db,
  mailbox: MailboxRef,
  id: string | null,
  fields: IdentityFields,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const [uuid, { teamId, mailboxId }] = [id ?? newUuid(), mailbox];
    const [replyTo, bcc] = [fields.replyTo, fields.bcc].map((list) => list && JSON.stringify(list));
    const { rows } = await sql`
      insert into mail_identities as i (team_id, id, mailbox_id, name, reply_to, bcc, text_signature, html_signature,
        modseq, created_modseq)
      values (${teamId}, ${uuid}, ${mailboxId}, ${fields.name}, ${replyTo}::jsonb, ${bcc}::jsonb, ${fields.textSignature},
        ${fields.htmlSignature}, ${modseq}, ${modseq})
      on conflict (team_id, id) do update set name = excluded.name, reply_to = excluded.reply_to, bcc = excluded.bcc,
        text_signature = excluded.text_signature, html_signature = excluded.html_signature, modseq = excluded.modseq
        where i.mailbox_id = excluded.mailbox_id and not i.is_destroyed
      returning 1
    `.execute(trx);
    if (rows.length === 0) throw notFound('Identity');
    if ((await readRows(trx, mailbox)).length > MAX_IDENTITIES)
      throw badRequest(`A mailbox can have at most ${MAX_IDENTITIES} identities.`);
    await storeChangeNumber(trx, mailbox, modseq);
    return uuid;
  });
}

/** Returns false if the identity does not exist. */
export async function destroyIdentity(db: Db, mailbox: MailboxRef, id: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const modseq = await lockChangeNumber(trx, mailbox);
    const { rows } = await sql`
      update mail_identities set is_destroyed = true, modseq = ${modseq}
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id = ${id} and not is_destroyed
      returning 1
    `.execute(trx);
    if (rows.length > 0) await storeChangeNumber(trx, mailbox, modseq);
    return rows.length > 0;
  });
}
