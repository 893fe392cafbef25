/** `posthorn serve`: starts the server and runs until a signal stops it. */
import type { Config } from '../config.ts';
import { DOORS, type Door } from '../doors.ts';
import { start } from '../main.ts';
import { createLog } from '../platform/log.ts';
import { createUnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { watchUncaughtErrors } from './uncaught-errors.ts';
import { readOptions, UsageError } from './usage.ts';
import { welcome } from './welcome.ts';

/**
 * Each step of the shutdown has a limit. This one is for a step that hangs anyway, and for a shutdown during a long
 * start.
 */
const LAST_RESORT_MS = 9_500;
/** After a failed start, leftover connections must not keep the process alive. */
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
  // Installed only now, because an uncaught error during the start must end the process.
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
    throw new UsageError(`Unknown service "${unknown[0]}". The services are ${DOORS.join(', ')}.`);
  return names as Door[];
}

/** Ctrl-C sends a signal from the terminal and another from npm. Only the first one counts. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}
