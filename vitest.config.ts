import { defineConfig } from 'vitest/config';

const FOLDERS = '{src,web,e2e,bench,scripts,fuzz}/**';
const POSTGRES = 'src/testing/setup-postgres.ts';
const BUILD = 'src/testing/setup-build.ts';

/** The end of a test file's name says what the file needs, and that decides its project. docs/testing.md has the table. */
export default defineConfig({
  test: {
    // Much of a test is waiting for other processes: three workers keep two cores busy.
    maxWorkers: 3,
    projects: [
      project('unit', { include: [`${FOLDERS}/*.unit.test.ts`] }),
      project('doors', {
        include: [`${FOLDERS}/*.test.ts`],
        exclude: [`${FOLDERS}/*.{unit,browser,process}.test.ts`],
        globalSetup: [POSTGRES],
      }),
      project('browser', { include: [`${FOLDERS}/*.browser.test.ts`], globalSetup: [BUILD, POSTGRES] }),
      project('process', { include: [`${FOLDERS}/*.process.test.ts`], globalSetup: [BUILD, POSTGRES] }),
    ],
  },
});

function project(name: string, files: { include: string[]; exclude?: string[]; globalSetup?: string[] }) {
  return {
    test: {
      name,
      ...files,
      // Files of one worker share what was loaded: no test leaves anything behind in a module, and loading costs most.
      isolate: false,
      // For a busy machine, where the start of a process can take a good part of a minute.
      testTimeout: 90_000,
      hookTimeout: 60_000,
    },
  };
}
