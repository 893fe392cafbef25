/** One PostgreSQL for the whole test run, with a migrated template database that each test file clones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateAll } from '../instance.ts';
import { openDatabase } from '../platform/database.ts';
import { enterEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import { createLog } from '../platform/log.ts';
import { databaseUrl, onServer, TEMPLATE } from './test-database.ts';

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-test-'));
  const postgres = await enterEmbeddedPostgres(dataDir, { durable: false });
  await onServer(postgres.url, `create database ${TEMPLATE}`);
  const database = openDatabase(databaseUrl(postgres.url, TEMPLATE), { connections: 2, onError: () => {} });
  await migrateAll(database, createLog('error'));
  await database.close();
  project.provide('postgresUrl', postgres.url);
  return async () => {
    await postgres.leave();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}
