/** Prints the processor seconds of each test file, from the file that src/testing/note-cpu-time.ts has written. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST_LINES = 40;

const [, , path] = process.argv;
const lines = readFileSync(path!, 'utf8').split('\n').filter(Boolean);
const secondsOf = new Map<string, number>();
for (const line of lines) {
  const { file, seconds } = JSON.parse(line) as { file: string; seconds: number };
  secondsOf.set(file, (secondsOf.get(file) ?? 0) + seconds);
}
const files = [...secondsOf].toSorted(([, one], [, other]) => other - one);
const total = files.reduce((sum, [, seconds]) => sum + seconds, 0);
console.log(`\nProcessor time of ${files.length} test files: ${total.toFixed(0)} s`);
for (const [file, seconds] of files.slice(0, MOST_LINES))
  console.log(`${seconds.toFixed(1).padStart(8)}  ${relative('.', file)}`);
