import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, History, LogOut, Search } from 'lucide-react';
import { approvalCountQuery } from '../api/approval-count.ts';
import { useSession } from '../features/people/session.ts';
import { texts } from '../texts/en.ts';
import { ACTIVE_PLACE } from '../ui/active-place.ts';
import { Horn } from '../ui/horn.tsx';
import { KeyHint } from '../ui/key-hint.tsx';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { ABOUT_TO_OPEN_PALETTE } from './late-palette.tsx';
import { NAVIGATION } from './navigation.ts';
import { SandboxPill } from './sandbox-pill.tsx';
import { useSignOut } from './sign-out.ts';
import { TeamMenu } from './team-menu.tsx';
import { chooseTheme, THEMES, useTheme } from './theme.ts';

const t = texts.shell;

interface SidebarProps {
  onNavigate?(): void;
  openPalette(): void;
}

export function Sidebar({ onNavigate, openPalette }: SidebarProps) {
  const { role, team } = useSession();
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-14 shrink-0 items-center gap-2 px-4 font-semibold">
        <Horn className="size-5" />
        <span className="truncate">{team.name}</span>
      </div>
      <div className="px-3">
        <button
          type="button"
          onClick={openPalette}
          {...ABOUT_TO_OPEN_PALETTE}
          aria-keyshortcuts="Control+K Meta+K"
          className="flex h-8 w-full items-center gap-2 rounded-lg border pointer-coarse:h-10 border-line bg-raised px-2.5 text-soft hover:text-ink"
        >
          <Search aria-hidden className="size-4" />
          {t.palette}
          <KeyHint keys={t.paletteKeys} className="ml-auto h-5" />
        </button>
      </div>
      <nav aria-label={t.navigation} className="min-h-0 flex-1 overflow-y-auto px-3 pt-2.5 pb-2">
        {NAVIGATION.map(({ name, places }) => {
          const shown = places.filter((place) => !place.adminsOnly || role !== 'member');
          if (shown.length === 0) return null;
          return (
            <div key={name ?? ''} className="mb-3 last:mb-0">
              {name && <p className="px-2.5 pb-0.5 text-xs text-soft">{name}</p>}
              <ul>
                {shown.map(({ to, name: place, icon: Icon }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      onClick={onNavigate}
                      activeOptions={{ exact: to === '/' }}
                      activeProps={{ className: ACTIVE_PLACE }}
                      className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-soft hover:bg-hover hover:text-ink lg:h-7 pointer-coarse:h-10"
                    >
                      <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
                      {place}
                      {to === '/approvals' && <PendingApprovals />}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <AccountMenu />
    </div>
  );
}

/** How many emails of agents wait for a person. */
function PendingApprovals() {
  const { data } = useQuery(approvalCountQuery());
  if (!data || data.pending === 0) return null;
  return (
    <span className="ml-auto text-xs tabular-nums" aria-label={t.pending(data.pending)}>
      {texts.common.number(data.pending)}
    </span>
  );
}

export function AccountMenu() {
  const { user } = useSession();
  const theme = useTheme();
  const signOut = useSignOut();

  return (
    <div className="shrink-0 border-t border-line px-3 py-2">
      <SandboxPill className="mb-1 block text-center" />
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left hover:bg-hover"
          >
            <span
              aria-hidden
              className="flex size-7 shrink-0 items-center justify-center rounded-full bg-horn text-xs font-semibold text-[#23211d]"
            >
              {Array.from(user.name)[0]?.toUpperCase()}
            </span>
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{user.name}</span>
              <span className="block truncate text-xs text-soft">{user.email}</span>
            </span>
            <ChevronsUpDown aria-hidden className="size-4 text-soft" />
          </button>
        }
      >
        <TeamMenu />
        <MenuChoice
          label={t.theme}
          value={theme}
          options={THEMES.map((value) => [value, t.themes[value]] as const)}
          onChange={chooseTheme}
        />
        <MenuSeparator />
        <MenuItem icon={BookOpen} onSelect={() => window.open('/api/docs', '_blank', 'noopener')}>
          {t.docs}
        </MenuItem>
        <MenuItem
          icon={History}
          onSelect={() => window.open('/docs/guides/api-changes', '_blank', 'noopener')}
        >
          {t.apiChanges}
        </MenuItem>
        <MenuItem icon={LogOut} onSelect={() => void signOut()}>
          {t.signOut}
        </MenuItem>
      </Menu>
    </div>
  );
}
