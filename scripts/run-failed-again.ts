/**
 * Runs the failed test files once more, on a machine that does nothing else. CI calls it with the JSON report of the
 * whole run, so that one race among thousands of tests does not stop a change. Many failed files are not a race, so
 * then it fails without running them.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MOST_FILES = 10;

interface Report {
  testResults: { name: string; status: string }[];
}

const [, , path] = process.argv;
const { testResults } = JSON.parse(readFileSync(path!, 'utf8')) as Report;
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
if (failed.length === 0 || failed.length > MOST_FILES) process.exit(1);
console.log(
  `\nThese files failed and run once more, alone. Fix them even if they pass now:\n${failed.join('\n')}\n`,
);
process.exit(spawnSync('npx', ['vitest', 'run', ...failed], { stdio: 'inherit' }).status ?? 1);
