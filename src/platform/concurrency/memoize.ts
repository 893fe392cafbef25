/**
 * Limits repeated lookups during a flood of mail from one network or to one address. After 50 lookups of one key
 * within a second, further callers get the last result until the second is over. Below that rate every caller gets a
 * fresh result.
 */
export type Memoizer<Result> = (key: string, load: () => Promise<Result>) => Promise<Result>;

const WINDOW_MS = 1_000;
const MAX_LOADS_PER_WINDOW = 50;
const MAX_KEYS = 5_000;

interface Window<Result> {
  startMs: number;
  calls: number;
  result: Promise<Result>;
}

export function createMemoizer<Result>(now: () => number = Date.now): Memoizer<Result> {
  const windows = new Map<string, Window<Result>>();

  return (key, load) => {
    let window = windows.get(key);
    if (window && now() - window.startMs < WINDOW_MS) {
      window.calls += 1;
      if (window.calls > MAX_LOADS_PER_WINDOW) return window.result;
      window.result = load();
    } else {
      windows.delete(key);
      // Maps keep insertion order, so the first key has the oldest window.
      if (windows.size >= MAX_KEYS) windows.delete(windows.keys().next().value!);
      window = { startMs: now(), calls: 1, result: load() };
      windows.set(key, window);
    }
    return window.result;
  };
}
