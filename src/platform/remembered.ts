/**
 * What a secret stands for (an API key, a session), without a query on the hot path.
 *
 * What was found once is remembered by the secret's hash until the database says that it changed: a trigger
 * notifies the channel with the hash. While notifications may be missed nothing is remembered, so what was
 * revoked is out within a second in every process.
 */
import { sha256 } from './crypto.ts';
import type { Listener } from './notifications.ts';

/** Instead of one hash: everything may have changed. */
export const EVERYTHING = '*';

export interface Remembered<Value> {
  find(secret: string): Promise<Value | undefined>;
  /** For the process that made a change itself and need not wait to hear of it. */
  forget(secret: string): void;
  listener: Listener;
}

const MAX_ENTRIES = 10_000;
/** A notification lost on the way must not let something revoked in for ever. */
const FRESH_MS = 60_000;

/** `isListening` says whether notifications arrive; without them nothing may be remembered. */
export function createRemembered<Value>(
  channel: string,
  isListening: () => boolean,
  load: (hash: Buffer) => Promise<Value | undefined>,
): Remembered<Value> {
  const entries = new Map<string, { value: Value; freshUntilMs: number }>();
  // Counts forgettings: what was read from the database before one must not be remembered after it.
  let generation = 0;

  function drop(hash: string): void {
    generation += 1;
    entries.delete(hash);
  }
  function dropAll(): void {
    generation += 1;
    entries.clear();
  }

  return {
    async find(secret) {
      const hash = sha256(secret);
      const name = hash.toString('hex');
      const nowMs = performance.now();
      const known = entries.get(name);
      if (known && known.freshUntilMs >= nowMs) return known.value;
      const before = generation;
      const value = await load(hash);
      if (value !== undefined && before === generation && isListening()) {
        if (entries.size >= MAX_ENTRIES) entries.delete(entries.keys().next().value!);
        entries.set(name, { value, freshUntilMs: nowMs + FRESH_MS });
      }
      return value;
    },
    forget: (secret) => drop(sha256(secret).toString('hex')),
    listener: {
      channel,
      onNotification: (hash) => (hash === EVERYTHING ? dropAll() : drop(hash)),
      onGap: dropAll,
    },
  };
}
