import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,e2e,bench,scripts,fuzz}/**/*.test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    // Much of a test is waiting for other processes: on two cores the default of one leaves one idle.
    maxWorkers: 2,
    // Files of one worker share what was loaded: no test leaves anything behind in a module, and loading costs most.
    isolate: false,
    // Commands are run from their sources, several at once: on a busy machine each takes a good part of a minute.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
