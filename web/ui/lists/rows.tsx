/** A short list that is loaded as a whole. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasFailed } from '../../api/has-failed.ts';
import { ErrorState, SkeletonRows } from '../states.tsx';

interface RowsProps<Data, Item> {
  label: string;
  query: UseQueryResult<Data>;
  items(data: Data): readonly Item[];
  empty: ReactNode;
  /** Returns a `Row` with a key. */
  children: (item: Item) => ReactNode;
}

export function Rows<Data, Item>({ label, query, items, empty, children }: RowsProps<Data, Item>) {
  if (query.isPending) return <SkeletonRows count={4} />;
  if (hasFailed(query)) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const shown = items(query.data);
  if (shown.length === 0) return empty;
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-xl border border-line">
      {shown.map(children)}
    </ul>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">{children}</li>;
}

/** The name of a row and a note about it. */
export function RowName({ name, note }: { name: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0 flex-1 basis-40 sm:basis-48">
      <div className="truncate font-medium pointer-coarse:-my-3 pointer-coarse:py-3">{name}</div>
      {note && <div className="text-note text-soft max-sm:line-clamp-2 sm:truncate">{note}</div>}
    </div>
  );
}
