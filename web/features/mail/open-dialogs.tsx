/** The dialog and the picker that are open, on every page of webmail. Most are loaded when they are first needed. */
import { lazy, Suspense } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { NewFolderDialog } from './list/folder-dialogs.tsx';
import { MailboxSettingsDialog, NewMailboxDialog } from './mailbox-dialog.tsx';
import { openMailDialog, useMailDialog } from './parts/mail-dialogs.ts';
import { usePicker } from './team/team-picker.ts';

const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}));
const AutomaticReplyDialog = lazy(async () => ({
  default: (await import('./automatic-reply-dialog.tsx')).AutomaticReplyDialog,
}));
const RulesDialog = lazy(async () => ({
  default: (await import('./arrival/rules-dialog.tsx')).RulesDialog,
}));
const AddressesDialog = lazy(async () => ({
  default: (await import('./arrival/addresses-dialog.tsx')).AddressesDialog,
}));
const EmailAppsDialog = lazy(async () => ({
  default: (await import('./email-apps/email-apps-dialog.tsx')).EmailAppsDialog,
}));
const ManageLabelsDialog = lazy(async () => ({
  default: (await import('./team/labels-dialog.tsx')).ManageLabelsDialog,
}));
const NotificationsDialog = lazy(async () => ({
  default: (await import('./notifications/notifications-dialog.tsx')).NotificationsDialog,
}));
const TeamPickerDialog = lazy(async () => ({
  default: (await import('./team/picker-dialog.tsx')).TeamPickerDialog,
}));
const SavedRepliesDialog = lazy(async () => ({
  default: (await import('./compose/saved-replies/saved-replies-dialog.tsx')).SavedRepliesDialog,
}));

export function OpenDialogs({ mailbox }: { mailbox: Mailbox }) {
  return (
    <>
      <Suspense>
        <OpenDialog mailbox={mailbox} />
      </Suspense>
      <Suspense>{usePicker() && <TeamPickerDialog />}</Suspense>
    </>
  );
}

function OpenDialog({ mailbox }: { mailbox: Mailbox }) {
  switch (useMailDialog()) {
    case 'shortcuts':
      return <ShortcutsDialog onClose={close} />;
    case 'settings':
      return <MailboxSettingsDialog mailbox={mailbox} onClose={close} />;
    case 'new-folder':
      return <NewFolderDialog mailboxId={mailbox.id} onClose={close} />;
    case 'new-mailbox':
      return <NewMailboxDialog onClose={close} />;
    case 'saved-replies':
      return <SavedRepliesDialog mailboxId={mailbox.id} onClose={close} />;
    case 'automatic-reply':
      return <AutomaticReplyDialog mailbox={mailbox} onClose={close} />;
    case 'rules':
      return <RulesDialog mailbox={mailbox} onClose={close} />;
    case 'labels':
      return <ManageLabelsDialog mailboxId={mailbox.id} onClose={close} />;
    case 'notifications':
      return <NotificationsDialog onClose={close} />;
    case 'addresses':
      return <AddressesDialog mailbox={mailbox} onClose={close} />;
    case 'mail-programs':
      return <EmailAppsDialog mailbox={mailbox} onClose={close} />;
    default:
      return null;
  }
}

function close(): void {
  openMailDialog(null);
}
