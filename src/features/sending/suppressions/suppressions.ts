/** Addresses that a team no longer sends to: they bounced, complained or were added manually. */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { deleteInBatches, deleteSomeRows } from '../../../platform/database/delete-in-batches.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { enqueue, type JobPayloads } from '../../jobs/jobs.ts';
import type { Suppression } from './suppressions.schema.ts';

const REMOVED_AT_ONCE = 2_000;
const COLUMNS = ['id', 'address', 'reason', 'created_at'] as const;

type SuppressionRow = Row<'suppressions', (typeof COLUMNS)[number]>;

export async function addSuppression(db: Db, teamId: number, email: string): Promise<Suppression> {
  return (await addSuppressions(db, teamId, [email]))[0]!;
}

/**
 * Keeps existing entries, and returns one entry for each address, in their order. Repeated addresses count once. The
 * no-op update makes the statement return existing entries, even if they are being removed concurrently.
 */
export async function addSuppressions(db: Db, teamId: number, emails: string[]): Promise<Suppression[]> {
  const byKey = new Map(emails.map(parseAddress).map((address) => [address!.key, address!.email]));
  const keys = [...byKey.keys()];
  const { rows } = await sql<SuppressionRow & Row<'suppressions', 'address_key'>>`
    insert into suppressions (team_id, address_key, id, address, reason)
    select ${teamId}, key, id, address, 'MANUAL' from unnest(
      ${keys}::text[], ${keys.map(() => newUuid())}::uuid[], ${[...byKey.values()]}::text[]
    ) as s (key, id, address) order by key
    on conflict (team_id, address_key) do update set address_key = excluded.address_key
    returning id, address, reason, created_at, address_key
  `.execute(db);
  return rows.toSorted((a, b) => keys.indexOf(a.address_key) - keys.indexOf(b.address_key)).map(present);
}

/** Finds entries by their IDs or addresses, in the order of the request. Leaves out unknown ones. */
export async function findSuppressions(
  db: Db,
  teamId: number,
  idsOrAddresses: string[],
): Promise<Suppression[]> {
  const names = readNames(idsOrAddresses);
  const rows = await db
    .selectFrom('suppressions')
    .select([...COLUMNS, 'address_key'])
    .where('team_id', '=', teamId)
    .where(isNamed(names))
    .execute();
  const place = (row: { id: string; address_key: string }) =>
    Math.max(names.ids.indexOf(row.id), names.keys.indexOf(row.address_key));
  return rows.toSorted((a, b) => place(a) - place(b)).map(present);
}

/** Returns the removed entries. */
export async function removeSuppressions(
  db: Db,
  teamId: number,
  idsOrAddresses: string[],
): Promise<Suppression[]> {
  const names = readNames(idsOrAddresses);
  const rows = await db
    .deleteFrom('suppressions')
    .where('team_id', '=', teamId)
    .where(isNamed(names))
    .returning(COLUMNS)
    .execute();
  return rows.map(present);
}

interface Names {
  ids: string[];
  keys: string[];
}

function isNamed({ ids, keys }: Names): RawBuilder<boolean> {
  return sql<boolean>`(id = any(${ids}::uuid[]) or address_key = any(${keys}::text[]))`;
}

function readNames(idsOrAddresses: string[]): Names {
  const ids = idsOrAddresses.map((name) => decodeId('sup', name)).filter((id) => id !== null);
  const keys = idsOrAddresses.flatMap((name) => parseAddress(name)?.key ?? []);
  return { ids, keys };
}

/** Keeps existing entries. */
export async function suppressAddresses(
  db: Db,
  reason: Suppression['reason'],
  found: { teamId: number; address: string }[],
): Promise<void> {
  if (found.length === 0) return;
  await sql`
    insert into suppressions (team_id, address_key, id, address, reason)
    select distinct on (team_id, key) team_id, key, id, address, ${reason} from unnest(
      ${found.map(({ teamId }) => teamId)}::integer[],
      ${found.map(({ address }) => parseAddress(address)!.key)}::text[],
      ${found.map(() => newUuid())}::uuid[], ${found.map(({ address }) => address)}::text[]
    ) as s (team_id, key, id, address)
    on conflict do nothing
  `.execute(db);
}

export async function isSuppressed(db: Db, teamId: number, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('suppressions')
    .select('id')
    .where('team_id', '=', teamId)
    .where('address_key', '=', parseAddress(email)?.key ?? '')
    .executeTakeFirst();
  return row !== undefined;
}

export async function countSuppressions(db: Db, teamId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from suppressions where team_id = ${teamId}
  `.execute(db);
  return rows[0]!.count;
}

/** Returns the reasons by normalised address. Leaves out addresses that are not suppressed. */
export async function findSuppressionReasons(
  db: Db,
  teamId: number,
  keys: string[],
): Promise<Map<string, Suppression['reason']>> {
  const { rows } = await sql<Row<'suppressions', 'address_key' | 'reason'>>`
    select address_key, reason from suppressions where team_id = ${teamId} and address_key = any(${keys}::text[])
  `.execute(db);
  return new Map(rows.map(({ address_key: key, reason }) => [key, reason]));
}

export async function listSuppressions(
  db: Db,
  teamId: number,
  { email, reason, ...page }: PageRequest & { email?: string; reason?: Suppression['reason'] },
): Promise<Page<Suppression>> {
  const start = readPageStart('sup', page);
  const rows = await db
    .selectFrom('suppressions')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$if(email !== undefined, (query) => query.where('address_key', '=', parseAddress(email!)?.key ?? ''))
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason!))
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, present);
}

/** Lists the entries with one reason by address. `after` is the last address of the previous page. */
export async function listSuppressionsByReason(
  db: Db,
  teamId: number,
  reason: Suppression['reason'],
  { after, order, limit }: { after: string | null; order: 'asc' | 'desc'; limit: number },
): Promise<Suppression[]> {
  const rows = await db
    .selectFrom('suppressions')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('reason', '=', reason)
    .$if(after !== null, (query) =>
      query.where('address_key', order === 'asc' ? '>' : '<', parseAddress(after!)?.key ?? after!),
    )
    .orderBy('address_key', order)
    .limit(limit)
    .execute();
  return rows.map(present);
}

export async function findSuppression(
  db: Db,
  teamId: number,
  reason: Suppression['reason'],
  email: string,
): Promise<Suppression | undefined> {
  const row = await db
    .selectFrom('suppressions')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('address_key', '=', parseAddress(email)?.key ?? '')
    .where('reason', '=', reason)
    .executeTakeFirst();
  return row && present(row);
}

/** Removes one address with this reason, or all if none is given. Returns the number of removed entries. */
export async function removeSuppressionsByReason(
  db: Db,
  teamId: number,
  reason: Suppression['reason'],
  email: string | null,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('suppressions')
    .where('team_id', '=', teamId)
    .where('reason', '=', reason)
    .$if(email !== null, (query) => query.where('address_key', '=', parseAddress(email!)?.key ?? ''))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function removeSuppression(db: Db, teamId: number, suppressionId: string): Promise<void> {
  const isId = decodeId('sup', suppressionId) !== null;
  const removed = isId ? await removeSuppressions(db, teamId, [suppressionId]) : [];
  if (removed.length === 0) throw notFound('Suppression');
}

/** Removes those addresses that are suppressed, optionally only for the given reasons. Returns the removed ones. */
export async function unsuppressAddresses(
  db: Db,
  teamId: number,
  emails: string[],
  reasons: Suppression['reason'][] = ['HARD_BOUNCE', 'COMPLAINT', 'MANUAL'],
): Promise<string[]> {
  const keys = emails.map((email) => parseAddress(email)?.key ?? '');
  const { rows } = await sql<Row<'suppressions', 'address_key'>>`
    delete from suppressions
    where team_id = ${teamId} and address_key = any(${keys}::text[]) and reason = any(${reasons}::text[])
    returning address_key
  `.execute(db);
  return rows.map(({ address_key }) => address_key);
}

/** Removes all addresses that are now suppressed for this reason: some immediately, the others in the background. */
export async function removeAllSuppressions(
  db: Db,
  teamId: number,
  reason: Suppression['reason'],
): Promise<void> {
  const before = (await databaseNow(db)).toISOString();
  const removed = await removeSome(db, { teamId, reason, before }, REMOVED_AT_ONCE);
  if (removed === REMOVED_AT_ONCE) await enqueue(db, 'remove-suppressions', { teamId, reason, before });
}

export async function removeRemainingSuppressions(
  db: Db,
  payload: JobPayloads['remove-suppressions'],
): Promise<void> {
  await deleteInBatches(REMOVED_AT_ONCE, (limit) => removeSome(db, payload, limit));
}

/** Keeps addresses that were suppressed later. */
async function removeSome(
  db: Db,
  { teamId, reason, before }: JobPayloads['remove-suppressions'],
  limit: number,
): Promise<number> {
  const isListed = sql<boolean>`team_id = ${teamId} and reason = ${reason}
    and created_at < ${before}::timestamptz + interval '1 ms'`;
  return deleteSomeRows(db, 'suppressions', isListed, limit);
}

function present(row: SuppressionRow): Suppression {
  return {
    id: encodeId('sup', row.id),
    email: row.address,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
  };
}
