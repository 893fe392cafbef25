/** Creates, renames, colours and deletes the labels of a mailbox. */
import { useQuery } from '@tanstack/react-query';
import { Check, Pencil, Plus, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { MailboxLabel } from '../../../../src/features/mailboxes/labels/labels.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { deleteAndRefresh } from '../../../api/delete-and-refresh.ts';
import { refresh } from '../../../api/query-client.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { texts } from '../../../texts/en.ts';
import { act } from '../../../ui/act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormError, useForm } from '../../../ui/form.tsx';
import { Row, RowName, Rows } from '../../../ui/lists/rows.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { labelsQuery } from '../live/team-api.ts';

export function ManageLabelsDialog({ mailboxId, onClose }: { mailboxId: string; onClose(): void }) {
  const labels = useQuery(labelsQuery(mailboxId));
  const [renamed, setRenamed] = useState<string | null>(null);
  const [removed, setRemoved] = useState<MailboxLabel | null>(null);
  const path = `/mailboxes/${mailboxId}/labels`;
  return (
    <Dialog stays title={t.manage} description={t.manageLead} onClose={onClose}>
      <div className="space-y-4">
        <Rows
          label={t.labelTitle}
          query={labels}
          items={(data) => data}
          empty={<EmptyState icon={Tag} title={t.none} text={t.noneText} />}
        >
          {(label) =>
            renamed === label.id ? (
              <Row key={label.id}>
                <RenameForm mailboxId={mailboxId} label={label} onDone={() => setRenamed(null)} />
              </Row>
            ) : (
              <Row key={label.id}>
                <ColourField mailboxId={mailboxId} label={label} />
                <RowName name={label.name} />
                <IconButton icon={Pencil} label={t.rename(label.name)} onClick={() => setRenamed(label.id)} />
                <IconButton icon={Trash2} label={t.remove(label.name)} onClick={() => setRemoved(label)} />
              </Row>
            )
          }
        </Rows>
        <NewLabelForm mailboxId={mailboxId} />
      </div>
      {removed && (
        <ConfirmDialog
          title={t.removeTitle(removed.name)}
          text={t.removeText}
          action={texts.common.delete}
          run={() => deleteAndRefresh(`${path}/${removed.id}`, 'mail', mailboxId)}
          onClose={() => setRemoved(null)}
        />
      )}
    </Dialog>
  );
}

interface LabelProps {
  mailboxId: string;
  label: MailboxLabel;
}

/** The browser's own picker. The colour is stored when the picker closes, not with each move in it. */
function ColourField({ mailboxId, label }: LabelProps) {
  const [color, setColor] = useState(label.color);
  const save = () => {
    if (color === label.color) return;
    const change = () => sendJson('PATCH', `/mailboxes/${mailboxId}/labels/${label.id}`, { color });
    void act(change, { refreshes: labelsQuery(mailboxId).queryKey });
  };
  return (
    <input
      type="color"
      aria-label={t.colour(label.name)}
      value={color}
      onChange={({ target }) => setColor(target.value)}
      onBlur={save}
      className="size-7 shrink-0 cursor-pointer rounded-md border border-line bg-transparent p-0.5"
    />
  );
}

function RenameForm({ mailboxId, label, onDone }: LabelProps & { onDone(): void }) {
  const form = useForm({ name: label.name }, async ({ name }) => {
    await sendJson('PATCH', `/mailboxes/${mailboxId}/labels/${label.id}`, { name });
    await refresh(...labelsQuery(mailboxId).queryKey);
    onDone();
  });
  return (
    <form onSubmit={form.onSubmit} className="flex flex-1 items-end gap-2">
      <TextField autoFocus className="flex-1" label={t.name} maxLength={60} {...form.text('name')} />
      <Button type="submit" icon={Check} busy={form.busy}>
        {texts.common.save}
      </Button>
      <FormError error={form.errorBeside()} />
    </form>
  );
}

function NewLabelForm({ mailboxId }: { mailboxId: string }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    await sendJson('POST', `/mailboxes/${mailboxId}/labels`, { name });
    await refresh(...labelsQuery(mailboxId).queryKey);
    form.set({ name: '' });
  });
  return (
    <form onSubmit={form.onSubmit} className="flex items-end gap-2">
      <TextField
        className="flex-1"
        label={t.newLabel}
        required
        maxLength={60}
        autoComplete="off"
        {...form.text('name')}
      />
      <Button type="submit" icon={Plus} busy={form.busy}>
        {texts.common.add}
      </Button>
      <FormError error={form.errorBeside()} />
    </form>
  );
}
