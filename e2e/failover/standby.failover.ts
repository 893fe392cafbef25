/** The standby dies instead of the primary. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';
import { toAppError } from '../../src/platform/database/database-errors.ts';
import { startReplicatedPostgres } from './replicated-postgres.ts';

test('a commit that the synchronous standby does not confirm is not reported as done', async () => {
  const postgres = await startReplicatedPostgres('synchronous');
  const { db, close } = openDatabase(postgres.url, {
    connections: 1,
    statementTimeoutMs: 500,
    onError: () => {},
  });
  try {
    await sql`create table promises (no integer)`.execute(db);
    await sql`insert into promises values (1)`.execute(db);
    await postgres.stopReplication();
    const error: unknown = await sql`insert into promises values (2)`
      .execute(db)
      .catch((cause: unknown) => cause);
    expect(toAppError(error).code).toBe('UNAVAILABLE');
    // The connection is replaced, and reading does not need a standby.
    const read = async () => (await sql<{ no: number }>`select no from promises`.execute(db)).rows;
    await expect.poll(() => read().catch(() => [])).toContainEqual({ no: 1 });
  } finally {
    await close();
    await postgres.close();
  }
});
