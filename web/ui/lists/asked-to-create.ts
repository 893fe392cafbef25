import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The address ends in `#new` where a link leads to the dialog for a new item, as the command palette does. */
export const CREATE_HASH = 'new';

export function useAskedToCreate(open: () => void): void {
  const navigate = useNavigate();
  const isAsked = useLocation({ select: ({ hash }) => hash === CREATE_HASH });
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (!isAsked) return;
    latest.current();
    // So that reloading the page, or going back to it, does not open the dialog again.
    void navigate({ to: '.', search: true, hash: '', replace: true } as Parameters<typeof navigate>[0]);
  }, [isAsked, navigate]);
}
