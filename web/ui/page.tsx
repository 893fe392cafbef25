import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { texts } from '../texts/en.ts';
import { classes } from './classes.ts';
import { GuideLink, type Guide } from './guide-link.tsx';
import { lastSearch } from './last-search.ts';
import { PageActions } from './page-actions.tsx';

export interface PageProps {
  title: string;
  /** Shown beside the title, such as a badge. */
  mark?: ReactNode;
  description?: ReactNode;
  /** The guide that explains the page. */
  guide?: Guide;
  actions?: ReactNode;
  back?: { to: LinkProps['to']; params?: Record<string, string>; label: string };
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, mark, description, guide, actions, back, wide, children }: PageProps) {
  useTitle(title);
  return (
    // All pages have the same left edge; a narrow page ends earlier on the right.
    <div className="mx-auto w-full max-w-canvas px-4 py-6 sm:px-8 sm:py-8">
      <div className={wide ? undefined : 'max-w-page'}>
        {back && (
          <Link
            to={back.to}
            params={back.params as never}
            search={lastSearch(pathOf(back)) as never}
            className="mb-2 -ml-1 inline-flex items-center gap-0.5 rounded text-soft hover:text-ink pointer-coarse:-mt-2 pointer-coarse:mb-0 pointer-coarse:h-10"
          >
            <ChevronLeft aria-hidden className="size-4" />
            {back.label}
          </Link>
        )}
        <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          {/* The title shrinks to this width before the actions wrap below it. */}
          <div className="min-w-0 flex-[1_1_16rem]">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <h1 className="min-w-0 text-title font-semibold break-words">{title}</h1>
              {mark}
            </div>
            {(description || guide) && (
              <div className="mt-1 max-w-2xl text-pretty text-soft">
                {description} {guide && <GuideLink guide={guide} />}
              </div>
            )}
          </div>
          {actions && (
            // On a phone the main action, which is the last, comes first on a line of its own.
            <PageActions className="flex flex-wrap gap-2 max-sm:flex-row-reverse max-sm:flex-wrap-reverse max-sm:justify-end">
              {actions}
            </PageActions>
          )}
        </div>
        {children}
      </div>
    </div>
  );
}

/** The path of a link with its parameters filled in. */
export function pathOf({ to = '/', params = {} }: NonNullable<PageProps['back']>): string {
  return to.replaceAll(/\$(\w+)/g, (_tag, name: string) => params[name] ?? '');
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${texts.common.product}`;
  }, [title]);
}

interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 className="text-base font-semibold tracking-tight">{title}</h2>
          {description && <p className="max-w-2xl text-soft">{description}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes('rounded-xl border border-line bg-raised p-5', className)}>{children}</div>;
}
