import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes.schema.ts';
import { sendJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { domainsQuery } from '../domains/domains-api.ts';
import { mailboxesQuery } from './mail-api.ts';

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
  const [local, setLocal] = useState('');
  const [domain, setDomain] = useState('');
  const [name, setName] = useState('');
  const form = useSubmission(async () => {
    const mailbox = await sendJson<Mailbox>('POST', '/mailboxes', {
      address: `${local.trim()}@${domain || verified[0]?.name}`,
      name: name.trim() || null,
    });
    await queryClient.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    onClose?.();
    await navigate({ to: '/mail/$mailboxId/$folder', params: { mailboxId: mailbox.id, folder: 'inbox' } });
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <div className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-start gap-2">
        <TextField
          autoFocus
          label={t.local}
          value={local}
          autoComplete="off"
          error={form.errorOf('address')}
          onChange={({ target }) => setLocal(target.value)}
        />
        <span aria-hidden className="pt-8 text-soft">
          @
        </span>
        <SelectField label={t.domain} value={domain} onChange={({ target }) => setDomain(target.value)}>
          {verified.map((each) => (
            <option key={each.id}>{each.name}</option>
          ))}
        </SelectField>
      </div>
      <TextField
        className="mt-4"
        label={t.name}
        hint={t.nameHint}
        value={name}
        error={form.errorOf('name')}
        onChange={({ target }) => setName(target.value)}
      />
      <FormError error={form.errorBeside()} />
      <DialogActions>
        {onClose && <Button onClick={onClose}>{texts.common.cancel}</Button>}
        <Button type="submit" look="primary" busy={form.busy}>
          {t.create}
        </Button>
      </DialogActions>
    </form>
  );
}

export function MailboxSettingsDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  const [name, setName] = useState(mailbox.name ?? '');
  const [undoSeconds, setUndoSeconds] = useState(mailbox.undo_seconds);
  const form = useSubmission(async () => {
    await sendJson('PATCH', `/mailboxes/${mailbox.id}`, {
      name: name.trim() || null,
      undo_seconds: undoSeconds,
    });
    await queryClient.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    showToast(t.saved);
    onClose();
  });
  const options = Object.entries(t.undoOptions).map(([seconds, words]) => [Number(seconds), words] as const);
  const isListed = options.some(([seconds]) => seconds === undoSeconds);
  return (
    <Dialog stays title={t.editTitle} description={mailbox.address} onClose={onClose}>
      <form onSubmit={form.onSubmit} noValidate>
        <TextField
          label={t.name}
          hint={t.nameHint}
          value={name}
          error={form.errorOf('name')}
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField
          className="mt-4"
          label={t.undo}
          hint={t.undoHint}
          value={undoSeconds}
          onChange={({ target }) => setUndoSeconds(Number(target.value))}
        >
          {!isListed && <option value={undoSeconds}>{`${undoSeconds} s`}</option>}
          {options.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </SelectField>
        <FormError error={form.errorBeside()} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={form.busy}>
            {texts.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
