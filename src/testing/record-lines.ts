import { createLog, type Log } from '../platform/log.ts';

/** A log that adds its warnings and errors to a list, and writes nothing. */
export function recordLines(into: string[]): Log {
  const log = createLog('silent');
  for (const level of ['warn', 'error'] as const)
    log[level] = (...args: unknown[]) => void into.push(String(args.at(-1)));
  return log;
}
