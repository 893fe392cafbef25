import { useRouterState } from '@tanstack/react-router';

/**
 * True from a press on a link until its page is shown. The page before stays on the screen while the next one loads; it
 * must not navigate by itself, because that would cancel the press.
 */
export function useIsLeaving(): boolean {
  return useRouterState({
    select: ({ isLoading, location, resolvedLocation }) =>
      isLoading && resolvedLocation !== undefined && resolvedLocation.pathname !== location.pathname,
  });
}
