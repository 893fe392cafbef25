/**
 * Maps the IDs of a team, its domains and its people to the new instance. All other IDs are UUIDs and stay.
 *
 * People are found by their address, and an address counts only if it is proven: anyone could have made an account for
 * it in the new instance before. If the account there is not proven, the person waits until it is (decision 39).
 */
import type pg from 'pg';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';

export interface IdMap {
  team: { from: number; to: number };
  domains: Map<number, number>;
  /** People who already have a proven account in the new instance, or this very account. */
  people: Map<string, string>;
  /** People who wait for a proof of their address, with the IDs of their waiting accounts. */
  waiting: Map<string, string>;
  /** People whose address is not proven in the instance that the team leaves. */
  unproven: Set<string>;
}

type PersonRow = Row<'users', 'id'> & { key: Row<'users'>['email_key']; isProven: boolean };

/** Numbers are kept if they are free, because links and return paths in sent email contain the team's number. */
export async function mapIds(source: pg.ClientBase, target: pg.ClientBase, teamId: number): Promise<IdMap> {
  const { rows: domains } = await source.query<Row<'domains', 'id'>>(
    'select id from domains where team_id = $1 order by id',
    [teamId],
  );
  const { rows: people } = await source.query<PersonRow>(
    `select u.id, u.email_key as key, u.proven_at is not null as "isProven"
     from memberships m join users u on u.id = m.user_id where m.team_id = $1`,
    [teamId],
  );
  const keys = people.map(({ key }) => key);
  // Until the copy is committed nobody can prove these addresses, so that a later proof finds the people who wait.
  await target.query(
    'select from users where email_key = any($1) and proven_at is null order by id for share',
    [keys],
  );
  const { rows: known } = await target.query<PersonRow>(
    'select id, email_key as key, proven_at is not null as "isProven" from users where email_key = any($1)',
    [keys],
  );
  const domainIds = new Map<number, number>();
  for (const { id } of domains) domainIds.set(id, await takeNumber(target, 'domains', id));
  return {
    team: { from: teamId, to: await takeNumber(target, 'teams', teamId) },
    domains: domainIds,
    ...mapPeople(people, known),
    unproven: new Set(people.flatMap(({ id, isProven }) => (isProven ? [] : [id]))),
  };
}

function mapPeople(people: PersonRow[], known: PersonRow[]): Pick<IdMap, 'people' | 'waiting'> {
  const joined = new Map<string, string>();
  const waiting = new Map<string, string>();
  for (const person of people) {
    const same = known.filter(({ key }) => key === person.key);
    const account =
      same.find(({ isProven }) => isProven) ??
      // The account itself was moved before, and neither side knows more about its address.
      same.find(({ id }) => id === person.id && !person.isProven);
    if (account) joined.set(person.id, account.id);
    else if (same.length > 0) waiting.set(person.id, newUuid());
  }
  return { people: joined, waiting };
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
