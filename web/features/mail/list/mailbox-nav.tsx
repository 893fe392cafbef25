/** The first pane: mailboxes and folders. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  AtSign,
  Bell,
  Check,
  ChevronsUpDown,
  Folder,
  FolderPlus,
  Keyboard,
  LayoutDashboard,
  MessageSquareText,
  MailQuestionMark,
  MonitorSmartphone,
  Plane,
  PenLine,
  Plus,
  Settings2,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { mailboxesQuery } from '../../../api/mailboxes.ts';
import { texts } from '../../../texts/en.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { notifyTexts } from '../../../texts/en/mail-notify.ts';
import { AccountMenu } from '../../../shell/sidebar.tsx';
import { ACTIVE_PLACE } from '../../../ui/active-place.ts';
import { Button } from '../../../ui/button.tsx';
import { Horn } from '../../../ui/horn.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { approvalCountQuery } from '../../../api/approval-count.ts';
import { compose } from '../compose/compositions.ts';
import { ABOUT_TO_WRITE } from '../compose/late-composer.tsx';
import { FOLDERS, foldersQuery } from '../live/mail-api.ts';
import { LabelLinks } from '../team/label-links.tsx';
import { FOLDER_ICONS } from '../parts/folder-icons.ts';
import { openMailDialog, type MailDialog } from '../parts/mail-dialogs.ts';

const t = mailTexts.nav;
interface MailboxNavProps {
  mailbox: Mailbox;
  onNavigate?(): void;
}

/** On a phone the navigation would stay open behind the dialog. */
function openDialog(dialog: MailDialog, onNavigate: (() => void) | undefined): void {
  onNavigate?.();
  openMailDialog(dialog);
}

export function MailboxNav({ mailbox, onNavigate }: MailboxNavProps) {
  const { data: counts = [] } = useQuery(foldersQuery(mailbox.id));
  return (
    <div className="flex h-full flex-col">
      <div className="p-3 pb-2">
        <MailboxMenu mailbox={mailbox} onNavigate={onNavigate} />
        <Button
          look="primary"
          icon={PenLine}
          {...ABOUT_TO_WRITE}
          aria-keyshortcuts="c"
          className="mt-3 w-full"
          onClick={() => {
            onNavigate?.();
            compose(mailbox.id);
          }}
        >
          {t.compose}
        </Button>
      </div>
      <nav aria-label={t.label} className="min-h-0 flex-1 overflow-y-auto px-3 py-2">
        <ul>
          {FOLDERS.map((folder) => {
            const Icon = FOLDER_ICONS[folder];
            const count = counts.find((each) => each.folder === folder);
            const isCounted = folder === 'drafts' || folder === 'scheduled';
            const shown =
              (isCounted ? count?.total : folder === 'inbox' || folder === 'spam' ? count?.unread : 0) ?? 0;
            return (
              <li key={folder}>
                <Link
                  to="/mail/$mailboxId/$folder"
                  params={{ mailboxId: mailbox.id, folder }}
                  search={{}}
                  onClick={onNavigate}
                  activeOptions={{ includeSearch: false }}
                  activeProps={{ className: ACTIVE_PLACE }}
                  className="flex h-8 pointer-coarse:h-10 items-center gap-2.5 rounded-lg px-2.5 text-soft hover:bg-hover hover:text-ink"
                >
                  <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
                  {mailTexts.folders[folder]}
                  {shown > 0 && (
                    <span
                      className="ml-auto text-xs tabular-nums"
                      aria-label={isCounted ? t.waiting(shown) : t.unread(shown)}
                    >
                      {texts.common.number(shown)}
                    </span>
                  )}
                </Link>
              </li>
            );
          })}
          <ApprovalsLink mailbox={mailbox} onNavigate={onNavigate} />
        </ul>
        <OwnFolders mailboxId={mailbox.id} onNavigate={onNavigate} />
        <LabelLinks mailboxId={mailbox.id} linkClass={navItem} onNavigate={onNavigate} />
        <ul className="mt-4 border-t border-line pt-4">
          <NavButton icon={MessageSquareText} onClick={() => openDialog('saved-replies', onNavigate)}>
            {t.savedReplies}
          </NavButton>
          <NavButton icon={Keyboard} onClick={() => openDialog('shortcuts', onNavigate)}>
            {t.shortcuts}
          </NavButton>
          <li>
            <Link to="/" className={navItem}>
              <LayoutDashboard aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
              {t.dashboard}
            </Link>
          </li>
        </ul>
      </nav>
      <AccountMenu />
    </div>
  );
}

/** Shown once an agent has asked for approval in this mailbox. */
function ApprovalsLink({ mailbox, onNavigate }: MailboxNavProps) {
  const mayDecide = mailbox.role === 'reply' || mailbox.role === 'manage';
  const { data } = useQuery({ ...approvalCountQuery(mailbox.id), enabled: mayDecide });
  if (!data?.any) return null;
  return (
    <li>
      <Link
        to="/mail/$mailboxId/approvals"
        params={{ mailboxId: mailbox.id }}
        search={{}}
        onClick={onNavigate}
        activeOptions={{ includeSearch: false }}
        activeProps={{ className: ACTIVE_PLACE }}
        className={navItem}
      >
        <MailQuestionMark aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        {t.approvals}
        {data.pending > 0 && (
          <span className="ml-auto text-xs tabular-nums" aria-label={t.waiting(data.pending)}>
            {texts.common.number(data.pending)}
          </span>
        )}
      </Link>
    </li>
  );
}

/** The folders that people created. A folder inside another is indented and shows only its own part of the name. */
function OwnFolders({ mailboxId, onNavigate }: { mailboxId: string; onNavigate?: (() => void) | undefined }) {
  const { data = [] } = useQuery(foldersQuery(mailboxId));
  return (
    <ul aria-label={t.folders} className="mt-4 border-t border-line pt-4">
      {data
        .filter(({ role }) => role === null)
        .map(({ id, name, unread }) => {
          const levels = name.split('/');
          return (
            <li key={id}>
              <Link
                to="/mail/$mailboxId/$folder"
                params={{ mailboxId, folder: id }}
                search={{}}
                onClick={onNavigate}
                activeOptions={{ includeSearch: false }}
                activeProps={{ className: ACTIVE_PLACE }}
                className={navItem}
                style={{ paddingLeft: `${0.625 + 0.75 * Math.min(levels.length - 1, 6)}rem` }}
              >
                <Folder aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
                <span className="truncate" title={name}>
                  <bdi>{levels.at(-1)}</bdi>
                </span>
                {unread > 0 && (
                  <span className="ml-auto text-xs tabular-nums" aria-label={t.unread(unread)}>
                    {texts.common.number(unread)}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      <NavButton
        icon={FolderPlus}
        onClick={() => {
          openDialog('new-folder', onNavigate);
        }}
      >
        {t.newFolder}
      </NavButton>
    </ul>
  );
}

const navItem =
  'flex h-8 pointer-coarse:h-10 w-full items-center gap-2.5 rounded-lg px-2.5 text-soft hover:bg-hover hover:text-ink text-left';

function NavButton({
  icon: Icon,
  onClick,
  children,
}: {
  icon: LucideIcon;
  onClick(): void;
  children: string;
}) {
  return (
    <li>
      <button type="button" onClick={onClick} className={navItem}>
        <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        {children}
      </button>
    </li>
  );
}

function MailboxMenu({ mailbox, onNavigate }: MailboxNavProps) {
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const navigate = useNavigate();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2 rounded-lg px-2 py-1.5 text-left hover:bg-hover"
        >
          <Horn className="size-5" />
          <span className="min-w-0 flex-1">
            <span className="sr-only">{t.mailbox} </span>
            <span className="block truncate font-semibold">
              {mailbox.name ?? mailbox.address.split('@')[0]}
            </span>
            <span className="block truncate text-xs text-soft">{mailbox.address}</span>
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-soft" />
        </button>
      }
    >
      {mailboxes.map(({ id, address }) => (
        <MenuItem
          key={id}
          onSelect={() => {
            onNavigate?.();
            void navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId: id, folder: 'inbox' } });
          }}
        >
          <span className="size-4 shrink-0">
            {id === mailbox.id && <Check aria-hidden className="size-4" />}
          </span>
          {address}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={Settings2} onSelect={() => openDialog('settings', onNavigate)}>
        {t.settings}
      </MenuItem>
      <MenuItem icon={Plane} onSelect={() => openDialog('automatic-reply', onNavigate)}>
        {t.automaticReply}
      </MenuItem>
      <MenuItem icon={Workflow} onSelect={() => openDialog('rules', onNavigate)}>
        {arrivalTexts.rules.title}
      </MenuItem>
      <MenuItem icon={AtSign} onSelect={() => openDialog('addresses', onNavigate)}>
        {arrivalTexts.addresses.title}
      </MenuItem>
      <MenuItem icon={Bell} onSelect={() => openDialog('notifications', onNavigate)}>
        {notifyTexts.title}
      </MenuItem>
      <MenuItem icon={MonitorSmartphone} onSelect={() => openDialog('mail-programs', onNavigate)}>
        {t.mailPrograms}
      </MenuItem>
      <MenuItem icon={Plus} onSelect={() => openDialog('new-mailbox', onNavigate)}>
        {t.newMailbox}
      </MenuItem>
    </Menu>
  );
}
