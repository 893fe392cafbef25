import { defineConfig } from 'vitest/config';

/** These tests kill processes for minutes, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['e2e/crash/*.crash.ts'],
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
  },
});
