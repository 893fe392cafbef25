/** Signatures of a mailbox: for everyone or one person, and for all of its addresses or one. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';
import { withCleanHtml } from '../storage/own-html.ts';
import {
  MAX_SIGNATURE,
  MAX_SIGNATURES,
  type Signature,
  type SignatureInput,
  type SignatureUpdate,
} from './signatures.schema.ts';

type SignatureRow = Row<
  'mailbox_signatures',
  'id' | 'name' | 'html' | 'user_id' | 'address_id' | 'is_default'
>;

const COLUMNS = sql`id, name, html, user_id, address_id, is_default`;

/** A person sees those of everyone and their own. A key sees all. */
export async function listSignatures(db: Db, caller: Caller, mailboxId: string): Promise<Signature[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<SignatureRow>`
    select ${COLUMNS} from mailbox_signatures
    where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and ${isFor(caller)}
    order by id limit ${MAX_SIGNATURES}
  `.execute(db);
  return rows.map(present);
}

function isFor({ person }: Caller) {
  return person ? sql`(user_id is null or user_id = ${decodeId('usr', person.userId)})` : sql`true`;
}

export async function createSignature(
  db: Db,
  caller: Caller,
  mailboxId: string,
  input: SignatureInput,
): Promise<Signature> {
  const { html } = await withCleanHtml(input, MAX_SIGNATURE);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    await refuseTooMany(
      trx,
      { teamId: caller.teamId, id: mailbox.id },
      {
        table: 'mailbox_signatures',
        most: MAX_SIGNATURES,
        message: `A mailbox can have at most ${MAX_SIGNATURES} signatures.`,
      },
    );
    const userId = await findUser(trx, caller, input.user_id ?? null);
    const addressId = await findAddress(trx, caller, mailbox, input.address_id ?? null);
    const isDefault = input.is_default ?? false;
    if (isDefault) await clearDefault(trx, caller.teamId, mailbox.id, { userId, addressId });
    const { rows } = await sql<SignatureRow>`
      insert into mailbox_signatures (team_id, mailbox_id, id, name, html, user_id, address_id, is_default)
      values (${caller.teamId}, ${mailbox.id}, ${newUuid()}, ${input.name}, ${html}, ${userId}, ${addressId}, ${isDefault})
      returning ${COLUMNS}
    `.execute(trx);
    return present(rows[0]!);
  });
}

export async function updateSignature(
  db: Db,
  caller: Caller,
  { mailboxId, signatureId }: { mailboxId: string; signatureId: string },
  update: SignatureUpdate,
): Promise<Signature> {
  const { html = null } = await withCleanHtml(update, MAX_SIGNATURE);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    // Locks the mailbox, so that two defaults are set one after the other.
    await refuseTooMany(
      trx,
      { teamId: caller.teamId, id: mailbox.id },
      { table: 'mailbox_signatures', most: Infinity, message: '' },
    );
    const { rows: found } = await sql<SignatureRow>`
      select ${COLUMNS} from mailbox_signatures
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('sig', signatureId)}
        and ${isFor(caller)}
    `.execute(trx);
    const before = found[0];
    if (!before) throw notFound('Signature');
    const userId =
      update.user_id === undefined ? before.user_id : await findUser(trx, caller, update.user_id);
    const addressId =
      update.address_id === undefined
        ? before.address_id
        : await findAddress(trx, caller, mailbox, update.address_id);
    const isDefault = update.is_default ?? before.is_default;
    if (isDefault) await clearDefault(trx, caller.teamId, mailbox.id, { userId, addressId });
    const { rows } = await sql<SignatureRow>`
      update mailbox_signatures set name = ${update.name ?? before.name}, html = ${html ?? before.html},
        user_id = ${userId}, address_id = ${addressId}, is_default = ${isDefault}
      where team_id = ${caller.teamId} and id = ${before.id} returning ${COLUMNS}
    `.execute(trx);
    return present(rows[0]!);
  });
}

export async function deleteSignature(
  db: Db,
  caller: Caller,
  mailboxId: string,
  signatureId: string,
): Promise<void> {
  const mailbox = await requireMailbox(db, caller, mailboxId, 'reply');
  const { rows } = await sql`
    delete from mailbox_signatures
    where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('sig', signatureId)}
      and ${isFor(caller)}
    returning 1
  `.execute(db);
  if (rows.length === 0) throw notFound('Signature');
}

interface Whose {
  userId: string | null;
  addressId: string | null;
}

async function clearDefault(
  trx: Db,
  teamId: number,
  mailboxId: string,
  { userId, addressId }: Whose,
): Promise<void> {
  await sql`
    update mailbox_signatures set is_default = false
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and is_default
      and user_id is not distinct from ${userId} and address_id is not distinct from ${addressId}
  `.execute(trx);
}

async function findUser(trx: Db, { teamId }: Caller, userId: string | null): Promise<string | null> {
  if (userId === null) return null;
  const { rows } = await sql<Row<'memberships', 'user_id'>>`
    select user_id from memberships where team_id = ${teamId} and user_id = ${decodeId('usr', userId)}
  `.execute(trx);
  if (!rows[0]) throw invalidField('user_id', 'must be a person of your team');
  return rows[0].user_id;
}

async function findAddress(
  trx: Db,
  { teamId }: Caller,
  mailbox: MailboxRow,
  addressId: string | null,
): Promise<string | null> {
  if (addressId === null) return null;
  const { rows } = await sql<Row<'mailbox_addresses', 'id'>>`
    select id from mailbox_addresses
    where team_id = ${teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('adr', addressId)}
  `.execute(trx);
  if (!rows[0]) throw invalidField('address_id', 'must be a further address of the mailbox');
  return rows[0].id;
}

function present(row: SignatureRow): Signature {
  return {
    id: encodeId('sig', row.id),
    name: row.name,
    html: row.html,
    user_id: row.user_id && encodeId('usr', row.user_id),
    address_id: row.address_id && encodeId('adr', row.address_id),
    is_default: row.is_default,
  };
}
