import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeFindings } from './findings.ts';
import { fuzz, type FuzzPlan } from './fuzz.ts';

/** The short form of `npm run fuzz`: the same seed each time, and little of everything. */
const PLAN: FuzzPlan = {
  seed: 'short',
  seconds: 180,
  raw: { rounds: 1 },
  smtp: { alone: false, size: 0.05 },
  mail: { size: 0.02 },
  http: { validRequests: 1, mutatedRequests: 2, oversizedRequests: 14 },
};

test('hostile requests, dialogues and mail find no fault', { timeout: 240_000 }, async () => {
  const { findings, lines } = await fuzz(PLAN);
  const folder = join(tmpdir(), 'posthorn-findings-test');
  expect(describeFindings(findings, folder), lines.join('\n')).toBe('');
});
