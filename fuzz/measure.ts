/** Measures the memory of a process and the size of a folder. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function sizeOfFolder(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // PostgreSQL deletes files at any time.
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) bytes += stats.size;
  }
  return bytes;
}

/** `VmRSS` is the memory now, `VmHWM` the most since `startPeak`. */
export function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0;
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${field}:`));
  return Number.parseInt(line?.slice(field.length + 1) ?? '0', 10) * 1024;
}

/** The CPU time of the main thread, in which the event loop runs. */
export function readThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return process.platform === 'linux' ? 0 : Infinity;
  }
}

/** Returns the memory now. proc(5): 5 resets the peak. */
export function startPeak(pid: number): number {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return readMemory(pid, 'VmRSS');
}
