import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { sendJson } from '../../api/client.ts';
import { mailboxesQuery } from '../../api/mailboxes.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { Options } from '../../ui/options.ts';
import { FormError, useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { domainsQuery } from '../domains/domains-api.ts';

const t = mailTexts.mailbox;

export function NewMailboxDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog stays title={t.newTitle} onClose={onClose}>
      <NewMailboxForm onClose={onClose} />
    </Dialog>
  );
}

export function NewMailboxForm({ onClose }: { onClose?(): void }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const verified = domains.filter(({ status }) => status === 'SUCCESS');
  const navigate = useNavigate();
  const form = useForm({ address: '', domain: '', name: '' }, async ({ address, name }) => {
    const mailbox = await sendOnce<Mailbox>('/mailboxes', {
      address: `${address.trim()}@${domain}`,
      name: name.trim() || null,
    });
    await refresh(...mailboxesQuery.queryKey);
    onClose?.();
    await navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId: mailbox.id, folder: 'inbox' } });
  });
  const domain = form.values.domain || (verified[0]?.name ?? '');
  const create = (
    <Button type="submit" look="primary" busy={form.busy}>
      {t.create}
    </Button>
  );
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <div className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-start gap-2">
        <TextField autoFocus label={t.local} {...form.text('address')} autoComplete="off" />
        <span aria-hidden className="pt-8 text-soft">
          @
        </span>
        <SelectField
          label={t.domain}
          {...form.text('domain')}
          value={domain}
          options={verified.map(({ name }) => [name, name])}
        />
      </div>
      <TextField className="mt-4" label={t.name} hint={t.nameHint} {...form.text('name')} />
      <FormError error={form.errorBeside()} />
      {onClose ? (
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          {create}
        </DialogActions>
      ) : (
        <div className="mt-4 flex justify-end">{create}</div>
      )}
    </form>
  );
}

export function MailboxSettingsDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  const start = { name: mailbox.name ?? '', undo_seconds: String(mailbox.undo_seconds) };
  const form = useForm(start, async ({ name, undo_seconds: seconds }) => {
    const input = { name: name.trim() || null, undo_seconds: Number(seconds) };
    await sendJson('PATCH', `/mailboxes/${mailbox.id}`, input);
    await refresh(...mailboxesQuery.queryKey);
    showToast(t.saved);
    onClose();
  });
  return (
    <FormDialog
      title={t.editTitle}
      description={mailbox.address}
      form={form}
      action={texts.common.save}
      onClose={onClose}
    >
      <TextField label={t.name} hint={t.nameHint} {...form.text('name')} />
      <SelectField
        label={t.undo}
        hint={t.undoHint}
        {...form.text('undo_seconds')}
        options={undoOptions(form.values.undo_seconds)}
      />
    </FormDialog>
  );
}

/** A number that was set through the API may not be among the usual ones. */
function undoOptions(seconds: string): Options {
  const usual = Object.entries(t.undoOptions);
  return seconds in t.undoOptions ? usual : [[seconds, `${seconds} s`], ...usual];
}
