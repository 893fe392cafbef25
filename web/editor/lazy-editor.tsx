import { lazy, Suspense, type ComponentProps } from 'react';
import { Skeleton } from '../ui/states.tsx';

const ContentEditor = lazy(async () => ({ default: (await import('./content-editor.tsx')).ContentEditor }));

/** Loads the editor when a page needs it, because it is large. */
export function LazyEditor(props: ComponentProps<typeof ContentEditor>) {
  return (
    <Suspense fallback={<Skeleton className="h-96" />}>
      <ContentEditor {...props} />
    </Suspense>
  );
}
