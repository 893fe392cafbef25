/** A page around one thing that is written: a narrow head that stays, and everything else for the thing itself. */
import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { lastSearch } from './last-search.ts';
import { PageActions } from './page-actions.tsx';
import { pathOf, useTitle, type PageProps } from './page.tsx';

interface CanvasPageProps extends Pick<PageProps, 'title' | 'mark' | 'actions' | 'children'> {
  back: NonNullable<PageProps['back']>;
  /** Whether everything is saved. */
  state: ReactNode;
}

export function CanvasPage({ title, mark, state, actions, back, children }: CanvasPageProps) {
  useTitle(title);
  return (
    <div className="canvas-page">
      <header className="z-20 border-b border-line bg-paper lg:sticky lg:top-0 print:hidden">
        <div className="mx-auto flex w-full max-w-canvas flex-wrap items-center gap-x-2.5 gap-y-2 px-4 py-2.5 sm:px-8 lg:min-h-14">
          <Link
            to={back.to}
            params={back.params as never}
            search={lastSearch(pathOf(back)) as never}
            aria-label={back.label}
            title={back.label}
            className="-ml-2 inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink pointer-coarse:size-10"
          >
            <ChevronLeft aria-hidden className="size-4.5" />
          </Link>
          <h1 className="min-w-0 truncate text-base font-semibold max-sm:flex-1">{title}</h1>
          <span className="shrink-0">{mark}</span>
          <span className="min-w-0 flex-1 truncate text-note text-soft max-sm:order-last max-sm:basis-full">
            {state}
          </span>
          {actions && <PageActions className="flex flex-wrap gap-2 max-sm:basis-full">{actions}</PageActions>}
        </div>
      </header>
      <div className="mx-auto w-full max-w-canvas px-4 pt-3 pb-8 sm:px-8">{children}</div>
    </div>
  );
}
