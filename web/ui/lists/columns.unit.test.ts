import { expect, test } from 'vitest';
import { actionColumn, timeColumn, tracksOf, type Column } from './columns.tsx';

const COLUMNS: Column<{ at: string }>[] = [
  { name: 'Name', width: 2, cell: () => '' },
  timeColumn('Made', ({ at }) => at),
  actionColumn('8rem', () => '', '2rem'),
];

test('columns share the width; on a phone some are left out or smaller', () => {
  expect(tracksOf(COLUMNS, false)).toBe('minmax(0, 2fr) 7rem 8rem');
  expect(tracksOf(COLUMNS, true)).toBe('minmax(0, 2fr) 2rem');
});
