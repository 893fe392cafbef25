/**
 * One route of the limit program: the least that a server must do for a request. Its SQL is not written here but
 * overheard from the real operation, so the two cannot drift apart unnoticed.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import type { Database, Db } from '../src/platform/database.ts';
import type { Tables } from '../src/platform/tables.ts';

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

export function rehearse({ pool, db }: Database, teamId: number): Rehearsal {
  const queries: CompiledQuery[] = [];
  const overheard = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => void queries.push(event.query),
  });
  return {
    teamId,
    db,
    async overhear(operation, parametersFor) {
      queries.length = 0;
      const expected = parametersFor(await operation(overheard));
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
