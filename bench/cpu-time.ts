/** Reads the CPU time of processes and their children (Linux). */
import { readFileSync, readdirSync } from 'node:fs';

const CLOCK_TICKS = 100;

interface Stat {
  pid: number;
  parent: number;
  /** The time of the process itself and of children that have ended. */
  ticks: number;
}

function readStats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // The name of the process is in brackets and may contain spaces.
        const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const fields = text
          .slice(text.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!;
        return [{ pid: Number(pid), parent: fields[1]!, ticks }];
      } catch {
        return [];
      }
    });
}

export function cpuMsOf(roots: number[]): number {
  const stats = readStats();
  const found = new Set(roots);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { pid, parent } of stats) if (found.has(parent)) found.add(pid);
  }
  const ticks = stats.filter(({ pid }) => found.has(pid)).reduce((sum, stat) => sum + stat.ticks, 0);
  return (ticks * 1000) / CLOCK_TICKS;
}
