/** IDLE (RFC 2177): reports changes until the client sends DONE. */
import { setTimeout as wait } from 'node:timers/promises';
import { toAppError } from '../../platform/database/database-errors.ts';
import { isServerFault } from '../../platform/errors.ts';
import { BadCommand } from '../../mail/imap/command-cursor.ts';
import { reportChanges } from '../messages/report-changes.ts';
import type { CommandInput, CommandResult, FolderSession, UserSession } from '../session/session.ts';

/** How long to wait before changes are read again after a failure, such as a restart of the database. */
const RETRY_MS = 1_000;

export async function idle(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.end();
  const { tools, login, out, wire } = session;
  let wake: (() => void) | null = null;
  let hasChanged = true;
  const stop = tools.watcher.watch(login, () => {
    hasChanged = true;
    wake?.();
  });
  try {
    out.line('+ idling');
    await out.flush();
    let line: Awaited<ReturnType<typeof wire.readCommand>> | undefined;
    let failure: unknown;
    const reading = wire.readCommand().then(
      (command) => (line = command),
      (error: unknown) => (failure = error ?? new Error('unknown')),
    );
    while (line === undefined && failure === undefined) {
      if (hasChanged && session.selected) {
        hasChanged = false;
        await reportChanges(session as FolderSession, { allowExpunge: true }).catch(
          async (error: unknown) => {
            // The client still has to send DONE. Until then no other code may read from it.
            if (!isServerFault(toAppError(error))) {
              await reading;
              throw error;
            }
            tools.errors.report('imap', error);
            hasChanged = true;
            await Promise.race([reading, wait(RETRY_MS, undefined, { ref: false })]);
          },
        );
        await out.flush();
        continue;
      }
      hasChanged = false;
      await Promise.race([reading, new Promise<void>((resolve) => (wake = resolve))]);
    }
    if (failure !== undefined) throw failure;
    if (line && line.text.toUpperCase() !== 'DONE') throw new BadCommand('Expected DONE');
  } finally {
    stop();
  }
}
