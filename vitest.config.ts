import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const FOLDERS = '{src,web,e2e,bench,scripts,fuzz,posthorn-client,examples}/**';
const POSTGRES = 'src/testing/setup-postgres.ts';
const THREADS = 'src/testing/setup-threads.ts';
const BUILD = 'src/testing/setup-build.ts';

/** The examples import the client by its name. */
const CLIENT = fileURLToPath(new URL('posthorn-client/src/index.ts', import.meta.url));

/** The end of a test file's name says what the file needs, and that decides its project. docs/testing.md has the table. */
export default defineConfig({
  test: {
    // Tests often wait for other processes, so three workers keep two cores busy. Four make browser tests time out.
    maxWorkers: 3,
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
      }),
      project('process', {
        include: [`${FOLDERS}/*.process.test.ts`],
        globalSetup: [BUILD, THREADS, POSTGRES],
      }),
    ],
  },
});

function project(name: string, files: { include: string[]; exclude?: string[]; globalSetup?: string[] }) {
  return {
    resolve: { alias: { 'posthorn-client': CLIENT } },
    test: {
      name,
      ...files,
      // Files of one worker share what was loaded: no test leaves anything behind in a module, and loading costs most.
      isolate: false,
      // For a busy machine, where the start of a process can take a good part of a minute.
      testTimeout: 90_000,
      hookTimeout: 60_000,
      // The default of one second is too short for a busy machine.
      expect: { poll: { timeout: 30_000, interval: 20 } },
    },
  };
}
