import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeFindings } from './findings.ts';
import { fuzz, type FuzzPlan } from './fuzz.ts';

/** A short run of `npm run fuzz` with a fixed seed and a few requests of every kind. */
const PLAN: FuzzPlan = {
  seed: 'short',
  seconds: 180,
  // Other tests run at the same time and pause this server for seconds. `npm run fuzz` checks the real limit.
  loopLimitMs: 5_000,
  raw: { rounds: 1 },
  smtp: { alone: false, size: 0.05 },
  mail: { size: 0.02 },
  amplify: { every: 5 },
  vendors: { every: 40 },
  jmap: { every: 20 },
  imap: { every: 20 },
  forms: { every: 20 },
  imports: { every: 10 },
  http: { validRequests: 1, mutatedRequests: 2, oversizedRequests: 14 },
};

test('hostile requests, dialogues and mail cause no faults', { timeout: 240_000 }, async () => {
  const { findings, lines } = await fuzz(PLAN);
  const folder = join(tmpdir(), 'posthorn-findings-test');
  expect(describeFindings(findings, folder), lines.join('\n')).toBe('');
});
