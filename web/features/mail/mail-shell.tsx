/** The frame of webmail. It requires a signed-in user, and open composers stay on all of its pages. */
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { LatePalette, usePaletteKey } from '../../shell/late-palette.tsx';
import { SessionEnded } from '../../shell/session-ended.tsx';
import { ToSignIn } from '../../shell/to-sign-in.tsx';
import { sessionQuery } from '../people/session.ts';
import { useCompositions } from './compose/compositions.ts';
import { LateDock } from './compose/late-composer.tsx';
import { Outbox } from './list/outbox.tsx';

export function MailShell() {
  const { data: session } = useQuery(sessionQuery);
  const hasWindows = useCompositions().some(({ place }) => place === 'window');
  const [paletteOpen, setPaletteOpen] = useState(false);
  usePaletteKey(setPaletteOpen);
  useOpenedNotifications();
  useEffect(() => {
    // The panes scroll, not the page, so reserve no space for its scrollbar.
    const root = document.documentElement;
    root.style.scrollbarGutter = 'auto';
    // Composers and their buttons are at the bottom, so toasts are at the top.
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
      {paletteOpen && <LatePalette onClose={() => setPaletteOpen(false)} />}
    </>
  );
}

/** The service worker asks for the conversation of a notification that was clicked. */
function useOpenedNotifications(): void {
  const { history } = useRouter();
  useEffect(() => {
    const open = ({ data }: MessageEvent<{ type?: string; url?: string } | null>) => {
      if (data?.type === 'open' && data.url?.startsWith('/mail')) history.push(data.url);
    };
    const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
    serviceWorker?.addEventListener('message', open);
    return () => serviceWorker?.removeEventListener('message', open);
  }, [history]);
}
