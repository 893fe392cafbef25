/** The selected conversations of a list. One that leaves the list is deselected. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import type { Row } from '../live/thread-rows.ts';

export interface Selection {
  ids: ReadonlySet<string>;
  threads: readonly Thread[];
  /** Selects or deselects a thread; with `range`, all between it and the previous one. */
  select(threadId: string, range: boolean): void;
  selectAll(): void;
  clear(): void;
}

export function useSelection(items: readonly Row[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const list = useRef(items);
  list.current = items;
  const threads = useMemo(
    () => (chosen.size === 0 ? [] : items.flatMap((row) => (row && chosen.has(row.id) ? [row] : []))),
    [items, chosen],
  );
  const ids = useMemo(() => new Set(threads.map(({ id }) => id)), [threads]);
  const select = useCallback((threadId: string, range: boolean) => {
    const from = range ? last.current : null;
    last.current = threadId;
    setChosen((before) => nextSelection(before, list.current, threadId, from));
  }, []);
  return {
    ids,
    threads,
    select,
    selectAll: () => setChosen(new Set(items.flatMap((row) => (row ? [row.id] : [])))),
    clear: () => setChosen(new Set()),
  };
}

/**
 * Adds all rows between `from` and the thread. Without `from`, or if it is no longer in the list, toggles only the
 * thread.
 */
export function nextSelection(
  before: ReadonlySet<string>,
  rows: readonly Row[],
  threadId: string,
  from: string | null,
): ReadonlySet<string> {
  const at = (id: string | null) => rows.findIndex((row) => row?.id === id);
  const next = new Set(before);
  if (from !== null && at(from) >= 0) {
    const [low, high] = [at(from), at(threadId)].toSorted((a, b) => a - b) as [number, number];
    for (const row of rows.slice(low, high + 1)) if (row) next.add(row.id);
  } else if (!next.delete(threadId)) next.add(threadId);
  return next;
}
