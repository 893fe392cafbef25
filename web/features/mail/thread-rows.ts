/**
 * A list of threads of any length, of which parts are here. Rows that nobody has seen yet are holes; where the server
 * counts a folder, the list has its whole length from the start and can be entered anywhere.
 */
import type { Thread } from '../../../src/features/threads/threads.schema.ts';
import type { CursorPage } from '../../api/pages.ts';

export const PAGE_ROWS = 50;

export type Row = Thread | undefined;

export interface ThreadRows {
  rows: readonly Row[];
  /** Whether the number of rows is that of the threads, and not only what is known so far. */
  isCounted: boolean;
  /** Moves on whenever rows move: what was asked for by its place before that is somewhere else now. */
  shifts: number;
  /** How to go on behind a thread that ended a page. */
  cursors: ReadonlyMap<string, string>;
  /** Known, but changed since. */
  stale: ReadonlySet<string>;
}

type Page = CursorPage<Thread>;

/** `total` where it is known; else there is room for one page more, for as long as there is one. */
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
 * The newest page, on top of what is known. The last thread that both know tells how far the rest has moved; where
 * there is none, all below is asked for again when it comes into sight.
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

/** Each of these threads becomes what `change` makes of it, or leaves the list. */
export function changeRows(
  list: ThreadRows,
  ids: ReadonlySet<string>,
  change: (thread: Thread) => Thread | null,
): ThreadRows {
  const changed = list.rows.map((row) => (row && ids.has(row.id) ? change(row) : row));
  const rows = changed.filter((row) => row !== null);
  return { ...list, rows, shifts: list.shifts + (rows.length < changed.length ? 1 : 0) };
}

/** Below the first page, which a list asks for anew by itself. Without `ids`: everything. */
export function markStale(list: ThreadRows, ids?: ReadonlySet<string>): ThreadRows {
  const stale = new Set(list.stale);
  for (const row of list.rows.slice(PAGE_ROWS)) if (row && (!ids || ids.has(row.id))) stale.add(row.id);
  return { ...list, stale };
}

/** -1 where it is not, or not known to be. */
export function placeOf(rows: readonly Row[], threadId: string | undefined): number {
  return threadId === undefined ? -1 : rows.findIndex((row) => row?.id === threadId);
}

/** The first row from here to there that must be asked for, or -1. */
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
