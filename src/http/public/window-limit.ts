/** Counts what happens in windows of time, by a key, per process. */

/** Limits the memory. The oldest windows are dropped first. */
const MAX_WINDOWS = 50_000;

interface WindowLimit {
  /** Counts one. Returns the seconds after which the next one is accepted; 0 if this one is. */
  count(key: string, most: number, windowMs: number): number;
}

export function createWindowLimit(now: () => number = () => performance.now()): WindowLimit {
  const windows = new Map<string, { endsMs: number; used: number }>();
  return {
    count(key, most, windowMs) {
      const nowMs = now();
      let window = windows.get(key);
      if (!window || window.endsMs <= nowMs) {
        windows.delete(key);
        if (windows.size >= MAX_WINDOWS) windows.delete(windows.keys().next().value!);
        window = { endsMs: nowMs + windowMs, used: 0 };
        windows.set(key, window);
      }
      if (window.used >= most) return Math.ceil((window.endsMs - nowMs) / 1000);
      window.used += 1;
      return 0;
    },
  };
}
