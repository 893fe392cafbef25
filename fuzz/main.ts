/**
 * npm run fuzz [-- --seed TEXT] [--seconds 300] [--only PART,PART]   (the parts are in PLANS)
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
  vendors: { every: 1 },
  jmap: { every: 1 },
  imap: { every: 1 },
  forms: { every: 1 },
  imports: { every: 1 },
  http: { validRequests: 3, mutatedRequests: 60, oversizedRequests: 400 },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now()) },
      seconds: { type: 'string', default: '300' },
      only: { type: 'string' },
    },
  });
  const { seed } = values;
  const only = values.only?.split(',') ?? PARTS;
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 3600)) throw new Error('--seconds must be a number from 0 to 3600.');
  const parts = PARTS.filter((part) => only.includes(part));
  if (parts.length < only.length) throw new Error(`--only must be some of ${PARTS.join(',')}.`);

  console.log(`Seed ${seed}, ${seconds} seconds at most.`);
  const plans = Object.fromEntries(parts.map((part) => [part, PLANS[part]]));
  const { findings } = await fuzz({ seed, seconds, ...plans }, console.log);
  if (findings.length === 0) return console.log('No faults.');
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-findings-'));
  console.log(`\n${describeFindings(findings, folder)}\n`);
  const again = `npm run fuzz -- --seed ${seed}${values.only === undefined ? '' : ` --only ${values.only}`}`;
  console.log(`${findings.length} faults. Repeat with: ${again}`);
  process.exitCode = 1;
}

await main();
