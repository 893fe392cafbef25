/**
 * One route of the limit program: the least that a server must do for a request. Its SQL is not written here but
 * overheard from the real operation, so the two cannot drift apart unnoticed.
 */
import { deepStrictEqual } from 'node:assert/strict';
import type pg from 'pg';
import type { Database, Db } from '../src/platform/database.ts';

export interface LimitRoute {
  /** The statement that every request runs, prepared once per connection. */
  statement(rehearsal: Rehearsal): Promise<string>;
  parameters(teamId: number, path: string[], body: unknown): unknown[];
  /** Undefined when nothing was found or written: such a request must not count. */
  answer(rows: object[], rowCount: number): unknown;
}

export interface Rehearsal {
  teamId: number;
  db: Db;
  /** Runs an operation that must be one statement, and checks that its parameters are what we would have sent. */
  overhear<Result>(
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
    async overhear(operation, parametersFor) {
      queries.length = 0;
      const expected = parametersFor(await operation(db));
      const [query, ...others] = queries;
      if (!query || others.length > 0) {
        throw new Error(
          `The operation is not one statement any more:\n${queries.map((q) => q.sql).join('\n')}`,
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
