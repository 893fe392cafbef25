import { defineConfig } from 'vitest/config';

/** Kills database servers and the processes around them: apart from `npm test`. */
export default defineConfig({
  test: {
    include: ['e2e/failover/*.failover.ts'],
    maxWorkers: 1,
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
  },
});
