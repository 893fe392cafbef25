import { availableParallelism, cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from './suite.ts';

const NAME_WIDTH = 64;
const LOOK_MS = 1_000;

export function heading(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const titles = line('name', 'unit', 'ours', 'limit', 'ratio', 'half within', 'wanted');
  return [
    `Node ${process.version}, ${availableParallelism()} cores (${cpu?.model ?? 'unknown'}), ${memory} GiB, ${new Date().toISOString()}`,
    titles,
    '-'.repeat(titles.length),
  ].join('\n');
}

export function resultLine(result: Result): string {
  const { name, unit, ours, limit, ratio, spread, wanted, latencyMs } = result;
  const mark = wanted === null ? '' : ratio >= wanted ? '  ok' : '  MISSED';
  const half = spread.map((bound) => bound.toFixed(2)).join('-');
  const figures = [whole(ours), whole(limit), ratio.toFixed(2), half, wanted?.toFixed(2) ?? '-'] as const;
  const latency = latencyMs ? `  p50 ${latencyMs.p50.toFixed(1)} ms, p99 ${latencyMs.p99.toFixed(1)} ms` : '';
  return line(name, unit, ...figures) + mark.padEnd(8) + latency;
}

/** Measures how busy the machine is while the benchmark does nothing. Results from a busy machine are not reliable. */
export async function describeIdleLoad(): Promise<string> {
  const before = cpuTimes();
  await sleep(LOOK_MS);
  const after = cpuTimes();
  const busy = (after.busy - before.busy) / (after.all - before.all);
  return `Other programs keep the machine ${Math.round(busy * 100)} % busy.`;
}

function cpuTimes(): { busy: number; all: number } {
  const times = cpus().flatMap((cpu) => Object.entries(cpu.times));
  const sum = (entries: typeof times) => entries.reduce((total, [, ms]) => total + ms, 0);
  return { busy: sum(times.filter(([state]) => state !== 'idle')), all: sum(times) };
}

/** Returns a row for the JSON file, rounded to the precision of the measurement. */
export function toJson({ name, unit, ours, limit, ratio, wanted }: Result): object {
  return {
    name,
    unit,
    ours: Math.round(ours * 10) / 10,
    limit: Math.round(limit * 10) / 10,
    ratio: Math.round(ratio * 1000) / 1000,
    wanted: wanted === null ? null : Math.round(wanted * 1000) / 1000,
  };
}

function line(
  name: string,
  unit: string,
  ours: string,
  limit: string,
  ratio: string,
  half: string,
  wanted: string,
): string {
  const figures = [
    ours.padStart(9),
    limit.padStart(9),
    ratio.padStart(6),
    half.padStart(11),
    wanted.padStart(7),
  ];
  return [name.padEnd(NAME_WIDTH), unit.padEnd(10), ...figures].join(' ');
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
