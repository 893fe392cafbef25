/** Addresses that a team does not write to any more: they bounced, complained, or were put here by hand. */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { Row } from '../../platform/rows.ts';
import type { Suppression, SuppressionQuery } from './suppressions.schema.ts';

const COLUMNS = ['id', 'address', 'reason', 'created_at'] as const;

type SuppressionRow = Row<'suppressions', (typeof COLUMNS)[number]>;

/** One that is there already stays as it is; touched all the same, so that one statement answers with it. */
export async function addSuppression(db: Db, teamId: number, email: string): Promise<Suppression> {
  const { key, email: address } = parseAddress(email)!;
  const row = await db
    .insertInto('suppressions')
    .values({ team_id: teamId, address_key: key, id: newUuid(), address, reason: 'MANUAL' })
    .onConflict((conflict) => conflict.columns(['team_id', 'address_key']).doUpdateSet({ address_key: key }))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return present(row);
}

/** Those that are there already stay as they are. */
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

export async function listSuppressions(
  db: Db,
  teamId: number,
  { limit, cursor, email }: SuppressionQuery,
): Promise<Page<Suppression>> {
  const before = readCursor('sup', cursor);
  const rows = await db
    .selectFrom('suppressions')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(email !== undefined, (query) => query.where('address_key', '=', parseAddress(email!)?.key ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, present);
}

export async function removeSuppression(db: Db, teamId: number, suppressionId: string): Promise<void> {
  const id = decodeId('sup', suppressionId);
  const row =
    id &&
    (await db
      .deleteFrom('suppressions')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst());
  if (!row) throw notFound('Suppression');
}

function present(row: SuppressionRow): Suppression {
  return {
    id: encodeId('sup', row.id),
    email: row.address,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
  };
}
