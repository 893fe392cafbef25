import { expect, inject, test } from 'vitest';
import { createTestDatabase, onServer } from '../../../testing/test-database.ts';
import { startTestServer } from '../../../testing/test-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Counts as a POSIX time zone does: without 29 February. */
function dayOfYear(date: Date): number {
  return (
    (Date.UTC(2001, date.getUTCMonth(), Math.min(date.getUTCDate(), 28)) - Date.UTC(2001, 0, 0)) / DAY_MS
  );
}

test('the series has every day in a time zone where clocks skip midnight', async () => {
  const database = await createTestDatabase();
  const now = Date.now();
  const [start, end] = [now - 3 * DAY_MS, now + 100 * DAY_MS].map((at) => dayOfYear(new Date(at)));
  // One midnight a year does not exist, as in Chile, Egypt and Lebanon.
  const zone = `STD0DST,J${start}/0,J${end}/0`;
  const name = new URL(database.url).pathname.slice(1);
  await onServer(inject('postgresUrl'), `alter database ${name} set timezone to '${zone}'`);
  const server = await startTestServer({ databaseUrl: database.url });
  try {
    const team = await server.createTeam();
    const { body } = await team.call('GET', '/analytics/email-time-series?days=7');
    expect(new Set(body.result.map(({ date }: { date: string }) => date)).size).toBe(7);
  } finally {
    await server.close();
    await database.drop();
  }
});
