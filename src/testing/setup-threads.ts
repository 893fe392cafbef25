/**
 * Bundles the code of the threads, and of the processes that share an embedded PostgreSQL, once for the run, each with
 * its libraries in one file. Starting one takes a tenth of the work of translating and loading the sources.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

const PROGRAMS = [
  'src/mail/offload/pool-worker.ts',
  'src/smtp/receiver-worker.ts',
  'src/platform/embedded-postgres/join-or-start.ts',
];

/** Every vitest project loads this file again, so the shared folder is stored on the global object. */
const shared = globalThis as { testThreads?: Promise<string> };

export default async function setUp(project: TestProject): Promise<void> {
  shared.testThreads ??= bundle();
  project.provide('threadsFolder', await shared.testThreads);
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-threads-'));
  // Some tests start processes of other users.
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: PROGRAMS,
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return folder;
}

declare module 'vitest' {
  export interface ProvidedContext {
    threadsFolder: string;
  }
}
