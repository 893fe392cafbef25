/**
 * Remembers when keys, passwords and sessions were last used, so that one statement every few seconds can write it
 * for all of them. Times are on the monotonic clock of the process. The statement gets ages and subtracts them from
 * the database's time.
 */
export interface LastUsed<Details extends object> {
  note(id: string, details: Details): void;
  /** Returns everything that was used since the last call, and forgets it. */
  take(): ({ id: string; ageMs: number } & Details)[];
}

export function createLastUsed<Details extends object>(): LastUsed<Details> {
  const latest = new Map<string, { atMs: number; details: Details }>();
  return {
    note(id, details) {
      latest.set(id, { atMs: performance.now(), details });
    },
    take() {
      const nowMs = performance.now();
      const used = [...latest].map(([id, { atMs, details }]) => ({ id, ageMs: nowMs - atMs, ...details }));
      latest.clear();
      return used;
    },
  };
}
