/**
 * Stores the progress of an import in a file in DATA_DIR, so that the same command continues after an interruption.
 * Entries that are read again are compared with the stored ones, so a lost checkpoint only costs time.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoints } from './items.ts';
import { DAY_MS } from '../../platform/durations.ts';

/** After a longer pause the vendor's lists may have changed, so the import starts from the beginning. */
const MAX_AGE_MS = DAY_MS;

interface Stored {
  savedAt: string;
  cursors: Record<string, string | null>;
}

export interface SavedCheckpoints extends Checkpoints {
  /** The time at which an earlier run was interrupted; null if there was none. */
  continuesFrom: string | null;
  save(cursors: Map<string, string | null>): void;
  remove(): void;
}

/** `source` distinguishes imports: vendor, team, account. It may contain secrets, which are not stored. */
export function openCheckpoints(
  dataDir: string,
  source: string[],
  { isFresh }: { isFresh: boolean },
): SavedCheckpoints {
  const folder = join(dataDir, 'imports');
  const digest = createHash('sha256').update(JSON.stringify(source)).digest('hex').slice(0, 24);
  const file = join(folder, `${digest}.json`);
  const stored = isFresh ? null : readStored(file);
  const cursors: Stored['cursors'] = stored?.cursors ?? {};
  return {
    continuesFrom: stored?.savedAt ?? null,
    cursorOf: (step) => (Object.hasOwn(cursors, step) ? cursors[step] : undefined),
    save(changed) {
      for (const [step, cursor] of changed) cursors[step] = cursor;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const next: Stored = { savedAt: new Date().toISOString(), cursors };
      writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

function readStored(file: string): Stored | null {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
    return Date.now() - Date.parse(stored.savedAt) < MAX_AGE_MS ? stored : null;
  } catch {
    return null;
  }
}

/** For a dry run, which stores nothing. */
export const NO_CHECKPOINTS: SavedCheckpoints = {
  continuesFrom: null,
  cursorOf: () => undefined,
  save() {},
  remove() {},
};
