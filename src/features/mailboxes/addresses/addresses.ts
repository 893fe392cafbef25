/** Further addresses of a mailbox. They receive and send, and each has a name. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { badRequest, conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { otherDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { reachesDomain, requireMailbox } from '../mailboxes/find-mailbox.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';
import { switchOffForwarding } from '../storage/switch-off-rules.ts';
import { MAX_ADDRESSES, type AddressInput, type MailboxAddress } from './addresses.schema.ts';

type AddressRow = Row<'mailbox_addresses', 'id' | 'address' | 'name' | 'created_at'>;

const COLUMNS = sql`id, address, name, created_at`;

/** Lists the oldest first. */
export async function listAddresses(db: Db, caller: Caller, mailboxId: string): Promise<MailboxAddress[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<AddressRow>`
    select ${COLUMNS} from mailbox_addresses where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id}
    order by id limit ${MAX_ADDRESSES}
  `.execute(db);
  return rows.map(present);
}

export async function addAddress(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { address, name }: AddressInput,
): Promise<MailboxAddress> {
  const { id } = await requireMailbox(db, caller, mailboxId, 'settings');
  if (!(await reachesDomain(db, caller, address.domain))) throw otherDomain();
  if ((await findHeldDomain(db, caller.teamId, address.domain)) === undefined)
    throw badRequest(`address must be on a verified domain of your team. ${address.domain} is not verified.`);
  try {
    return await inTransaction(db, async (trx) => {
      await refuseTooMany(
        trx,
        { teamId: caller.teamId, id },
        {
          table: 'mailbox_addresses',
          most: MAX_ADDRESSES,
          message: `A mailbox can have at most ${MAX_ADDRESSES} further addresses.`,
        },
      );
      const { rows } = await sql<AddressRow>`
        insert into mailbox_addresses (team_id, mailbox_id, id, address, address_key, domain, name)
        values (${caller.teamId}, ${id}, ${newUuid()}, ${address.email}, ${address.key}, ${address.domain}, ${name ?? null})
        returning ${COLUMNS}
      `.execute(trx);
      return present(rows[0]!);
    });
  } catch (error) {
    if (isTaken(error)) throw conflict('A mailbox with this address already exists.');
    throw error;
  }
}

/** True if the address belongs to a mailbox, as its own or as a further one. */
function isTaken(error: unknown): boolean {
  return (
    isUniqueViolation(error, 'mailboxes_address_key') ||
    isUniqueViolation(error, 'mailbox_addresses_address_key')
  );
}

export async function renameAddress(
  db: Db,
  caller: Caller,
  { mailboxId, addressId }: { mailboxId: string; addressId: string },
  name: string | null,
): Promise<MailboxAddress> {
  const mailbox = await requireMailbox(db, caller, mailboxId, 'settings');
  const { rows } = await sql<AddressRow>`
    update mailbox_addresses set name = ${name}
    where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('adr', addressId)}
    returning ${COLUMNS}
  `.execute(db);
  if (!rows[0]) throw notFound('Address');
  return present(rows[0]);
}

/** Messages that wait to be sent from the address are sent, because they have been accepted. */
export async function removeAddress(
  db: Db,
  caller: Caller,
  mailboxId: string,
  addressId: string,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'settings');
    const { rows } = await sql<Row<'mailbox_addresses', 'address_key'>>`
      delete from mailbox_addresses
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('adr', addressId)}
      returning address_key
    `.execute(trx);
    if (!rows[0]) throw notFound('Address');
    await switchOffForwarding(trx, caller.teamId, [rows[0].address_key]);
  });
}

function present({ id, address, name, created_at }: AddressRow): MailboxAddress {
  return { id: encodeId('adr', id), address, name, created_at: created_at.toISOString() };
}
