/** What was changed, so that it can be undone and done again. Typing in one field is one change. */
export interface History<State> {
  past: readonly State[];
  now: State;
  future: readonly State[];
  /** What the last change was of, and when. */
  last: { of: string; at: number } | null;
}

const MOST = 200;
const TOGETHER_MS = 1_500;

export function beginHistory<State>(now: State): History<State> {
  return { past: [], now, future: [], last: null };
}

/** Changes of the same thing soon after each other are undone together. */
export function change<State>(
  history: History<State>,
  now: State,
  { of, at }: { of: string; at: number },
): History<State> {
  const { last, past } = history;
  const isTogether = of !== '' && last?.of === of && at - last.at < TOGETHER_MS;
  return {
    past: isTogether ? past : [...past, history.now].slice(-MOST),
    now,
    future: [],
    last: { of, at },
  };
}

export function undo<State>({ past, now, future }: History<State>): History<State> {
  if (past.length === 0) return { past, now, future, last: null };
  return { past: past.slice(0, -1), now: past.at(-1)!, future: [now, ...future], last: null };
}

export function redo<State>({ past, now, future }: History<State>): History<State> {
  if (future.length === 0) return { past, now, future, last: null };
  return { past: [...past, now], now: future[0]!, future: future.slice(1), last: null };
}
