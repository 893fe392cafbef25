/**
 * A route of the limit program: the least that a server must do for a request. Its SQL is recorded from the real
 * operation, so that the two stay the same.
 */
import { deepStrictEqual } from 'node:assert/strict';
import type pg from 'pg';
import type { Database, Db } from '../src/platform/database/database.ts';

export interface LimitRoute {
  /** Returns the statement that every request runs. It is prepared once per connection. */
  statement(rehearsal: Rehearsal): Promise<string>;
  parameters(teamId: number, path: string[], body: unknown): unknown[];
  /** Returns undefined if nothing was found or written; such a request must not count. */
  answer(rows: object[], rowCount: number): unknown;
}

export interface Rehearsal {
  teamId: number;
  db: Db;
  /** Runs an operation, which must be one statement, and checks its parameters against ours. Returns the statement. */
  recordStatement<Result>(
    operation: (db: Db) => Promise<Result>,
    parametersFor: (result: Result) => unknown[],
  ): Promise<string>;
}

interface Asked {
  sql: string;
  parameters: unknown[];
}

export function rehearse({ pool, db }: Database, teamId: number): Rehearsal {
  const queries: Asked[] = [];
  const heard = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]) {
        queries.push({ sql: args[0] as string, parameters: args[1] as unknown[] });
        return query(...args);
      },
    });
  });
  return {
    teamId,
    db,
    async recordStatement(operation, parametersFor) {
      queries.length = 0;
      const expected = parametersFor(await operation(db));
      const [query, ...others] = queries;
      if (!query || others.length > 0) {
        throw new Error(
          `The operation is no longer a single statement:\n${queries.map((q) => q.sql).join('\n')}`,
        );
      }
      deepStrictEqual(
        query.parameters,
        expected,
        'The operation has other parameters than the limit program; change bench/*.limit.ts',
      );
      return query.sql;
    },
  };
}
