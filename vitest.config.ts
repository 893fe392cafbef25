import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';
import { useOwnTemporaryFolder } from './scripts/temporary-folder.ts';

useOwnTemporaryFolder();

const FOLDERS = '{src,web,e2e,bench,scripts,fuzz,posthorn-client,examples}/**';
const POSTGRES = 'src/testing/setup-postgres.ts';
const THREADS = 'src/testing/setup-threads.ts';
const BUILD = 'src/testing/setup-build.ts';

/** The examples import the client by its name. */
const CLIENT = fileURLToPath(new URL('posthorn-client/src/index.ts', import.meta.url));

/** Tests often wait, so four workers keep two cores busy. Tests that start processes wait most. */
const WORKERS = 4;

/** The end of a test file's name tells what the file needs and decides its project. docs/testing.md has the table. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', { include: [`${FOLDERS}/*.unit.test.ts`] }),
      project('doors', {
        include: [`${FOLDERS}/*.test.ts`],
        exclude: [`${FOLDERS}/*.{unit,browser,process}.test.ts`],
        globalSetup: [THREADS, POSTGRES],
      }),
      project('browser', {
        include: [`${FOLDERS}/*.browser.test.ts`],
        globalSetup: [BUILD, THREADS, POSTGRES],
        // Chromium itself uses two cores. With four workers, tests time out.
        maxWorkers: 3,
      }),
      project('process', {
        include: [`${FOLDERS}/*.process.test.ts`],
        globalSetup: [BUILD, THREADS, POSTGRES],
        maxWorkers: 5,
      }),
    ],
  },
});

interface ProjectOptions {
  include: string[];
  exclude?: string[];
  globalSetup?: string[];
  maxWorkers?: number;
}

function project(name: string, { maxWorkers = WORKERS, ...files }: ProjectOptions) {
  return {
    resolve: { alias: { 'posthorn-client': CLIENT } },
    test: {
      name,
      // The projects share the translated sources. Otherwise each of them would translate the sources again.
      experimental: { fsModuleCache: true },
      ...files,
      maxWorkers,
      // Projects with different numbers of workers must run one after the other.
      sequence: { groupOrder: maxWorkers },
      // Files of one worker share the loaded modules: no test leaves anything behind in a module, and loading costs
      // most.
      isolate: false,
      // The limit is for a busy machine, where the start of a process can take a good part of a minute.
      testTimeout: 90_000,
      hookTimeout: 60_000,
      // The default of one second is too short for a busy machine.
      expect: { poll: { timeout: 30_000, interval: 20 } },
    },
  };
}
