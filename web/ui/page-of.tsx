/** The page of one thing: until it is there a place for it, or why there is nothing to show. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasFailed } from '../api/has-failed.ts';
import { Page, type PageProps } from './page.tsx';
import { ErrorState, SkeletonRows } from './states.tsx';

interface PageOfProps<Data> extends Pick<PageProps, 'title' | 'back'> {
  query: UseQueryResult<Data>;
  /** A page of its own. */
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
