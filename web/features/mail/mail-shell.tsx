/** What stands around webmail: only who is signed in gets here, and what is being written stays on every page of it. */
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SessionEnded } from '../../shell/session-ended.tsx';
import { ToSignIn } from '../../shell/to-sign-in.tsx';
import { sessionQuery } from '../people/session.ts';
import { useCompositions } from './compose/compositions.ts';
import { LateDock, usePreloadedComposer } from './compose/late-composer.tsx';
import { Outbox } from './outbox.tsx';

export function MailShell() {
  const { data: session } = useQuery(sessionQuery);
  const hasWindows = useCompositions().some(({ place }) => place === 'window');
  usePreloadedComposer();
  useEffect(() => {
    // The panes scroll, the page does not: no room is kept for its scrollbar.
    const root = document.documentElement;
    root.style.scrollbarGutter = 'auto';
    // What is written stands at the lower edge, with the buttons that send it.
    root.dataset.toasts = 'top';
    return () => {
      root.style.scrollbarGutter = '';
      delete root.dataset.toasts;
    };
  }, []);
  if (!session) return <ToSignIn />;
  return (
    <>
      <Outlet />
      {hasWindows && <LateDock />}
      <Outbox />
      <SessionEnded />
    </>
  );
}
