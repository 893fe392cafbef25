/**
 * Closes a team, so that none of its data changes any more, and opens it again.
 *
 * 1. `closed_at` is set. Doors reject the team's requests, and workers claim none of its work.
 * 2. Automations act on the events that were recorded. Work that has begun is finished: recipients of campaigns, deliveries and webhook calls that a process holds,
 *    requests, jobs.
 * 3. The fence (fence.ts) rejects every later write.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { KEY_CHANGED } from '../../identity/api-keys/api-key-cache.ts';
import { APP_PASSWORD_CHANGED } from '../../identity/app-passwords/app-password-cache.ts';
import { SESSION_CHANGED } from '../../identity/people/session-cache.ts';
import { AppError } from '../../../platform/errors.ts';
import { ALL_KEYS } from '../../../platform/database/lookup-cache.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { fenceTable, fenceTeam, removeFence } from './fence.ts';
import { waitUntilRead } from './unread-events.ts';
import { DELIVERIES_DUE } from '../../delivery/claim.ts';

export interface MovingTeam extends CamelRow<'teams', 'id' | 'name' | 'move_id' | 'moved_to'> {
  closed: boolean;
}

const CHECK_MS = 100;
/** A delivery attempt that has begun may wait this long for a slow server. */
const DRAIN_MS = 5 * 60_000;

export async function readMovingTeam(client: pg.ClientBase, teamId: number): Promise<MovingTeam> {
  const { rows } = await client.query<MovingTeam>(
    `select id, name, closed_at is not null as closed, move_id as "moveId", moved_to as "movedTo"
     from teams where id = $1`,
    [teamId],
  );
  if (!rows[0]) throw new AppError('NOT_FOUND', `There is no team ${teamId}.`);
  return rows[0];
}

/** Continues the move if the team is already closed. Returns the ID of the move. */
export async function closeTeam(client: pg.ClientBase, teamId: number): Promise<string> {
  await client.query(
    `update teams set closed_at = now(), move_id = gen_random_uuid() where id = $1 and closed_at is null`,
    [teamId],
  );
  await forgetCallers(client);
  const { moveId } = await readMovingTeam(client, teamId);
  await waitUntilRead(client, teamId);
  for (const leases of LEASES) await drain(leases.what, () => fenceUnleased(client, leases, teamId));
  await fenceTeam(client, teamId);
  // A job of the team fails at the fence and is retried later, in the new instance.
  await drain('jobs', async () => !(await isAnyJobRunning(client, teamId)));
  return moveId!;
}

/** The tables whose rows a process leases while it works on them, and when a lease ends. */
const LEASES = [
  { what: 'recipients of campaigns', table: 'campaign_batches', until: 'leased_until' },
  { what: 'deliveries', table: 'deliveries', until: 'due_at' },
  { what: 'webhook calls', table: 'webhooks', until: 'leased_until' },
] as const;
type Leases = (typeof LEASES)[number];

/** Returns false while a process works on a row of the team. */
async function fenceUnleased(client: pg.ClientBase, leases: Leases, teamId: number): Promise<boolean> {
  const isFree = async () => !(await isAnyLeased(client, leases, teamId));
  return (await isFree()) && fenceTable(client, leases.table, teamId, isFree);
}

/** Opens the team here again. This is not possible once it has moved. */
export async function reopenTeam(client: pg.ClientBase, teamId: number): Promise<void> {
  const { rows } = await client.query(
    `update teams set closed_at = null, move_id = null where id = $1 and moved_to is null returning id`,
    [teamId],
  );
  if (!rows[0]) throw new AppError('CONFLICT', 'The team has already moved. Move it back with another move.');
  await removeFence(client, teamId);
  await forgetCallers(client);
  await client.query('select pg_notify($1, $2)', [DELIVERIES_DUE, '']);
}

/** Tells all processes to clear their caches, which map keys, sessions and app passwords to teams. */
export async function forgetCallers(client: pg.ClientBase): Promise<void> {
  for (const channel of [KEY_CHANGED, SESSION_CHANGED, APP_PASSWORD_CHANGED])
    await client.query('select pg_notify($1, $2)', [channel, ALL_KEYS]);
}

async function drain(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + DRAIN_MS; !(await isDone()); await wait(CHECK_MS)) {
    if (Date.now() > deadline)
      throw new AppError(
        'UNAVAILABLE',
        `Some ${what} of the team have not ended. Run the command again, or undo the move.`,
      );
  }
}

/** Ignores expired leases: their processes have died, and the rows of a closed team are not claimed again. */
async function isAnyLeased(
  client: pg.ClientBase,
  { table, until }: Leases,
  teamId: number,
): Promise<boolean> {
  const { rows } = await client.query<{ busy: boolean }>(
    `select exists (select from ${table} where team_id = $1 and leased_by is not null and ${until} > clock_timestamp()) as busy`,
    [teamId],
  );
  return rows[0]!.busy;
}

async function isAnyJobRunning(client: pg.ClientBase, teamId: number): Promise<boolean> {
  const { rows } = await client.query<{ busy: boolean }>(
    `select exists (
       select from jobs where leased_until > clock_timestamp() and payload->>'teamId' = $1
     ) as busy`,
    [String(teamId)],
  );
  return rows[0]!.busy;
}
