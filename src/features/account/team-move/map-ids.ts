/** Maps the IDs of a team, its domains and its people to the new instance. All other IDs are UUIDs and stay. */
import type pg from 'pg';
import type { Row } from '../../../platform/database/rows.ts';

export interface IdMap {
  team: { from: number; to: number };
  domains: Map<number, number>;
  /** Only people who already have an account in the new instance, found by their address. */
  people: Map<string, string>;
}

/** Numbers are kept if they are free, because links and return paths in sent email contain the team's number. */
export async function mapIds(source: pg.ClientBase, target: pg.ClientBase, teamId: number): Promise<IdMap> {
  const { rows: domains } = await source.query<Row<'domains', 'id'>>(
    'select id from domains where team_id = $1 order by id',
    [teamId],
  );
  const { rows: people } = await source.query<Row<'users', 'id'> & { key: Row<'users'>['email_key'] }>(
    `select u.id, u.email_key as key from memberships m join users u on u.id = m.user_id where m.team_id = $1`,
    [teamId],
  );
  const { rows: known } = await target.query<Row<'users', 'id'> & { key: Row<'users'>['email_key'] }>(
    'select id, email_key as key from users where email_key = any($1)',
    [people.map(({ key }) => key)],
  );
  const idOf = new Map(known.map(({ id, key }) => [key, id]));
  const domainIds = new Map<number, number>();
  for (const { id } of domains) domainIds.set(id, await takeNumber(target, 'domains', id));
  return {
    team: { from: teamId, to: await takeNumber(target, 'teams', teamId) },
    domains: domainIds,
    people: new Map(people.flatMap(({ id, key }) => (idOf.has(key) ? [[id, idOf.get(key)!] as const] : []))),
  };
}

/** Moves the sequence past a number that is kept, so that it is not issued again. */
async function takeNumber(
  target: pg.ClientBase,
  table: 'teams' | 'domains',
  wanted: number,
): Promise<number> {
  const { rows: taken } = await target.query(`select from ${table} where id = $1 limit 1`, [wanted]);
  const sequence = `pg_get_serial_sequence('${table}', 'id')`;
  const { rows } = taken[0]
    ? await target.query<{ id: string }>(`select nextval(${sequence}) as id`)
    : await target.query<{ id: string }>(
        `select $1::bigint as id, setval(${sequence}, greatest($1::bigint, nextval(${sequence})))`,
        [wanted],
      );
  return Number(rows[0]!.id);
}
