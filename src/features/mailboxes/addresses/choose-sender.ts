/** Chooses the address from which a message of a mailbox is sent. */
import { sql } from 'kysely';
import type { NamedAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRow } from '../mailboxes/find-mailbox.ts';
import { formatPerson } from '../storage/participants.ts';

export interface OwnAddress extends NamedAddress {
  /** As in a header. */
  given: string;
  /** The further address of the mailbox, or null for its own. */
  addressId: string | null;
}

type OwnMailbox = Pick<MailboxRow, 'id' | 'address' | 'address_key' | 'domain' | 'name'>;

/** Returns the mailbox's own address first. */
export async function listOwnAddresses(db: Db, teamId: number, mailbox: OwnMailbox): Promise<OwnAddress[]> {
  const { rows } = await sql<Row<'mailbox_addresses', 'id' | 'address' | 'address_key' | 'domain' | 'name'>>`
    select id, address, address_key, domain, name from mailbox_addresses
    where team_id = ${teamId} and mailbox_id = ${mailbox.id} order by id
  `.execute(db);
  return [
    toOwn(mailbox, null),
    ...rows.map((row) => toOwn({ ...row, name: row.name ?? mailbox.name }, row.id)),
  ];
}

/**
 * The given address, which must be one of the mailbox. Otherwise, for a reply, the one that the envelope of the latest
 * received message named, if it still belongs to the mailbox. Otherwise the mailbox's own.
 */
export async function chooseSender(
  db: Db,
  teamId: number,
  mailbox: OwnMailbox,
  { from, threadId }: { from: { key: string } | null; threadId: string | null },
): Promise<OwnAddress> {
  if (from?.key === mailbox.address_key || (!from && threadId === null)) return toOwn(mailbox, null);
  const own = await listOwnAddresses(db, teamId, mailbox);
  const wanted = from?.key ?? (own.length > 1 ? await findNamed(db, teamId, threadId!) : null);
  const chosen = own.find(({ key }) => key === wanted);
  if (from && !chosen) throw invalidField('from', 'must be an address of the mailbox');
  return chosen ?? own[0]!;
}

async function findNamed(db: Db, teamId: number, threadId: string): Promise<string | null> {
  const { rows } = await sql<Row<'messages', 'delivered_to'>>`
    select delivered_to from messages
    where team_id = ${teamId} and thread_id = ${threadId} and direction = 'in'
    order by created_at desc, id desc limit 1
  `.execute(db);
  return rows[0]?.delivered_to?.replace(/^([^+@]+)\+.*@/, '$1@') ?? null;
}

function toOwn(
  { address, address_key: key, domain, name }: Omit<OwnMailbox, 'id'>,
  addressId: string | null,
): OwnAddress {
  return { name, email: address, key, domain, given: formatPerson({ name, address }), addressId };
}

/** The normalised further addresses of a mailbox. */
export async function listFurtherKeys(
  db: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
): Promise<string[]> {
  const { rows } = await sql<Row<'mailbox_addresses', 'address_key'>>`
    select address_key from mailbox_addresses where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(db);
  return rows.map((row) => row.address_key);
}
