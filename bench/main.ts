/**
 * npm run bench [-- --only TEXT] [--json FILE] [--profile FOLDER]
 *
 * Compares Posthorn with the best that the machine can do (see docs/performance.md). The exit code is 0 even if a goal
 * is missed, because a person must judge that on an idle machine. Only errors fail.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { analyticsSuite } from './analytics.bench.ts';
import { automationsSuite } from './automations.bench.ts';
import { campaignCostsSuite } from './campaign-costs.bench.ts';
import { campaignsSuite } from './campaigns.bench.ts';
import { closeAll, closeOnSignals, isInterrupted } from './cleanup.ts';
import { contactsBulkSuite } from './contacts-bulk.bench.ts';
import { contactsSuite } from './contacts.bench.ts';
import { emailsSuite } from './emails.bench.ts';
import { engineSuite } from './engine.bench.ts';
import { largeBookSuite } from './large-book.bench.ts';
import { inboundSuite, mailboxSuite, rulesSuite, threadSuite } from './mailboxes.bench.ts';
import { profileInto } from './posthorn.ts';
import { receivedCostsSuite } from './received-costs.bench.ts';
import { heading, describeIdleLoad, resultLine, toJson } from './report.ts';
import { requestLogSuite } from './request-log.bench.ts';
import type { Suite } from './suite.ts';
import { trackingSuite } from './tracking.bench.ts';
import { urgentSuite } from './urgent.bench.ts';

const SUITES: Suite[] = [
  contactsSuite,
  contactsBulkSuite,
  largeBookSuite,
  emailsSuite,
  requestLogSuite,
  engineSuite,
  campaignsSuite,
  campaignCostsSuite,
  urgentSuite,
  automationsSuite,
  analyticsSuite,
  inboundSuite,
  rulesSuite,
  receivedCostsSuite,
  threadSuite,
  mailboxSuite,
  trackingSuite,
];
const LONGEST_MS = 20 * 60_000;

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { only: { type: 'string' }, json: { type: 'string' }, profile: { type: 'string' } },
  });
  const names = SUITES.flatMap((suite) => chooseRows(suite, options.only?.toLowerCase()));
  if (names.length === 0) throw new Error(`No row has "${options.only}" in its name.`);
  if (options.profile !== undefined) profileInto(options.profile);

  const results: object[] = [];
  console.log(`${await describeIdleLoad()}\n${heading()}`);
  for (const suite of SUITES) {
    await suite.run(names, {
      onResult(result) {
        results.push(toJson(result));
        console.log(resultLine(result));
      },
      onError(error, doing) {
        if (isInterrupted()) return;
        console.error(`FAILED: ${doing}:`, error);
        process.exitCode = 1;
      },
    });
    if (isInterrupted()) return;
  }
  console.log(await describeIdleLoad());
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
}

function chooseRows({ rowNames, longRowNames }: Suite, only: string | undefined): string[] {
  if (only === undefined) return rowNames.filter((name) => !longRowNames.includes(name));
  return rowNames.filter((name) => name.toLowerCase().includes(only));
}

closeOnSignals();
const tooLong = sleep(LONGEST_MS).then(() => {
  throw new Error('The benchmark takes too long.');
});
try {
  await Promise.race([main(), tooLong]);
} catch (problem) {
  if (!isInterrupted()) console.error(problem);
  process.exitCode = 1;
}
await closeAll();
process.exit(isInterrupted() ? 130 : undefined);
