/** Finds mailboxes for other features: by ID for API callers, by address for incoming mail. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { domainOfBounceHost } from '../../../mail/auth/dns-records.ts';
import { statement, toJson, type Db } from '../../../platform/database/database.ts';
import { teamClosed } from '../../../platform/database/database-errors.ts';
import { notFound } from '../../../platform/errors.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import {
  accessColumns,
  requireLevel,
  type AccessColumns,
  type MailboxNeed,
} from '../../api/mailbox-access.ts';
import { DEFAULT_UNDO_SECONDS, type Assistant } from './mailboxes.schema.ts';

export type MailboxRow = Row<
  'mailboxes',
  'id' | 'address' | 'address_key' | 'domain' | 'name' | 'undo_seconds' | 'catch_all' | 'created_at'
> & { assistant: Assistant | null };

export const MAILBOX_COLUMNS = sql`id, address, address_key, domain, name, undo_seconds, catch_all, assistant, created_at`;

/** Returns a mailbox of the caller's team, if the caller has the needed access (src/features/api/mailbox-access.ts). */
export async function requireMailbox(
  db: Db,
  caller: Caller,
  mailboxId: string,
  need: MailboxNeed = 'read',
): Promise<MailboxRow & AccessColumns> {
  const { rows } = await sql<MailboxRow & AccessColumns>`
    select ${MAILBOX_COLUMNS}, ${accessColumns(caller, 'mailboxes')} from mailboxes
    where team_id = ${caller.teamId} and id = ${decodeId('mbx', mailboxId)}
  `.execute(db);
  const row = rows[0];
  if (!row) throw notFound('Mailbox');
  await requireReachable(db, caller, row, 'Mailbox', need);
  return row;
}

/** The columns by which `requireReachable` decides. The statement must join `mailboxes box`. */
export function reachColumns(caller: Caller): RawBuilder<unknown> {
  return sql`box.domain, ${accessColumns(caller, 'box')}`;
}

export interface ReachRow extends AccessColumns {
  domain: Row<'mailboxes'>['domain'];
}

/** Anything in a mailbox that the caller's key does not reach is not found, as if it belonged to another team. */
export async function requireReachable(
  db: Db,
  caller: Caller,
  row: ReachRow,
  what: string,
  need: MailboxNeed = 'read',
): Promise<void> {
  if (!(await reachesDomain(db, caller, row.domain))) throw notFound(what);
  requireLevel(row, need, what);
}

export async function reachesDomain(db: Db, caller: Caller, domain: string): Promise<boolean> {
  return caller.domainIds === null || (await boundDomains(db, caller)).includes(domain);
}

/** Returns the names of the domains that the caller's key is bound to. */
export async function boundDomains(db: Db, caller: Caller): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .select('name')
    .where('team_id', '=', caller.teamId)
    .where('id', 'in', [...(caller.domainIds ?? []), 0])
    .execute();
  return rows.map(({ name }) => name);
}

/** The mailbox that receives mail for an address. */
export interface Destination extends CamelRow<'mailboxes', 'team_id' | 'address_key'> {
  mailboxId: Row<'mailboxes'>['id'];
  /** The normalised recipient of the envelope. Missing: the address of the mailbox. */
  deliveredTo?: string;
  /** 0, or missing: the mailbox has no rules and blocks (rules/arrival.ts). */
  arrivalVersion?: Row<'mailboxes'>['arrival_version'];
  /** A postmaster mailbox that does not exist yet. `createMissing` creates it, once a message for it is accepted. */
  isMissing?: boolean;
}

interface FoundDestination extends Destination {
  isClosed: boolean;
}

/** Finds a mailbox of the team by its exact address, or by a further one. */
export async function findMailboxByAddress(
  db: Db,
  teamId: number,
  address: string,
): Promise<Destination | null> {
  const key = parseAddress(address)?.key ?? '';
  const { rows } = await sql<Destination>`
    select m.team_id as "teamId", m.id as "mailboxId", m.address_key as "addressKey" from mailboxes m
    where m.team_id = ${teamId} and (m.address_key = ${key} or m.id = (
      select f.mailbox_id from mailbox_addresses f where f.team_id = ${teamId} and f.address_key = ${key}
    ))
  `.execute(db);
  return rows[0] ?? null;
}

/** `"ada"@example.com` is `ada@example.com` (RFC 5321 section 4.1.2). */
const QUOTED_LOCAL_PART = /^"([^"\\]+)"(?=@[^@]*$)/;

/**
 * Finds the mailbox for an address: the exact address, its own or a further one, then the address without its
 * +detail (RFC 5233), then the domain's catch-all, then for a role address any mailbox of the team. The team must hold the domain.
 */
export async function findDestination(db: Db, address: string): Promise<Destination | null> {
  const found = await findBatched(db, address);
  // The sending server retries, and by then finds the new MX if the team has moved.
  if (found?.isClosed) throw teamClosed();
  if (found || !isRoleAddress(address)) return found;
  const domain = parseAddress(address)?.domain;
  return domain === undefined ? null : findPostmaster(db, domainOfBounceHost(domain) ?? domain);
}

/**
 * Addresses that work without a mailbox: postmaster (RFC 5321 section 4.5.1), abuse (RFC 2142) and fbl (feedback
 * loops).
 */
const ROLES = ['postmaster', 'abuse', 'fbl'];

/** Matches role addresses of any domain, or only of `domain`. `postmaster` without a domain is that of this server. */
export function isRoleAddress(address: string, domain?: string): boolean {
  const [local = '', at] = address.toLowerCase().split('@');
  if (at === undefined) return local === 'postmaster';
  return ROLES.includes(local) && (domain === undefined || at === domain.toLowerCase());
}

/**
 * Finds the mailbox for mail to a role address when no mailbox has that address. The team is the one that holds the
 * domain. If `domain` is null it is the first team, which runs the server. Prefers a mailbox on the domain, then one
 * called postmaster, then a catch-all, then the oldest. For a team without mailboxes, returns a missing postmaster
 * mailbox, because RFC 5321 does not allow rejecting such mail.
 */
export async function findPostmaster(db: Db, domain: string | null): Promise<Destination | null> {
  const team =
    domain === null
      ? sql`select min(id) from teams`
      : sql`select team_id from domains where name = ${domain} and held`;
  const { rows } = await sql<Destination>`
    (
      select m.team_id as "teamId", m.id as "mailboxId", m.address_key as "addressKey", false as "isMissing",
        m.arrival_version as "arrivalVersion"
      from mailboxes m join domains d on d.team_id = m.team_id and d.name = m.domain and d.held
      where m.team_id = (${team})
      order by (m.domain = ${domain}) is true desc, m.address_key like 'postmaster@%' desc, m.catch_all desc, m.id
      limit 1
    ) union all (
      select team_id, ${newUuid()}::uuid, 'postmaster@' || name, true, 0
      from domains where team_id = (${team}) and held and (${domain}::text is null or name = ${domain}::text)
      order by id limit 1
    )
    order by 4 limit 1
  `.execute(db);
  return rows[0] ?? null;
}

/** Creates missing mailboxes. Messages that arrive at the same time create only one. */
export async function createMissing(db: Db, destinations: Destination[]): Promise<Destination[]> {
  const created = new Map<string, Destination>();
  for (const { isMissing, addressKey, teamId, mailboxId } of destinations) {
    if (!isMissing || created.has(addressKey)) continue;
    const { rows } = await sql<Destination>`
      insert into mailboxes (team_id, id, address, address_key, domain, name, undo_seconds)
      select team_id, ${mailboxId}, ${addressKey}, ${addressKey}, name, 'Postmaster', ${DEFAULT_UNDO_SECONDS}::smallint
      from domains where team_id = ${teamId} and held and name = ${addressKey.slice('postmaster@'.length)}
      on conflict (address_key) do update set updated_at = mailboxes.updated_at
        where mailboxes.team_id = excluded.team_id
      returning team_id as "teamId", id as "mailboxId", address_key as "addressKey"
    `.execute(db);
    if (rows[0]) created.set(addressKey, rows[0]);
  }
  return destinations.map((each) => (each.isMissing && created.get(each.addressKey)) || each);
}

const findBatched = createBatcher<string, FoundDestination | null>({
  keyOf: () => '',
  work: findDestinations,
});

async function findDestinations(db: Db, addresses: string[]): Promise<(FoundDestination | null)[]> {
  const parsed = addresses.map((address) => parseAddress(address.replace(QUOTED_LOCAL_PART, '$1')));
  // JSON instead of arrays: PostgreSQL's estimate does not depend on the number of items, so it keeps one plan.
  const lookups = parsed.flatMap((address, no) =>
    address ? [{ no, key: address.key, base: withoutDetail(address.key), domain: address.domain }] : [],
  );
  const rows = await statement<FoundDestination & { no: number }>(db)`
    select distinct on (a.no) a.no, m.team_id as "teamId", m.id as "mailboxId", m.address_key as "addressKey",
      m.arrival_version as "arrivalVersion", t.closed_at is not null as "isClosed"
    from json_to_recordset(${toJson(lookups)}::json) as a (no integer, key text, base text, domain text)
    cross join lateral (
      select 1 as rank, team_id, id, address_key, arrival_version, domain from mailboxes where address_key = a.key
      union all
      select 2, m.team_id, m.id, m.address_key, m.arrival_version, f.domain from mailbox_addresses f
      join mailboxes m on m.team_id = f.team_id and m.id = f.mailbox_id
      where f.address_key = a.key
      union all
      select 3, team_id, id, address_key, arrival_version, domain from mailboxes where address_key = a.base
      union all
      select 4, m.team_id, m.id, m.address_key, m.arrival_version, f.domain from mailbox_addresses f
      join mailboxes m on m.team_id = f.team_id and m.id = f.mailbox_id
      where f.address_key = a.base
      union all
      select 5, m.team_id, m.id, m.address_key, m.arrival_version, m.domain from domains d
      join mailboxes m on m.team_id = d.team_id and m.domain = d.name and m.catch_all
      where d.name = a.domain and d.held
    ) m
    join domains d on d.team_id = m.team_id and d.name = m.domain and d.held
    join teams t on t.id = m.team_id
    order by a.no, m.rank`;
  const found = new Map(rows.map(({ no, ...destination }) => [no, destination]));
  return addresses.map((_address, at) => {
    const destination = found.get(at);
    return destination ? { ...destination, deliveredTo: parsed[at]!.key } : null;
  });
}

function withoutDetail(key: string): string {
  return key.replace(/^([^+@]+)\+.*@/, '$1@');
}
