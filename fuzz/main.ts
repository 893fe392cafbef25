/**
 * npm run fuzz [-- --seed TEXT] [--minutes 3] [--only http|smtp|mail]
 *
 * Treats the built product as a hostile client and a foreign server would, on loopback only, and leaves with 1 when it
 * found a fault. The same seed makes the same requests.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFindings } from './findings.ts';
import { fuzz } from './fuzz.ts';

const PARTS = ['http', 'smtp', 'mail'];
const SHARES = { http: 0.6, smtp: 0.2, mail: 0.2 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now()) },
      minutes: { type: 'string', default: '3' },
      only: { type: 'string' },
    },
  });
  const { seed, only } = values;
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 60)) throw new Error('--minutes must be a number from 0 to 60.');
  if (only !== undefined && !PARTS.includes(only)) throw new Error(`--only must be ${PARTS.join(', ')}.`);
  const seconds = (part: keyof typeof SHARES) => minutes * 60 * (only === undefined ? SHARES[part] : 1);
  const isWanted = (part: string) => only === undefined || only === part;

  console.log(`Seed ${seed}, ${minutes} minutes at most.`);
  const http = { validRequests: 3, mutatedRequests: 60, oversizedRequests: 400, seconds: seconds('http') };
  const { findings } = await fuzz(
    {
      seed,
      ...(isWanted('http') ? { http } : {}),
      ...(isWanted('smtp') ? { smtp: { alone: true, size: 1, seconds: seconds('smtp') } } : {}),
      ...(isWanted('mail') ? { mail: { size: 1, seconds: seconds('mail') } } : {}),
    },
    console.log,
  );
  if (findings.length === 0) return console.log('No faults.');
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-findings-'));
  console.log(`\n${describeFindings(findings, folder)}\n`);
  const again = `npm run fuzz -- --seed ${seed}${only === undefined ? '' : ` --only ${only}`}`;
  console.log(`${findings.length} faults. Again with: ${again}`);
  process.exitCode = 1;
}

await main();
