/**
 * Closes everything that was opened, in reverse order: after each suite, after a failure, and on Ctrl-C. Folders and
 * processes are registered as soon as they exist, so that none is left behind.
 */
type Close = () => Promise<void> | void;

/** Closing makes running work fail. This limit is for work that hangs anyway. */
const LAST_RESORT_MS = 60_000;

const open: Close[] = [];
let closing: Promise<void> | null = null;
let interrupted = false;

export function onClose(close: Close): void {
  open.push(close);
  // Code that continues to open resources after Ctrl-C is stopped here; main closes the ones that were opened.
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

/** Closes everything but leaves the exit to main, which may be opening something. */
export function closeOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Ctrl-C sends a signal from the terminal and another from npm.
      if (interrupted) return;
      interrupted = true;
      setTimeout(() => process.exit(130), LAST_RESORT_MS);
      void closeAll();
    });
  }
}

/** Errors after Ctrl-C come from closing and are not reported. */
export function isInterrupted(): boolean {
  return interrupted;
}
