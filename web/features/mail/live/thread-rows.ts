/**
 * A list of threads of any length that is partly loaded. Rows that are not loaded are holes. If the server counts
 * the folder, the list has its full length from the start.
 */
import type { Thread } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import type { CursorPage } from '../../../api/pages.ts';

export const PAGE_ROWS = 50;

export type Row = Thread | undefined;

export interface ThreadRows {
  rows: readonly Row[];
  /** True if the number of rows is the number of threads, and not only the number that is known so far. */
  isCounted: boolean;
  /** Increases whenever rows move. A position that was requested before that is no longer valid. */
  shifts: number;
  /** The cursors for the rows after each thread that ended a page. */
  cursors: ReadonlyMap<string, string>;
  /** Threads that are loaded but have changed since. */
  stale: ReadonlySet<string>;
}

type Page = CursorPage<Thread>;

/** Uses `total` if it is known. Otherwise the list has space for one more page while there is one. */
export function beginRows(head: Page, total: number | null): ThreadRows {
  const known: ThreadRows = {
    rows: [],
    isCounted: total !== null,
    shifts: 0,
    cursors: new Map(),
    stale: new Set(),
  };
  const length = head.next_cursor === null ? 0 : (total ?? 0);
  return fillRows({ ...known, rows: holes(length) }, 0, head);
}

export function fillRows(list: ThreadRows, start: number, { items, next_cursor }: Page): ThreadRows {
  const end = start + items.length;
  const isIn = new Set(items.map(({ id }) => id));
  const rows = list.rows.map((row) => (row && isIn.has(row.id) ? undefined : row));
  rows.length = Math.max(rows.length, start);
  rows.splice(start, items.length, ...items);
  const cursors = new Map(list.cursors);
  if (next_cursor === null) rows.length = end;
  else {
    cursors.set(items.at(-1)!.id, next_cursor);
    if (rows.length <= end) rows.push(...holes(PAGE_ROWS));
  }
  const stale = new Set([...list.stale].filter((id) => !isIn.has(id)));
  return { ...list, rows, cursors, stale, isCounted: list.isCounted || next_cursor === null };
}

/**
 * Merges the newest page into the list. The last thread that both contain shows how far the rest has moved. If
 * there is none, everything below is loaded again when it is visible.
 */
export function joinHead(list: ThreadRows, head: Page): ThreadRows {
  const { items } = head;
  if (head.next_cursor === null) return { ...beginRows(head, items.length), shifts: list.shifts + 1 };
  const place = new Map(list.rows.map((row, at) => [row?.id, at]));
  const common = items.findLastIndex(({ id }) => place.has(id));
  const moved = common < 0 ? null : common - place.get(items[common]!.id)!;
  const isIn = new Set(items.map(({ id }) => id));
  const below =
    moved === null
      ? holes(Math.max(0, list.rows.length - items.length))
      : list.rows.slice(Math.max(0, items.length - moved)).filter((row) => !row || !isIn.has(row.id));
  const hasMoved = items.some(({ id }, at) => list.rows[at]?.id !== id);
  const rows = [...items, ...below];
  return fillRows({ ...list, rows, shifts: list.shifts + (hasMoved ? 1 : 0) }, 0, head);
}

/** Replaces each of these threads by the result of `change`, or removes it if the result is null. */
export function changeRows(
  list: ThreadRows,
  ids: ReadonlySet<string>,
  change: (thread: Thread) => Thread | null,
): ThreadRows {
  const changed = list.rows.map((row) => (row && ids.has(row.id) ? change(row) : row));
  const rows = changed.filter((row) => row !== null);
  return { ...list, rows, shifts: list.shifts + (rows.length < changed.length ? 1 : 0) };
}

/** Marks rows below the first page, which the list refetches anyway. Without `ids`, marks all rows. */
export function markStale(list: ThreadRows, ids?: ReadonlySet<string>): ThreadRows {
  const stale = new Set(list.stale);
  for (const row of list.rows.slice(PAGE_ROWS)) if (row && (!ids || ids.has(row.id))) stale.add(row.id);
  return { ...list, stale };
}

/** Returns -1 if the thread is not in the list or not loaded. */
export function placeOf(rows: readonly Row[], threadId: string | undefined): number {
  return threadId === undefined ? -1 : rows.findIndex((row) => row?.id === threadId);
}

/** Returns the first row in the range that has to be loaded, or -1. */
export function firstMissing({ rows, stale }: ThreadRows, from: number, to: number): number {
  for (let at = Math.max(0, from); at < Math.min(to, rows.length); at += 1) {
    const row = rows[at];
    if (!row || stale.has(row.id)) return at;
  }
  return -1;
}

function holes(count: number): undefined[] {
  return Array.from<undefined>({ length: count });
}
