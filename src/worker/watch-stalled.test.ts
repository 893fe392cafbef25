import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MOST_SIGN_UPS } from '../features/audience/contacts/upsert-contacts.ts';
import { moveLock } from '../features/account/team-move/move-team.ts';
import { poolOf } from '../platform/database/database.ts';
import { startTestServer } from '../testing/test-server.ts';
import { watchStalledWork } from './watch-stalled.ts';

test('stalled jobs and the teams whose work waits for them are logged', async () => {
  const server = await startTestServer();
  const { teamId, call } = await server.createTeam();
  const { body: book } = await call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  const list = Array.from({ length: MOST_SIGN_UPS + 1 }, (_, no) => ({ email: `p${no}@example.com` }));
  await call('POST', `/contactBooks/${book.id}/contacts/bulk`, list);
  await sql`
    update jobs set first_due_at = now() - interval '2 minutes',
      created_at = now() - interval '2 minutes'`.execute(server.db);
  // A command that was killed has left the first team closed. The second one is being moved.
  const [left, moving] = [await server.createTeam(), await server.createTeam()];
  await sql`
    update teams set closed_at = now() - interval '1 hour', move_id = gen_random_uuid()
    where id in (${left.teamId}, ${moving.teamId})`.execute(server.db);
  const command = await poolOf(server.db).connect();
  await command.query('select pg_advisory_lock($1)', [moveLock(moving.teamId)]);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const watch = watchStalledWork(server.db, log, 50);
  // The watcher repeats its lines, so their order is not fixed.
  for (const expected of [
    { job: 'send-confirmations', queue: `confirmations ${teamId}`, waiting: 1 },
    { teamId, kind: 'confirmations' },
    { teamId: left.teamId, msg: 'teams: a move has stopped halfway, and the team is closed' },
  ]) {
    await expect
      .poll(() => lines.map((line) => JSON.parse(line) as object))
      .toContainEqual(expect.objectContaining(expected));
  }
  await watch.close();
  expect(lines.filter((line) => line.includes(`"teamId":${moving.teamId},`))).toEqual([]);
  command.release(true);
  await server.close();
});
