/** A list that is short and known whole. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasFailed } from '../api/has-failed.ts';
import { ErrorState, SkeletonRows } from './states.tsx';

interface RowsProps<Data> {
  label: string;
  query: UseQueryResult<Data>;
  items(data: Data): readonly unknown[];
  empty: ReactNode;
  children: (data: Data) => ReactNode;
}

export function Rows<Data>({ label, query, items, empty, children }: RowsProps<Data>) {
  if (query.isPending) return <SkeletonRows count={4} />;
  if (hasFailed(query)) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (items(query.data).length === 0) return empty;
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-xl border border-line">
      {children(query.data)}
    </ul>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">{children}</li>;
}

/** What a row is called, and a word about it. */
export function RowName({ name, note }: { name: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0 flex-1 basis-48">
      <div className="truncate font-medium">{name}</div>
      {note && <div className="truncate text-[0.8125rem] text-soft">{note}</div>}
    </div>
  );
}
