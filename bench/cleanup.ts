/**
 * What was opened is closed, last first: after each suite, after a failure, and on Ctrl-C. Folders and processes
 * are entered here at the moment they come to be, so that there is no time at which they belong to nobody.
 */
type Close = () => Promise<void> | void;

/** Whatever was under way ends when things are closed under its feet; this is for what hangs all the same. */
const LAST_RESORT_MS = 60_000;

const open: Close[] = [];
let closing: Promise<void> | null = null;
let interrupted = false;

export function onClose(close: Close): void {
  open.push(close);
  // Whoever goes on opening things after Ctrl-C is stopped here; main closes what it has opened.
  if (interrupted) throw new Error('Interrupted.');
}

export async function closeAll(): Promise<void> {
  closing ??= closeInTurn().finally(() => {
    closing = null;
  });
  await closing;
  if (open.length > 0) await closeAll();
}

async function closeInTurn(): Promise<void> {
  for (let close = open.pop(); close; close = open.pop()) {
    try {
      await close();
    } catch (error) {
      console.error('Not closed:', error);
      process.exitCode = 1;
    }
  }
}

/** Closes, and leaves it to main to end: it may be in the middle of opening something. */
export function closeOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Ctrl-C comes from the terminal and again from npm.
      if (interrupted) return;
      interrupted = true;
      setTimeout(() => process.exit(130), LAST_RESORT_MS);
      void closeAll();
    });
  }
}

/** After Ctrl-C everything fails, because everything is closed: that is not worth telling. */
export function isInterrupted(): boolean {
  return interrupted;
}
