import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The address ends in `#new` if a link, such as one of the command palette, should open the dialog for a new item. */
export const CREATE_HASH = 'new';

export function useAskedToCreate(open: () => void): void {
  const navigate = useNavigate();
  const isAsked = useLocation({ select: ({ hash }) => hash === CREATE_HASH });
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (!isAsked) return;
    latest.current();
    // Reloading the page, or going back to it, must not open the dialog again.
    void navigate({ to: '.', search: true, hash: '', replace: true } as Parameters<typeof navigate>[0]);
  }, [isAsked, navigate]);
}
