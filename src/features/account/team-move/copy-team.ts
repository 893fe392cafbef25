/**
 * Copies all rows of a closed team to another instance with COPY, in one transaction there, so the copy is either
 * complete or missing. The copy is closed too. Rows keep their UUIDs, numbers of teams and domains are mapped
 * (map-ids.ts), and encrypted values are encrypted again with the secret of the other instance.
 */
import { encodeId } from '../../../platform/ids.ts';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { quote, quoteAll, STEADY_SETTINGS } from '../../../platform/backup/catalog.ts';
import { lockNumber } from '../../../platform/database/database.ts';
import { copyJobs } from './copy-jobs.ts';
import { placeObjects, type CopiedObjects, type ObjectSide } from './copy-objects.ts';
import { mapIds, type IdMap } from './map-ids.ts';
import { addWaiting } from './waiting-people.ts';
import { takeOverUnsealed } from './take-over-unsealed.ts';
import { reencryptSecrets } from './reencrypt-secrets.ts';
import { listColumns, listTeamTables, type TeamTable } from './team-tables.ts';
import { xidInTarget } from './unread-events.ts';

const END_WITHIN_MS = 30_000;

export interface CopySide extends ObjectSide {
  pool: pg.Pool;
  secret: Buffer;
  /** The URL of the instance. */
  baseUrl: string;
}

export interface CopiedTeam {
  teamId: number;
  rows: number;
}

/**
 * Returns the ID of the team in the other instance, whose client must not be in a transaction. Reads on its own
 * connection and closes it, because a COPY that the other side has rejected would block every later statement on it.
 */
export async function copyTeam(
  source: CopySide,
  target: CopySide,
  team: { id: number; moveId: string; objects: CopiedObjects },
): Promise<CopiedTeam> {
  const from = await source.pool.connect();
  const to = target.client;
  try {
    await from.query('begin isolation level repeatable read read only');
    await to.query('begin');
    for (const client of [from, to]) await client.query(STEADY_SETTINGS);
    await to.query('select pg_advisory_xact_lock($1)', [copyLock(team.moveId)]);
    await to.query(`set local posthorn.loading_team = 'on'`);
    const ids = await mapIds(from, to, team.id);
    await copyTeamRow(from, to, ids, { moveId: team.moveId, arrivedFrom: source.baseUrl });
    let rows = await copyPeople(from, to, ids);
    await addWaiting(from, to, ids);
    for (const table of await listTeamTables(from)) {
      const columns = columnsOf(table);
      const selected = columns.map((column) => `${expressionOf(table, column, ids)} as ${quote(column)}`);
      if (table.name === 'events') {
        columns.push('xid');
        selected.push(await xidInTarget(from, to));
      }
      rows += await copyRows(
        from,
        to,
        `select ${selected.join(', ')} from ${quote(table.name)}
         where team_id = ${ids.team.from} ${conditionOf(table, ids)} ${orderOf(table)}`,
        `${quote(table.name)} (${quoteAll(columns)})`,
      );
    }
    await placeObjects(source, target, ids.team.to, team.objects);
    await copyJobs(from, to, ids);
    await reencryptSecrets(to, ids, source.secret, target.secret);
    await takeOverUnsealed(to, ids, source.secret, target.secret);
    await to.query('commit');
    return { teamId: ids.team.to, rows };
  } catch (error) {
    await to.query('rollback').catch(() => {});
    throw error;
  } finally {
    from.release(true);
  }
}

/**
 * The transaction of a copy whose connection was lost may still commit. This waits until it has ended, and throws if that
 * takes too long. The client must be closed afterwards.
 */
export async function waitForEndOfCopy(to: pg.ClientBase, moveId: string | null): Promise<void> {
  await to.query(`set lock_timeout = ${END_WITHIN_MS}`);
  await to.query('select pg_advisory_lock($1)', [copyLock(moveId)]);
}

function copyLock(moveId: string | null): string {
  return lockNumber(`copy of ${moveId}`);
}

async function copyTeamRow(
  from: pg.ClientBase,
  to: pg.ClientBase,
  { team }: IdMap,
  move: { moveId: string; arrivedFrom: string },
): Promise<void> {
  const { rows } = await from.query<{ row: object }>(`select to_jsonb(t) as row from teams t where id = $1`, [
    team.from,
  ]);
  const changes = { id: team.to, move_id: move.moveId, arrived_from: move.arrivedFrom, moved_to: null };
  await to.query(`insert into teams select * from jsonb_populate_record(null::teams, $1::jsonb)`, [
    JSON.stringify({ ...rows[0]!.row, ...changes }),
  ]);
}

/** People without an account in the other instance are copied with their password, second factor and passkeys. */
async function copyPeople(
  from: pg.ClientBase,
  to: pg.ClientBase,
  { team, people, waiting }: IdMap,
): Promise<number> {
  const isNew = `select user_id from memberships where team_id = ${team.from}
    and user_id ${noneOf([...people.keys(), ...waiting.keys()])}`;
  let rows = 0;
  for (const [table, column] of [
    ['users', 'id'],
    ['recovery_codes', 'user_id'],
    ['passkeys', 'user_id'],
  ] as const) {
    const columns = quoteAll(await listColumns(from, table));
    const select = `select ${columns} from ${table} where ${column} in (${isNew})`;
    rows += await copyRows(from, to, select, `${table} (${columns})`);
  }
  return rows;
}

async function copyRows(
  from: pg.ClientBase,
  to: pg.ClientBase,
  select: string,
  into: string,
): Promise<number> {
  const writer = to.query(copyFrom(`copy ${into} from stdin`));
  await pipeline(from.query(copyTo(`copy (${select}) to stdout`)), writer);
  return writer.rowCount;
}

/** Events of mailboxes get new numbers, in the same order, because the sequences of the instances differ. */
function columnsOf({ name, columns }: TeamTable): string[] {
  return name === 'mailbox_events' ? columns.filter((column) => column !== 'id') : columns;
}

function orderOf({ name }: TeamTable): string {
  return name === 'mailbox_events' ? 'order by mailbox_id, id' : '';
}

/** App passwords and access of an account that is not proven stay behind when the person joins another account or waits for one. */
function conditionOf({ name }: TeamTable, { people, waiting, unproven }: IdMap): string {
  if (name !== 'app_passwords' && name !== 'mailbox_access') return '';
  const cleared = [...people.keys(), ...waiting.keys()].filter((id) => unproven.has(id));
  return `and (user_id is null or user_id ${noneOf(cleared)})`;
}

function expressionOf({ name }: TeamTable, column: string, ids: IdMap): string {
  const value = quote(column);
  if (column === 'team_id') return String(ids.team.to);
  if (column === 'domain_id' || (name === 'domains' && column === 'id')) return mapped(value, ids.domains);
  const people = new Map([...ids.people, ...ids.waiting]);
  if (column === 'user_id' || column === 'author_id' || column === 'decided_by') return mapped(value, people);
  // A key has the rights of its maker. Those that somebody made without having proven their address end.
  if (column === 'made_by_user')
    return mapped(value, new Map([...people].filter(([id]) => !ids.unproven.has(id))));
  // What an application was let in with stays behind, so it asks again.
  if (name === 'api_keys' && column === 'revoked_at')
    return `case when client is null then ${value} else coalesce(${value}, now()) end`;
  if (column === 'domain_ids')
    return `case when ${value} is not null then array(
      select ${mapped('domain', ids.domains)} from unnest(${value}) with ordinality as listed (domain, place)
      order by place) end`;
  if (name === 'thread_notes' && column === 'mentions') {
    const person = mapped('person', people);
    return `array(select ${person} from unnest(${value}) person)`;
  }
  if (ACTORS.has(column))
    return mapped(value, new Map([...people].map(([from, to]) => [actorOf(from), actorOf(to)])));
  // The other instance determines for itself which destinations are crowded.
  if (name === 'deliveries' && column === 'set_aside') return 'false';
  // No process of the other instance holds these leases.
  if (column === 'leased_by' || column === 'leased_until') return 'null';
  if (name === 'events' && column === 'data') return mappedInJson(value, 'domainId', ids.domains);
  if ((name === 'webhook_events' || name === 'webhook_calls') && column === 'data')
    return `case when type like 'domain.%' then ${mappedInJson(value, 'id', ids.domains)} else ${value} end`;
  return value;
}

/** Texts that name who did something: a key or `user:usr_…`. */
const ACTORS: ReadonlySet<string> = new Set([
  'author',
  'actor',
  'created_by',
  'saved_by',
  'content_saved_by',
]);

/** The name of a person in stored records, as in callers. */
function actorOf(userKey: string): string {
  return `user:${encodeId('usr', userKey)}`;
}

function noneOf(ids: string[]): string {
  return `<> all('{${ids.join(',')}}'::uuid[])`;
}

function mapped(value: string, map: Map<number | string, number | string>): string {
  const cases = [...map].flatMap(([from, to]) => (from === to ? [] : [` when '${from}' then '${to}'`]));
  return cases.length === 0 ? value : `case ${value}${cases.join('')} else ${value} end`;
}

function mappedInJson(value: string, field: string, map: Map<number, number>): string {
  const changed = mapped(`(${value}->>'${field}')`, map);
  if (!changed.startsWith('case')) return value;
  return `case when ${value} ? '${field}' then jsonb_set(${value}, '{${field}}', (${changed})::jsonb) else ${value} end`;
}
