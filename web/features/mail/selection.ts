/** Which conversations of a list are ticked. What leaves the list leaves the selection. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Thread } from '../../../src/features/threads/threads.schema.ts';
import type { Row } from './thread-rows.ts';

export interface Selection {
  ids: ReadonlySet<string>;
  threads: readonly Thread[];
  /** Ticks or unticks one; with `range`, all between it and the one before. */
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
    const at = (id: string | null) => list.current.findIndex((row) => row?.id === id);
    const from = range ? at(last.current) : -1;
    last.current = threadId;
    setChosen((before) => {
      const next = new Set(before);
      if (from >= 0) {
        const [low, high] = [from, at(threadId)].toSorted((a, b) => a - b) as [number, number];
        for (const row of list.current.slice(low, high + 1)) if (row) next.add(row.id);
      } else if (!next.delete(threadId)) next.add(threadId);
      return next;
    });
  }, []);
  return {
    ids,
    threads,
    select,
    selectAll: () => setChosen(new Set(items.flatMap((row) => (row ? [row.id] : [])))),
    clear: () => setChosen(new Set()),
  };
}
