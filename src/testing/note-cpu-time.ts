/**
 * Runs before each test file. With CPU_TIMES, it appends the processor time of the file to the file of this name: that of
 * the worker, and on Linux that of the processes that the tests started and that have ended. PostgreSQL and Chromium are
 * shared by all files and not in it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const times = process.env['CPU_TIMES'];
/** The unit of /proc/self/stat on all platforms of Linux. */
const TICKS_PER_SECOND = 100;

if (times !== undefined) {
  const before = cpuSeconds();
  afterAll(() => {
    const file = expect.getState().testPath ?? '';
    appendFileSync(times, `${JSON.stringify({ file, seconds: cpuSeconds() - before })}\n`);
  });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + endedChildren();
}

/** proc(5): cutime and cstime are the fields 16 and 17; the name of the program, in brackets, may contain spaces. */
function endedChildren(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
