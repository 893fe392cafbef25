/**
 * Caches the owners of secrets (API keys, sessions), so that the hot path needs no query.
 *
 * Entries are keyed by the secret's hash. When a row changes, a trigger sends the hash to the channel, and the
 * entry is dropped. While notifications may be missed, nothing is cached. So a revoked secret stops working within
 * a second in every process.
 */
import { sha256 } from '../crypto.ts';
import type { Listener } from './notifications.ts';

/** The notification payload that drops all entries. */
export const ALL_KEYS = '*';

export interface LookupCache<Value> {
  find(secret: string): Promise<Value | undefined>;
  /** Drops an entry right away, in the process that made the change. */
  forget(secret: string): void;
  listener: Listener;
}

const MAX_ENTRIES = 10_000;
/** Limits how long a revoked secret could work if its notification were lost. */
const FRESH_MS = 60_000;

/** `isListening` tells whether notifications arrive. Without them nothing is cached. */
export function createLookupCache<Value>(
  channel: string,
  isListening: () => boolean,
  load: (hash: Buffer) => Promise<Value | undefined>,
): LookupCache<Value> {
  const entries = new Map<string, { value: Value; freshUntilMs: number }>();
  // Counts invalidations: a value that was loaded before one must not be cached after it.
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
      onNotification: (hash) => (hash === ALL_KEYS ? dropAll() : drop(hash)),
      onGap: dropAll,
    },
  };
}
