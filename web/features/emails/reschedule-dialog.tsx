import type { Email } from '../../../src/features/sending/emails/emails.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { DateField } from '../../ui/dates/date-field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { offsetOf, OWN_ZONE } from '../../ui/dates/time-zone.ts';
import { showToast } from '../../ui/toasts.ts';
import { describeClockChange, momentOf, toLocal, tomorrowMorning } from '../../ui/dates/local-times.ts';

const t = emailTexts;

export function RescheduleDialog({ email, onClose }: { email: Email; onClose(): void }) {
  const start = () => ({
    scheduledAt: email.scheduledAt ? toLocal(new Date(email.scheduledAt)) : tomorrowMorning(),
  });
  const form = useForm(start, async (values) => {
    const scheduledAt = momentOf(values.scheduledAt, OWN_ZONE).toISOString();
    await sendJson('PATCH', `/emails/${email.id}`, { scheduledAt });
    await refresh('emails');
    showToast(t.rescheduled);
    onClose();
  });
  return (
    <FormDialog title={t.rescheduleTitle} form={form} action={t.reschedule} onClose={onClose}>
      <DateField
        label={t.sendAt(offsetOf(momentOf(form.values.scheduledAt, OWN_ZONE)))}
        hint={describeClockChange(form.values.scheduledAt, OWN_ZONE)}
        withTime
        {...form.text('scheduledAt')}
        autoFocus
        required
      />
    </FormDialog>
  );
}
