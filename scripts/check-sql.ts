/**
 * Checks that no value of an SQL statement is written by hand from text (sql/find-written-values.ts). Those that
 * contain only numbers or our own words are in sql/allowed.ts.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ALLOWED_VALUES } from './sql/allowed.ts';
import { findWrittenValues } from './sql/find-written-values.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('src/testing/'));
const unused = new Set(Object.keys(ALLOWED_VALUES));
let faults = 0;

for (const file of files) {
  for (const { line, text } of findWrittenValues(file, readFileSync(file, 'utf8'))) {
    if (text in ALLOWED_VALUES) {
      unused.delete(text);
      continue;
    }
    console.error(`${file}:${line} ${text}\n  writes a value of a statement by hand: pass it as a parameter`);
    faults += 1;
  }
}
for (const text of unused) console.error(`scripts/sql/allowed.ts: ${text} is not needed`);
process.exitCode = faults + unused.size > 0 ? 1 : 0;
