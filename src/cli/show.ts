/** Formats numbers for the output of commands. */
import type { Contents } from '../platform/backup/format.ts';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function showSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step]}`;
}

export function showCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function showContents({ tables, rows, jobs }: Contents): string {
  return [showCount(tables.length, 'table'), showCount(rows, 'row'), showCount(jobs, 'waiting job')].join(
    ', ',
  );
}
