/** Threads that people have split, or whose merge they have undone. Messages do not merge them again. */
import { sql } from 'kysely';
import { statement, toJson, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

export async function separateThreads(trx: Db, teamId: number, one: string, other: string): Promise<void> {
  await sql`
    insert into separated_threads (team_id, thread_id, other_id)
    values (${teamId}, ${one}, ${other}), (${teamId}, ${other}, ${one})
    on conflict do nothing
  `.execute(trx);
}

/** A thread that was split from another one stays separated from what that one is separated from. */
export async function inheritSeparations(
  trx: Db,
  teamId: number,
  fromId: string,
  toId: string,
): Promise<void> {
  await sql`
    insert into separated_threads (team_id, thread_id, other_id)
    select team_id, pair.* from separated_threads s
    cross join lateral (values (${toId}::uuid, s.other_id), (s.other_id, ${toId}::uuid)) as pair
    where s.team_id = ${teamId} and s.thread_id = ${fromId} and s.other_id <> ${toId}
    on conflict do nothing
  `.execute(trx);
}

interface Joinable {
  teamId: number;
  /** The places of the references that lead to the threads. */
  byReference: Map<string, number>;
}

/** Leaves, of threads that are separated from each other, only the one with the latest reference. */
export async function keepSeparate(trx: Db, found: readonly Joinable[]): Promise<void> {
  const several = found.filter(({ byReference }) => byReference.size > 1);
  if (several.length === 0) return;
  const ids = several.flatMap(({ teamId, byReference }) =>
    [...byReference.keys()].map((id) => ({ team: teamId, id })),
  );
  const rows = await statement<Row<'separated_threads', 'thread_id' | 'other_id'>>(trx)`
    select s.thread_id, s.other_id
    from json_to_recordset(${toJson(ids)}::json) as a (team integer, id uuid)
    join separated_threads s on s.team_id = a.team and s.thread_id = a.id`;
  const pairs = new Set(rows.map(({ thread_id, other_id }) => `${thread_id} ${other_id}`));
  if (pairs.size === 0) return;
  for (const { byReference } of several) {
    const closest = [...byReference].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const kept: string[] = [];
    for (const [id] of closest) {
      if (kept.some((other) => pairs.has(`${other} ${id}`))) byReference.delete(id);
      else kept.push(id);
    }
  }
}
