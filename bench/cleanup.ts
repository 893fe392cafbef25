/**
 * What was opened is closed, last first: after each suite, after a failure, and on Ctrl-C. Folders and processes
 * are entered here at the moment they come to be, so that there is no time at which they belong to nobody.
 */
type Close = () => Promise<void> | void;

const open: Close[] = [];
let closing: Promise<void> | null = null;
let interrupted = false;

export function onClose(close: Close): void {
  open.push(close);
  // Whoever goes on opening things after Ctrl-C is stopped here.
  if (interrupted) {
    void closeAll();
    throw new Error('Interrupted.');
  }
}

export function closeAll(): Promise<void> {
  closing ??= closeInTurn().finally(() => {
    closing = null;
  });
  return closing;
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

export function closeOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Ctrl-C comes from the terminal and again from npm.
      if (interrupted) return;
      interrupted = true;
      void closeAll().then(() => process.exit(130));
    });
  }
}

/** After Ctrl-C everything fails, because everything is closed under its feet: that is not worth telling. */
export function isInterrupted(): boolean {
  return interrupted;
}
