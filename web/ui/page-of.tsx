/** The page of one item: a placeholder while it loads, or the error. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasFailed } from '../api/has-failed.ts';
import { Page, type PageProps } from './page.tsx';
import { ErrorState, SkeletonRows } from './states.tsx';

interface PageOfProps<Data> extends Pick<PageProps, 'title' | 'back'> {
  query: UseQueryResult<Data>;
  /** Renders the whole page. */
  children(data: Data): ReactNode;
}

export function PageOf<Data>({ title, back, query, children }: PageOfProps<Data>) {
  if (query.isPending) return <Page title={title} back={back} children={<SkeletonRows />} />;
  if (!hasFailed(query)) return children(query.data);
  return (
    <Page title={title} back={back}>
      <ErrorState error={query.error} retry={() => void query.refetch()} />
    </Page>
  );
}
