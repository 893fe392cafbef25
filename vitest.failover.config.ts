import { defineConfig } from 'vitest/config';

/** These tests kill database servers and the processes around them, so they are not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['e2e/failover/*.failover.ts'],
    maxWorkers: 1,
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
  },
});
