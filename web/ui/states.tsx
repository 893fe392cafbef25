/** Placeholders for content that is loading, empty or failed. */
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { describeError } from '../api/describe-error.ts';
import { useServerBack } from '../api/server-back.ts';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  text?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center rounded-xl border border-dashed border-line px-6 py-14 text-center">
      <Icon aria-hidden className="mb-3 size-7 text-soft" strokeWidth={1.5} />
      <p className="font-semibold">{title}</p>
      {text && <div className="mt-1 max-w-md text-soft">{text}</div>}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** Shown when a search or filter finds nothing. */
export function NothingFound({ clear, ...state }: Omit<EmptyStateProps, 'action'> & { clear(): void }) {
  return <EmptyState {...state} action={<Button onClick={clear}>{texts.common.clearFilters}</Button>} />;
}

/** Retries automatically when the server is back after a failure. */
export function ErrorState({ error, retry }: { error: unknown; retry?(): void }) {
  const isOffline = error instanceof ApiError && (error.code === 'OFFLINE' || error.status >= 500);
  useServerBack(() => retry?.(), isOffline && retry !== undefined);
  return (
    <div
      role="alert"
      className="flex flex-col items-center rounded-xl bg-bad-tint px-6 py-10 text-center text-bad"
    >
      <CircleAlert aria-hidden className="mb-2 size-6" />
      <p className="max-w-md">{describeError(error)}</p>
      {retry && !isCertain(error) && (
        <Button size="small" className="mt-4" onClick={retry}>
          {texts.common.tryAgain}
        </Button>
      )}
    </div>
  );
}

/** True if the response would be the same again. */
function isCertain(error: unknown): boolean {
  return error instanceof ApiError && [400, 403, 404].includes(error.status);
}

export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden className={`animate-pulse rounded-md bg-hover ${className}`} />;
}

/** Grey rows while a list loads. */
export function SkeletonRows({ count = 6 }: { count?: number }) {
  return (
    <div role="status" className="divide-y divide-line rounded-xl border border-line">
      <span className="sr-only">{texts.common.loading}</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="flex h-12 items-center gap-4 px-4">
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="h-3.5 w-1/5" />
          <Skeleton className="ml-auto h-3.5 w-16" />
        </div>
      ))}
    </div>
  );
}
