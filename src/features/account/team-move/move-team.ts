/**
 * Moves a team to another instance while both run. A crash can happen after any of these steps:
 *
 * 1. Close the team in the source. None of its data changes from here on.
 * 2. Copy it to the target in one transaction. The copy is closed.
 * 3. Mark it as moved in the source. From here on the source never opens it again.
 * 4. Open it in the target.
 *
 * So the team is open in at most one instance at any time. Calling `moveTeam` again continues an interrupted move.
 * Until step 3, `undoMove` opens the team in the source again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../../../platform/errors.ts';
import { lockNumber, onOwnConnection } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { closeTeam, forgetCallers, readMovingTeam, reopenTeam, type MovingTeam } from './close-team.ts';
import { copyTeam, waitForEndOfCopy, type CopySide } from './copy-team.ts';
import { dropJobs } from './copy-jobs.ts';
import { forgetTeam } from './forget-team.ts';
import { refuseConflicts } from './check-target.ts';
import { copyObjectsAhead, refuseObjects } from './copy-objects.ts';
import { DELIVERIES_DUE } from '../../delivery/claim.ts';

const AWHILE_MS = 30_000;
const AGAIN_MS = 1_000;

export interface MoveOptions {
  /** Accepts that links in sent email stop working. */
  newLinks: boolean;
  report(line: string): void;
}

/** Returns the ID of the team in the target. */
export async function moveTeam(
  source: CopySide,
  target: CopySide,
  teamId: number,
  options: MoveOptions,
): Promise<number> {
  await refuseConcurrentMoves(source.client, teamId);
  const team = await readMovingTeam(source.client, teamId);
  if (team.movedTo !== null && team.movedTo !== target.baseUrl)
    throw new AppError('CONFLICT', `The team has already moved to ${team.movedTo}.`);
  const earlier = await findCopy(target.client, team.moveId);
  if (!earlier && team.movedTo !== null)
    throw new AppError('NOT_FOUND', 'The other instance does not have the team any more.');
  const copyId = earlier ?? (await copyClosed(source, target, team, options));
  await markMoved(source.client, teamId, target.baseUrl);
  await openCopy(target.client, copyId);
  options.report(`Team ${copyId} is open at ${target.baseUrl}.`);
  return copyId;
}

/**
 * Closes and copies the team. If that fails the team is opened again, unless it is unknown whether the copy is
 * complete.
 */
async function copyClosed(
  source: CopySide,
  target: CopySide,
  team: MovingTeam,
  { newLinks, report }: MoveOptions,
): Promise<number> {
  await refuseConflicts(source.client, target.client, team.id);
  await refuseObjects(source, target, team.id);
  if (!newLinks) await refuseNewLinks(source, target, team.id);
  const objects = await copyObjectsAhead(source, target, team.id);
  if (objects.size > 0) report(`Copied ${objects.size} contents to the other object store.`);
  report(`Closing team ${team.id} (${team.name}) …`);
  try {
    const moveId = await closeTeam(source.client, team.id);
    report('Copying …');
    const { teamId, rows } = await copyTeam(source, target, { id: team.id, moveId, objects });
    report(`Copied ${rows} rows as team ${teamId}.`);
    return teamId;
  } catch (error) {
    await tryForAWhile(() => openUnlessCopied(source, target, team.id, report)).catch(() => {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
      throw new AppError(
        'UNAVAILABLE',
        `${reason}. Nobody can tell whether the copy is complete, so team ${team.id} is still closed. Run the command again to continue, or with --undo to open the team here.`,
        { cause: error },
      );
    });
    throw error;
  }
}

/** Uses new connections, because the loss of a connection may be why the copy failed. */
async function openUnlessCopied(
  source: CopySide,
  target: CopySide,
  teamId: number,
  report: MoveOptions['report'],
): Promise<void> {
  await onOwnConnection(source.pool, async (here) => {
    const { moveId } = await readMovingTeam(here, teamId);
    const copyId = await onOwnConnection(target.pool, async (there) => {
      await waitForEndOfCopy(there, moveId);
      return findCopy(there, moveId);
    });
    if (copyId !== null) return report('The copy is complete. Run the command again to open it.');
    await reopenTeam(here, teamId);
    report(`Team ${teamId} is open again in this instance.`);
  });
}

/** A server that has crashed answers again after some seconds. */
async function tryForAWhile(work: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + AWHILE_MS; ; await wait(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Deletes the closed copy, if there is one, and opens the team in the source again. */
export async function undoMove(source: CopySide, target: CopySide, teamId: number): Promise<void> {
  await refuseConcurrentMoves(source.client, teamId);
  const team = await readMovingTeam(source.client, teamId);
  if (!team.closed) throw new AppError('CONFLICT', 'The team is not being moved.');
  if (team.movedTo !== null) throw new AppError('CONFLICT', `The team has already moved to ${team.movedTo}.`);
  const copyId = await findCopy(target.client, team.moveId);
  if (copyId !== null) await forgetTeam(target.client, copyId);
  await reopenTeam(source.client, teamId);
}

/** The key of the lock that a command holds while it moves the team. */
export function moveLock(teamId: number): string {
  return lockNumber(`move team ${teamId}`);
}

/** Takes a lock that is held until the connection ends. */
async function refuseConcurrentMoves(source: pg.ClientBase, teamId: number): Promise<void> {
  const { rows } = await source.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
    moveLock(teamId),
  ]);
  if (!rows[0]!.held) throw new AppError('CONFLICT', 'Another command is moving this team right now.');
}

/** Finds the ID of the copy that this move has made in the target. */
async function findCopy(target: pg.ClientBase, moveId: string | null): Promise<number | null> {
  const { rows } = await target.query<Row<'teams', 'id'>>(
    'select id from teams where move_id = $1 and arrived_from is not null',
    [moveId],
  );
  return rows[0]?.id ?? null;
}

/** Links and return paths are signed with the instance secret and contain the number of the team. */
async function refuseNewLinks(source: CopySide, target: CopySide, teamId: number): Promise<void> {
  const { rows } = await target.client.query('select from teams where id = $1', [teamId]);
  if (source.secret.equals(target.secret) && !rows[0]) return;
  const reason = rows[0] ? `has another team ${teamId}` : 'has another instance secret';
  throw new AppError(
    'CONFLICT',
    `The other instance ${reason}, so unsubscribe links, tracked links and return paths of mail that was sent before the move would stop working. Add --new-links to move the team anyway.`,
  );
}

async function markMoved(source: pg.ClientBase, teamId: number, url: string): Promise<void> {
  await source.query('begin');
  try {
    const { rows } = await source.query(
      `update teams set moved_to = $2 where id = $1 and closed_at is not null returning id`,
      [teamId, url],
    );
    if (!rows[0]) throw new AppError('CONFLICT', 'The team was opened meanwhile. The copy stays closed.');
    await dropJobs(source, teamId);
    await source.query('commit');
  } catch (error) {
    await source.query('rollback').catch(() => {});
    throw error;
  }
  await forgetCallers(source);
}

async function openCopy(target: pg.ClientBase, teamId: number): Promise<void> {
  await target.query('update teams set closed_at = null where id = $1', [teamId]);
  await forgetCallers(target);
  await target.query(
    `select pg_notify('campaign_changed', 'RUNNING ' || id) from campaigns where team_id = $1 and status = 'RUNNING'`,
    [teamId],
  );
  await target.query('select pg_notify($1, $2)', [DELIVERIES_DUE, '']);
}
