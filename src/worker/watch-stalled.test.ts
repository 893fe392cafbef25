import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MOST_SIGN_UPS } from '../features/audience/contacts/upsert-contacts.ts';
import { startTestServer } from '../testing/test-server.ts';
import { watchStalledWork } from './watch-stalled.ts';

test('stalled jobs and the teams whose work waits for them are logged', async () => {
  const server = await startTestServer();
  const { teamId, call } = await server.createTeam();
  const { body: book } = await call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  const list = Array.from({ length: MOST_SIGN_UPS + 1 }, (_, no) => ({ email: `p${no}@example.com` }));
  await call('POST', `/contactBooks/${book.id}/contacts/bulk`, list);
  await sql`
    update graphile_worker._private_jobs set run_at = now() - interval '2 minutes',
      created_at = now() - interval '2 minutes'`.execute(server.db);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const watch = watchStalledWork(server.db, log, 50);
  // The watcher repeats its lines, so their order is not fixed.
  for (const expected of [
    { job: 'send-confirmations', queue: `confirmations ${teamId}`, waiting: 1 },
    { teamId, kind: 'confirmations' },
  ]) {
    await expect
      .poll(() => lines.map((line) => JSON.parse(line) as object))
      .toContainEqual(expect.objectContaining(expected));
  }
  await watch.close();
  await server.close();
});
