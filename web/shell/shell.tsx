/** The frame of every page after signing in. On a phone the sidebar is a drawer. */
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../features/people/session.ts';
import { texts } from '../texts/en.ts';
import { Drawer } from '../ui/dialogs/drawer.tsx';
import { useIsLeaving } from '../ui/use-is-leaving.ts';
import { LatePalette, usePaletteKey } from './late-palette.tsx';
import { Notices } from './notices.tsx';
import { SandboxPill } from './sandbox-pill.tsx';
import { SessionEnded } from './session-ended.tsx';
import { Sidebar } from './sidebar.tsx';
import { SkipLink } from './skip-link.tsx';
import { ToSignIn } from './to-sign-in.tsx';

const t = texts.shell;

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const isLeaving = useIsLeaving();
  usePaletteKey(setPaletteOpen);
  if (!session) return <ToSignIn />;
  const openPalette = () => setPaletteOpen(true);
  return (
    <>
      <SkipLink />
      <aside className="fixed inset-y-0 left-0 hidden w-60 border-r border-line bg-panel lg:block print:hidden">
        <Sidebar openPalette={openPalette} />
      </aside>
      <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-paper px-2 lg:hidden print:hidden">
        <Drawer title={t.navigation} label={t.openNavigation}>
          {(close) => (
            <Sidebar
              onNavigate={close}
              openPalette={() => {
                close();
                openPalette();
              }}
            />
          )}
        </Drawer>
        <span className="truncate font-semibold">{session.team.name}</span>
        <SandboxPill className="ml-auto shrink-0" />
      </header>
      {/* The page that is being left takes no more input: its menus would close with it while they open. */}
      <main id="content" tabIndex={-1} inert={isLeaving} className="outline-none lg:pl-60 print:pl-0">
        {session.role !== 'member' && <Notices />}
        <Outlet />
      </main>
      <SessionEnded />
      {paletteOpen && <LatePalette onClose={() => setPaletteOpen(false)} />}
    </>
  );
}
