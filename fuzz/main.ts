/**
 * npm run fuzz [-- --seed TEXT] [--minutes 3] [--only raw|smtp|mail|amplify|http]
 *
 * Attacks the built server like hostile clients and mail servers, on loopback only. The exit code is 1 if it finds a
 * fault. The same seed makes the same requests.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFindings } from './findings.ts';
import { fuzz, PARTS } from './fuzz.ts';

const PLANS = {
  raw: { rounds: 3 },
  smtp: { alone: true, size: 1 },
  mail: { size: 1 },
  amplify: { every: 1 },
  http: { validRequests: 3, mutatedRequests: 60, oversizedRequests: 400 },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now()) },
      minutes: { type: 'string', default: '3' },
      only: { type: 'string' },
    },
  });
  const { seed } = values;
  const only = PARTS.find((part) => part === values.only);
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 60)) throw new Error('--minutes must be a number from 0 to 60.');
  if (only !== values.only) throw new Error(`--only must be ${PARTS.join(', ')}.`);

  console.log(`Seed ${seed}, ${minutes} minutes at most.`);
  const parts = only === undefined ? PLANS : { [only]: PLANS[only] };
  const { findings } = await fuzz({ seed, seconds: minutes * 60, ...parts }, console.log);
  if (findings.length === 0) return console.log('No faults.');
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-findings-'));
  console.log(`\n${describeFindings(findings, folder)}\n`);
  const again = `npm run fuzz -- --seed ${seed}${only === undefined ? '' : ` --only ${only}`}`;
  console.log(`${findings.length} faults. Repeat with: ${again}`);
  process.exitCode = 1;
}

await main();
