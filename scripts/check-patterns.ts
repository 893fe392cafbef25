/**
 * Checks that no regular expression takes more than linear time, because untrusted input could block the server.
 * Expressions that are slow but harmless, because their input is short or our own, are in patterns/allowed.ts. So are
 * the few that are made at run time: none may be made from text that a customer sent.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ALLOWED_MADE, ALLOWED_PATTERNS } from './patterns/allowed.ts';
import { findPatterns } from './patterns/find-patterns.ts';
import { findSlowInput } from './patterns/find-slow-input.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'web'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.startsWith('src/testing/'));
const unused = new Set(Object.keys(ALLOWED_PATTERNS));
const unusedMade = new Set(Object.keys(ALLOWED_MADE));
const judged = new Map<string, string | null>();
let faults = 0;

for (const file of files) {
  for (const { source, flags, line, isMade } of findPatterns(file, readFileSync(file, 'utf8'))) {
    const pattern = `/${source}/${flags}`;
    const made = `${file} ${pattern}`;
    if (isMade && !unusedMade.delete(made) && !(made in ALLOWED_MADE)) {
      console.error(
        `${file}:${line} ${pattern}\n  is made at run time. Search for text with indexOf instead`,
      );
      faults += 1;
    }
    if (!judged.has(pattern)) judged.set(pattern, judge(source, flags));
    const fault = judged.get(pattern);
    if (!fault || unused.delete(pattern) || pattern in ALLOWED_PATTERNS) continue;
    console.error(`${file}:${line} ${pattern}\n  ${fault}`);
    faults += 1;
  }
}
for (const pattern of unused) console.error(`scripts/patterns/allowed.ts: ${pattern} is not needed`);
for (const made of unusedMade) console.error(`scripts/patterns/allowed.ts: ${made} is not needed`);
process.exitCode = faults + unused.size + unusedMade.size > 0 ? 1 : 0;

function judge(source: string, flags: string): string | null {
  try {
    const slow = findSlowInput(source, flags);
    return slow && `takes ${slow.growth} time for ${JSON.stringify(slow.pump)} repeated`;
  } catch (error) {
    return `cannot be judged: ${(error as Error).message}`;
  }
}
