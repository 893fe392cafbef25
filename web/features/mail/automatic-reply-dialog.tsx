import { useQuery } from '@tanstack/react-query';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { AutomaticReply } from '../../../src/features/mailboxes/vacation/vacation.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { automaticReplyTexts as t } from '../../texts/en/automatic-reply.ts';
import { texts } from '../../texts/en.ts';
import { DateField } from '../../ui/dates/date-field.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { SwitchField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { useForm } from '../../ui/form.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';
import { endOfDay, firstDayOf, lastDayOf, startOfDay } from '../../ui/dates/days.ts';

export function AutomaticReplyDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  const path = `/mailboxes/${mailbox.id}/automatic-reply`;
  const reply = useQuery({
    queryKey: ['mail', mailbox.id, 'automatic-reply'],
    queryFn: () => getJson<AutomaticReply>(path),
    // A cached value in the form would overwrite changes of another client.
    gcTime: 0,
    staleTime: Infinity,
  });
  if (reply.data) return <ReplyForm reply={reply.data} mailbox={mailbox} path={path} onClose={onClose} />;
  if (!reply.isError) return null;
  return (
    <Dialog title={t.title} onClose={onClose}>
      <ErrorState error={reply.error} retry={() => void reply.refetch()} />
    </Dialog>
  );
}

interface ReplyFormProps {
  reply: AutomaticReply;
  mailbox: Mailbox;
  path: string;
  onClose(): void;
}

function ReplyForm({ reply, mailbox, path, onClose }: ReplyFormProps) {
  const start = {
    enabled: reply.enabled,
    from: firstDayOf(reply.from),
    until: lastDayOf(reply.until),
    subject: reply.subject ?? '',
    text: reply.text ?? '',
  };
  const form = useForm(start, async ({ enabled, from, until, subject, text }) => {
    await sendJson('PATCH', path, {
      enabled,
      from: startOfDay(from),
      until: endOfDay(until),
      subject: subject.trim() || null,
      text: text.trim() || null,
      // A JMAP client may have set a different HTML version.
      html: text === (reply.text ?? '') ? reply.html : null,
    });
    await refresh('mail', mailbox.id, 'automatic-reply');
    showToast(t.saved);
    onClose();
  });
  return (
    <FormDialog title={t.title} description={t.lead} form={form} action={texts.common.save} onClose={onClose}>
      <SwitchField label={t.enabled} {...form.flag('enabled')} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <DateField label={t.from} hint={t.daysHint} {...form.text('from')} />
        <DateField label={t.until} {...form.text('until')} />
      </div>
      <TextField label={t.subject} hint={t.subjectHint} {...form.text('subject')} />
      <TextAreaField label={t.text} hint={t.textHint} rows={5} {...form.text('text')} />
    </FormDialog>
  );
}
