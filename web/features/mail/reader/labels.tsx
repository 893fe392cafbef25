import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { TextField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { labelsQuery } from '../live/team-api.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

const t = mailTexts.labels;

/**
 * Hides keywords that email apps set for themselves (RFC 5788, and those of spam filters), because people did not
 * write them.
 */
function isShown(label: string): boolean {
  return !label.startsWith('$') && !/^(?:non|not)?junk$/i.test(label);
}

/** Labels of the mailbox are shown above the conversation, by their names. */
export function LabelList({ mailboxId, labels }: { mailboxId: string; labels: readonly string[] }) {
  const { data: known = [] } = useQuery({ ...labelsQuery(mailboxId), enabled: labels.length > 0 });
  const shown = labels.filter((label) => isShown(label) && !known.some(({ keyword }) => keyword === label));
  if (shown.length === 0) return null;
  return (
    <ul aria-label={t.list} className="flex flex-wrap gap-1.5">
      {shown.map((label) => (
        <li key={label} className="max-w-full truncate rounded-md bg-hover px-2 py-0.5 text-xs">
          {label}
        </li>
      ))}
    </ul>
  );
}

interface LabelsDialogProps {
  mailboxId: string;
  message: Message;
  onClose(): void;
}

export function LabelsDialog({ mailboxId, message, onClose }: LabelsDialogProps) {
  const hidden = message.labels.filter((label) => !isShown(label));
  const form = useForm({ labels: message.labels.filter(isShown).join(' ') }, async (values) => {
    const labels = values.labels.split(/\s+/).filter((label) => label !== '');
    await sendJson('PATCH', `/messages/${message.id}`, { labels: [...new Set([...hidden, ...labels])] });
    await refresh('mail', mailboxId);
    onClose();
  });
  return (
    <FormDialog title={t.title} form={form} action={t.save} onClose={onClose}>
      <TextField autoFocus label={t.field} hint={t.hint} {...form.text('labels')} autoComplete="off" />
    </FormDialog>
  );
}
