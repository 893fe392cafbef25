/** The addresses, signatures and blocked senders of a mailbox. */
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { deleteAndRefresh } from '../../../api/delete-and-refresh.ts';
import { refresh } from '../../../api/query-client.ts';
import { texts } from '../../../texts/en.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { act } from '../../../ui/act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { escapeText } from '../../../ui/escape-text.ts';
import { SwitchField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { FormError, useForm } from '../../../ui/form.tsx';
import { Row, RowName, Rows } from '../../../ui/lists/rows.tsx';
import { addressesQuery, blocksQuery, signaturesQuery } from './arrival-api.ts';

const t = arrivalTexts.addresses;

export function AddressesDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  return (
    <Dialog wide stays title={t.title} description={t.lead} onClose={onClose}>
      <div className="space-y-6">
        <Addresses mailbox={mailbox} />
        <Signatures mailboxId={mailbox.id} />
        <Blocks mailboxId={mailbox.id} />
      </div>
    </Dialog>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Addresses({ mailbox }: { mailbox: Mailbox }) {
  const { queryKey } = addressesQuery(mailbox.id);
  const addresses = useQuery(addressesQuery(mailbox.id));
  const [removed, setRemoved] = useState<{ id: string; address: string } | null>(null);
  const path = `/mailboxes/${mailbox.id}/addresses`;
  const form = useForm({ address: '', name: '' }, async ({ address, name }) => {
    await sendJson('POST', path, { address, name: name.trim() || null });
    await refresh(...queryKey);
    form.set({ address: '', name: '' });
  });
  return (
    <Part title={t.addresses}>
      <p className="text-soft">
        {mailbox.address} ({t.own})
      </p>
      <Rows label={t.addresses} query={addresses} items={(data) => data} empty={null}>
        {(each) => (
          <Row key={each.id}>
            <RowName name={each.address} note={each.name ?? ''} />
            <IconButton
              icon={Trash2}
              label={`${texts.common.delete} ${each.address}`}
              onClick={() => setRemoved(each)}
            />
          </Row>
        )}
      </Rows>
      <form onSubmit={form.onSubmit} className="flex flex-wrap items-end gap-2">
        <TextField
          className="min-w-48 flex-1"
          label={t.address}
          required
          type="email"
          {...form.text('address')}
        />
        <TextField className="min-w-40 flex-1" label={t.name} {...form.text('name')} />
        <Button type="submit" icon={Plus} busy={form.busy}>
          {t.add}
        </Button>
      </form>
      <FormError error={form.errorBeside()} />
      {removed && (
        <ConfirmDialog
          title={t.deleteTitle(removed.address)}
          text={t.deleteText}
          action={texts.common.delete}
          run={() => deleteAndRefresh(`${path}/${removed.id}`, ...queryKey)}
          onClose={() => setRemoved(null)}
        />
      )}
    </Part>
  );
}

function Signatures({ mailboxId }: { mailboxId: string }) {
  const { queryKey } = signaturesQuery(mailboxId);
  const signatures = useQuery(signaturesQuery(mailboxId));
  const path = `/mailboxes/${mailboxId}/signatures`;
  const form = useForm({ name: '', text: '', isDefault: true }, async ({ name, text, isDefault }) => {
    await sendJson('POST', path, { name, html: toHtml(text), is_default: isDefault });
    await refresh(...queryKey);
    form.set({ name: '', text: '' });
  });
  return (
    <Part title={t.signatures}>
      <Rows
        label={t.signatures}
        query={signatures}
        items={(data) => data}
        empty={<p className="text-soft">{t.none}</p>}
      >
        {(each) => (
          <Row key={each.id}>
            <RowName name={each.name} note={each.is_default ? t.default : ''} />
            <IconButton
              icon={Trash2}
              label={`${texts.common.delete} ${each.name}`}
              onClick={() => void act(() => deleteAndRefresh(`${path}/${each.id}`, ...queryKey))}
            />
          </Row>
        )}
      </Rows>
      <form onSubmit={form.onSubmit} className="space-y-2">
        <TextField label={t.signatureName} required {...form.text('name')} />
        <TextAreaField label={t.signatureText} required rows={3} {...form.text('text')} />
        <SwitchField label={t.isDefault} {...form.flag('isDefault')} />
        <FormError error={form.errorBeside()} />
        <Button type="submit" icon={Plus} busy={form.busy}>
          {t.addSignature}
        </Button>
      </form>
    </Part>
  );
}

function toHtml(text: string): string {
  return `<p>${escapeText(text).trim().replaceAll(/\r?\n/g, '<br>')}</p>`;
}

function Blocks({ mailboxId }: { mailboxId: string }) {
  const { queryKey } = blocksQuery(mailboxId);
  const blocks = useQuery(blocksQuery(mailboxId));
  return (
    <Part title={t.blocks}>
      <Rows
        label={t.blocks}
        query={blocks}
        items={(data) => data}
        empty={<p className="text-soft">{t.noBlocks}</p>}
      >
        {({ id, entry, action }) => (
          <Row key={id}>
            <RowName name={entry} note={t.blockActions[action] ?? ''} />
            <IconButton
              icon={Trash2}
              label={t.unblock(entry)}
              onClick={() =>
                void act(() => deleteAndRefresh(`/mailboxes/${mailboxId}/blocks/${id}`, ...queryKey))
              }
            />
          </Row>
        )}
      </Rows>
    </Part>
  );
}
