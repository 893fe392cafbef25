import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../platform/database.ts';
import { holdMigrationLock } from '../platform/migrations.ts';
import { runPosthorn, startPosthorn } from '../testing/posthorn-process.ts';
import { createTestDatabase } from '../testing/test-database.ts';

// The program takes seconds to start from its sources, many more on a machine that runs all tests at once.
vi.setConfig({ testTimeout: 90_000 });

test('a start that fails half way ends', async () => {
  const database = await createTestDatabase();
  const { pool, close } = openDatabase(database.url, { connections: 1, onError: () => {} });
  await pool.query('alter function graphile_worker.add_job rename to add_no_job');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const { code, stderr } = await runPosthorn(['serve', '--doors', 'worker'], {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('graphile_worker.add_job')]);
  await close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test('a start that waits for the migrations of another ends when it is told to', async () => {
  const database = await createTestDatabase();
  const { pool, close } = openDatabase(database.url, { connections: 2, onError: () => {} });
  const other = await pool.connect();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
  await holdMigrationLock(other, async () => {
    const posthorn = startPosthorn(['serve', '--doors', 'worker'], env);
    const waiting = `select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    await expect
      .poll(async () => (await pool.query(waiting)).rows, { timeout: 60_000 })
      .toEqual([{ count: 1 }]);
    posthorn.child.kill('SIGTERM');
    expect((await posthorn.ended).code).toBe(1);
  });
  other.release();
  await close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});
