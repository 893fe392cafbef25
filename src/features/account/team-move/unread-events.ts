/**
 * The events of a team that moves. Automations act on each event once, so the other instance must not act again on those
 * that were read here. An event is read there if its transaction is younger than the position of the reader.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Row } from '../../../platform/database/rows.ts';

const CHECK_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/** Older than every transaction. */
const READ = `'1'::xid8`;

/** Waits until all events of the closed team are read. Without a worker nobody reads them, so it does not wait for long. */
export async function waitUntilRead(client: pg.ClientBase, teamId: number): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while ((await hasUnread(client, teamId)) && Date.now() < deadline) await wait(CHECK_MS);
}

async function hasUnread(client: pg.ClientBase, teamId: number): Promise<boolean> {
  const { rows } = await client.query(
    `select from stream_readers r where r.name = 'automations' and exists (
       select from events e where e.team_id = $1 and e.xid >= r.xid and (e.xid, e.id) > (r.xid, r.event_id)
     )`,
    [teamId],
  );
  return rows.length > 0;
}

/** Returns SQL for the transaction that events of the source have in the target, whose client is in the transaction of the copy. */
export async function xidInTarget(source: pg.ClientBase, target: pg.ClientBase): Promise<string> {
  const { rows } = await source.query<{ xid: string | null } & Row<'stream_readers', 'event_id'>>(
    `select xid::text, event_id from stream_readers where name = 'automations'`,
  );
  const position = rows[0];
  if (!position?.xid) return READ;
  const { rows: copies } = await target.query<{ xid: string }>(`select pg_current_xact_id()::text as xid`);
  const isUnread = `(xid, id) > ('${position.xid}'::xid8, '${position.event_id}'::uuid)`;
  return `case when ${isUnread} then '${copies[0]!.xid}'::xid8 else ${READ} end`;
}
