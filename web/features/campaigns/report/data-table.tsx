/** A short table of figures. */
import type { ReactNode } from 'react';
import { classes } from '../../../ui/classes.ts';

interface DataColumn<Item> {
  name: string;
  isNumber?: boolean;
  /** Left out on a phone. */
  wideOnly?: boolean;
  cell(item: Item): ReactNode;
}

interface DataTableProps<Item> {
  label: string;
  rows: readonly Item[];
  keyOf(item: Item): string;
  columns: readonly DataColumn<Item>[];
  empty: string;
  /** Highlights a row. */
  isMarked?(item: Item): boolean;
}

export function DataTable<Item>({ label, rows, keyOf, columns, empty, isMarked }: DataTableProps<Item>) {
  if (rows.length === 0) {
    return <p className="rounded-xl border border-line bg-raised px-4 py-6 text-center text-soft">{empty}</p>;
  }
  const cellClasses = ({ isNumber, wideOnly }: DataColumn<Item>) =>
    classes(
      'px-3 py-2 first:pl-4 last:pr-4',
      isNumber
        ? 'text-right whitespace-nowrap tabular-nums print:px-2'
        : 'text-left [overflow-wrap:anywhere] first:min-w-28',
      wideOnly && 'max-sm:hidden',
    );
  return (
    <div className="overflow-x-auto rounded-xl border border-line bg-raised">
      <table aria-label={label} className="w-full print:text-[0.6875rem]">
        <thead>
          <tr className="border-b border-line text-[0.8125rem] text-soft print:text-[0.6875rem]">
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classes('font-normal', cellClasses(column))}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className={classes(isMarked?.(row) && 'bg-hover font-medium')}>
              {columns.map((column) => (
                <td key={column.name} className={cellClasses(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
