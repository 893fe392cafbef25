/** One PostgreSQL for the whole test run, with a migrated template database that each test file clones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateAll } from '../instance.ts';
import { openDatabase } from '../platform/database/database.ts';
import { openEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { createLog } from '../platform/log.ts';
import { databaseUrl, onServer, TEMPLATE } from './test-database.ts';

interface SharedPostgres {
  url: string;
  stop(): Promise<void>;
}

/** Every vitest project loads this file again, so the shared server is stored on the global object. */
const shared = globalThis as { testPostgres?: SharedPostgres; testPostgresUsers?: number };

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  shared.testPostgres ??= await startPostgres();
  shared.testPostgresUsers = (shared.testPostgresUsers ?? 0) + 1;
  project.provide('postgresUrl', shared.testPostgres.url);
  return async () => {
    shared.testPostgresUsers! -= 1;
    if (shared.testPostgresUsers === 0) await shared.testPostgres!.stop();
  };
}

async function startPostgres(): Promise<SharedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-test-'));
  const postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  await onServer(postgres.url, `create database ${TEMPLATE}`);
  const database = openDatabase(databaseUrl(postgres.url, TEMPLATE), { connections: 2, onError: () => {} });
  await migrateAll(database, createLog('error'));
  await database.close();
  return {
    url: postgres.url,
    async stop() {
      await postgres.leave();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}
