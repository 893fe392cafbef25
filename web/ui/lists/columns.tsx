/** The columns of a list, and those that many lists have. */
import type { ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { Time } from '../dates/time.tsx';

export interface Column<Item> {
  name: string;
  /** A share of the remaining width, or a track of the grid such as `7rem`. */
  width: number | string;
  /** The width on a phone. */
  narrowWidth?: string;
  /** Hidden on a phone. */
  wideOnly?: boolean;
  /** True for a column of buttons. Only screen readers get its name. */
  forActions?: boolean;
  /** Shown in the head instead of the name. */
  head?: ReactNode;
  cell(item: Item): ReactNode;
}

export function timeColumn<Item>(
  name: string,
  timeOf: (item: Item) => string | null,
  {
    width = '7rem',
    wideOnly = true,
    none = '',
  }: { width?: number | string; wideOnly?: boolean; none?: string } = {},
): Column<Item> {
  return {
    name,
    width,
    wideOnly,
    cell: (item) => {
      const at = timeOf(item);
      return <span className="text-soft">{at === null ? none : <Time at={at} />}</span>;
    },
  };
}

/** Returns the last column, with the buttons of a row. */
export function actionColumn<Item>(
  width: string,
  cell: (item: Item) => ReactNode,
  narrowWidth: string = width,
): Column<Item> {
  return { name: texts.common.more, forActions: true, width, narrowWidth, cell };
}

/** Returns the tracks of the grid. */
export function tracksOf<Item>(columns: readonly Column<Item>[], isNarrow: boolean): string {
  return columns
    .filter(({ wideOnly }) => !(isNarrow && wideOnly))
    .map(({ width, narrowWidth }) => (isNarrow && narrowWidth) || toTrack(width))
    .join(' ');
}

function toTrack(width: number | string): string {
  return typeof width === 'number' ? `minmax(0, ${width}fr)` : width;
}
