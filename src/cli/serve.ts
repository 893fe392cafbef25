/** `posthorn serve`: opens the doors, greets, and stays until it is told to go. */
import type { Config } from '../config.ts';
import { DOORS, start, type Door } from '../main.ts';
import { createLog } from '../platform/log.ts';
import { createUnexpectedErrors } from '../platform/unexpected-errors.ts';
import { watchUncaughtErrors } from './uncaught-errors.ts';
import { readOptions, UsageError } from './usage.ts';
import { welcome } from './welcome.ts';

/** Closing is bounded step by step; this is for a step that hangs all the same, and for a start that takes longer. */
const LAST_RESORT_MS = 9_500;
/** What was half open when the start failed must not keep a process that serves nobody. */
const AFTER_FAILURE_MS = 1_000;

export async function serveCommand(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['doors']);
  const doors = readDoors(options.doors);
  const log = createLog(config.logLevel);
  const errors = createUnexpectedErrors(log);
  const stop = waitForSignal();
  void stop.then(() => exitWithin(LAST_RESORT_MS));
  const running = await start(config, log, doors, { errors }).catch((error: unknown) => {
    exitWithin(AFTER_FAILURE_MS);
    throw error;
  });
  // Only now: during the start an uncaught error ends the process, because what is half started cannot go on.
  const unknownState = new Promise<string>((resolve) => watchUncaughtErrors(errors, resolve));
  console.log(welcome(config, doors, running.firstStart));
  const exitCode = await Promise.race([
    stop.then((signal) => (log.info({ doors, signal }, 'stopping'), 0)),
    unknownState.then(
      (reason) => (log.fatal({ doors, reason }, 'stopping, because the state is unknown'), 1),
    ),
  ]);
  exitWithin(LAST_RESORT_MS);
  try {
    await running.close();
  } catch (error) {
    log.error({ err: error }, 'stopping: not everything could be finished');
    process.exit(1);
  }
  process.exit(exitCode);
}

function exitWithin(ms: number): void {
  setTimeout(() => process.exit(1), ms).unref();
}

function readDoors(text: string | undefined): Door[] {
  if (text === undefined) return [...DOORS];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !DOORS.includes(name as Door));
  if (unknown.length > 0)
    throw new UsageError(`There is no door "${unknown[0]}"; the doors are ${DOORS.join(', ')}.`);
  return names as Door[];
}

/** Ctrl-C reaches us from the terminal and again from npm: what comes after the first changes nothing. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}
