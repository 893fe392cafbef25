/** Mailboxes are addresses on a team's own domains that send and receive mail. */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, lockNumber, toJson, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { badRequest, conflict } from '../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import { enqueue } from '../../jobs/jobs.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { otherDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { accessColumns, maySee, roleOfLevel, type AccessColumns } from '../../api/mailbox-access.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { recordMailboxEvent } from '../activity/record-own-events.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { WAITS_IN_MAILBOX } from '../../sending/emails/waiting.ts';
import {
  boundDomains,
  MAILBOX_COLUMNS,
  reachesDomain,
  requireMailbox,
  type MailboxRow,
} from './find-mailbox.ts';
import { switchOffForwarding } from '../storage/switch-off-rules.ts';
import type { Mailbox, MailboxInput, MailboxUpdate } from './mailboxes.schema.ts';

export async function createMailbox(db: Db, caller: Caller, input: MailboxInput): Promise<Mailbox> {
  const { address } = input;
  if (!(await reachesDomain(db, caller, address.domain))) throw otherDomain();
  await requireFreeAddress(db, address.key);
  if ((await findHeldDomain(db, caller.teamId, address.domain)) === undefined) {
    throw badRequest(`address must be on a verified domain of your team. ${address.domain} is not verified.`);
  }
  try {
    return await inTransaction(db, async (trx) => {
      if (input.catch_all) await releaseCatchAll(trx, caller.teamId, address.domain);
      const { rows } = await sql<MailboxRow>`
        insert into mailboxes (team_id, id, address, address_key, domain, name, undo_seconds, catch_all, access_mode)
        values (${caller.teamId}, ${newUuid()}, ${address.email}, ${address.key}, ${address.domain},
          ${input.name ?? null}, ${input.undo_seconds}, ${input.catch_all}, ${input.access ?? 'team'})
        returning ${MAILBOX_COLUMNS}
      `.execute(trx);
      await addManager(trx, caller, rows[0]!.id);
      await recordMailboxEvent(trx, caller, 'created', rows[0]!);
      return getMailbox(trx, caller, encodeId('mbx', rows[0]!.id));
    });
  } catch (error) {
    if (isUniqueViolation(error, 'mailboxes_address_key')) throw addressTaken();
    throw error;
  }
}

/** Lists the newest first. */
export async function listMailboxes(db: Db, caller: Caller, page: PageRequest): Promise<Page<Mailbox>> {
  const start = readPageStart('mbx', page);
  const conditions: RawBuilder<unknown>[] = [
    sql`team_id = ${caller.teamId}`,
    fromStart(start, 'id'),
    maySee(caller, 'mailboxes'),
  ];
  if (caller.domainIds !== null)
    conditions.push(sql`domain = any (${await boundDomains(db, caller)}::text[])`);
  const { rows } = await sql<MailboxRow & AccessColumns>`
    select ${MAILBOX_COLUMNS}, ${accessColumns(caller, 'mailboxes')} from mailboxes where ${sql.join(conditions, sql` and `)}
    order by id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

export async function getMailbox(db: Db, caller: Caller, mailboxId: string): Promise<Mailbox> {
  return present(await requireMailbox(db, caller, mailboxId, 'see'));
}

export async function updateMailbox(
  db: Db,
  caller: Caller,
  mailboxId: string,
  update: MailboxUpdate,
): Promise<Mailbox> {
  return inTransaction(db, async (trx) => {
    const before = await requireMailbox(trx, caller, mailboxId, 'settings');
    if (update.catch_all) await releaseCatchAll(trx, caller.teamId, before.domain);
    await sql`
      update mailboxes set
        name = ${update.name === undefined ? sql`name` : update.name},
        undo_seconds = ${update.undo_seconds ?? sql`undo_seconds`},
        catch_all = ${update.catch_all ?? sql`catch_all`},
        assistant = ${assistantIn(update)}, updated_at = now()
      where team_id = ${caller.teamId} and id = ${before.id}
    `.execute(trx);
    await recordMailboxEvent(trx, caller, 'updated', before);
    return getMailbox(trx, caller, mailboxId);
  });
}

function assistantIn({ assistant }: MailboxUpdate): RawBuilder<unknown> {
  if (assistant === undefined) return sql`assistant`;
  return assistant === null ? sql`null` : sql`${toJson([assistant])}::jsonb -> 0`;
}

/** Hides the mailbox and its mail immediately and cancels its scheduled messages. A job deletes the rows in batches. */
export async function deleteMailbox(db: Db, caller: Caller, mailboxId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'settings');
    const { id } = mailbox;
    await recordMailboxEvent(trx, caller, 'deleted', mailbox);
    await sql`
      insert into closed_mailboxes (team_id, id, address_key)
      select team_id, id, address_key from mailboxes
      where team_id = ${caller.teamId} and id = ${id} and access_mode = 'listed'
    `.execute(trx);
    const addressKeys = await listAddressKeys(trx, caller.teamId, id);
    // Lock the mailbox first, as storing mail does, so that mail that arrives later finds no mailbox.
    await sql`delete from mailboxes where team_id = ${caller.teamId} and id = ${id}`.execute(trx);
    await cancelWaitingOfMailbox(trx, caller.teamId, id);
    await switchOffForwarding(trx, caller.teamId, addressKeys);
    await enqueue(trx, 'drop-mailbox-mail', { teamId: caller.teamId, mailboxId: id });
  });
}

async function listAddressKeys(trx: Db, teamId: number, mailboxId: string): Promise<string[]> {
  const { rows } = await sql<Row<'mailboxes', 'address_key'>>`
    select address_key from mailboxes where team_id = ${teamId} and id = ${mailboxId}
    union all select address_key from mailbox_addresses where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(trx);
  return rows.map(({ address_key }) => address_key);
}

/** Gives the person who created a mailbox its management. */
async function addManager(trx: Db, caller: Caller, mailboxKey: string): Promise<void> {
  const userId = userKeyOf(caller);
  if (userId === null) return;
  await sql`
    insert into mailbox_access (team_id, mailbox_id, user_id, role)
    values (${caller.teamId}, ${mailboxKey}, ${userId}, 'manage')
  `.execute(trx);
}

async function cancelWaitingOfMailbox(trx: Db, teamId: number, mailboxId: string): Promise<void> {
  const { rows } = await sql<Row<'emails', 'id'>>`
    select e.id from emails e join messages m on m.team_id = e.team_id and m.email_id = e.id
    where e.team_id = ${teamId} and ${WAITS_IN_MAILBOX} and m.mailbox_id = ${mailboxId}
  `.execute(trx);
  await cancelWaiting(
    trx,
    teamId,
    rows.map(({ id }) => id),
  );
}

/**
 * A domain has at most one catch-all mailbox; the last one set wins. The lock serialises concurrent requests, so that
 * each sees what the previous one committed.
 */
async function releaseCatchAll(trx: Db, teamId: number, domain: string): Promise<void> {
  const lock = lockNumber(`catch-all ${teamId} ${domain}`);
  await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx);
  await sql`
    update mailboxes set catch_all = false, updated_at = now()
    where team_id = ${teamId} and domain = ${domain} and catch_all
  `.execute(trx);
}

async function requireFreeAddress(db: Db, addressKey: string): Promise<void> {
  const { rows } = await sql`
    select 1 from mailboxes where address_key = ${addressKey}
    union all select 1 from mailbox_addresses where address_key = ${addressKey}
  `.execute(db);
  if (rows.length > 0) throw addressTaken();
}

function addressTaken() {
  return conflict('A mailbox with this address already exists.');
}

function present(row: MailboxRow & AccessColumns): Mailbox {
  return {
    id: encodeId('mbx', row.id),
    address: row.address,
    name: row.name,
    undo_seconds: row.undo_seconds,
    catch_all: row.catch_all,
    access: row.access_mode,
    role: roleOfLevel(row.access_level),
    assistant: row.assistant,
    created_at: row.created_at.toISOString(),
  };
}
