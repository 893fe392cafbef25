/** Dialogs that create, rename and delete the folders that people make. */
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Folder } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { sendOnce } from '../../../api/send-once.ts';
import { refresh } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';

const t = mailTexts.folder;

export function NewFolderDialog({ mailboxId, onClose }: { mailboxId: string; onClose(): void }) {
  const navigate = useNavigate();
  const form = useForm({ name: '' }, async ({ name }) => {
    const { id } = await sendOnce<Folder>(`/mailboxes/${mailboxId}/folders`, { name: name.trim() });
    await refresh('mail', mailboxId);
    onClose();
    await navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId, folder: id } });
  });
  return (
    <FormDialog title={t.newTitle} form={form} action={t.create} onClose={onClose}>
      <TextField autoFocus label={t.name} hint={t.nameHint} {...form.text('name')} autoComplete="off" />
    </FormDialog>
  );
}

interface FolderMenuProps {
  mailboxId: string;
  folder: string;
  name: string;
}

export function FolderMenu({ mailboxId, folder, name }: FolderMenuProps) {
  const [shown, setShown] = useState<'rename' | 'delete' | null>(null);
  const navigate = useNavigate();
  const path = `/mailboxes/${mailboxId}/folders/${folder}`;
  const close = () => setShown(null);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={t.actions(name)} className="-mr-2.5" />}>
        <MenuItem icon={Pencil} onSelect={() => setShown('rename')}>
          {t.rename}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setShown('delete')}>
          {t.remove}
        </MenuItem>
      </Menu>
      {shown === 'rename' && (
        <RenameDialog mailboxId={mailboxId} folder={folder} name={name} onClose={close} />
      )}
      {shown === 'delete' && (
        <ConfirmDialog
          title={t.removeTitle(name)}
          text={t.removeText}
          action={t.remove}
          onClose={close}
          run={async () => {
            await sendJson('DELETE', path);
            await navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId, folder: 'inbox' } });
            await refresh('mail', mailboxId);
          }}
        />
      )}
    </>
  );
}

function RenameDialog({ mailboxId, folder, name, onClose }: FolderMenuProps & { onClose(): void }) {
  const form = useForm({ name }, async (values) => {
    await sendJson('PATCH', `/mailboxes/${mailboxId}/folders/${folder}`, { name: values.name.trim() });
    await refresh('mail', mailboxId);
    onClose();
  });
  return (
    <FormDialog title={t.renameTitle} form={form} action={t.rename} onClose={onClose}>
      <TextField autoFocus label={t.name} hint={t.nameHint} {...form.text('name')} autoComplete="off" />
    </FormDialog>
  );
}
