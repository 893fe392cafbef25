import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useSession } from '../people/session.ts';

const t = texts.campaigns;

export function TestDialog({ campaignId, onClose }: { campaignId: string; onClose(): void }) {
  const { user } = useSession();
  const form = useForm({ to: user.email }, async (values) => {
    const to = values.to.split(/[\s,;]+/).filter(Boolean);
    await sendJson('POST', `/campaigns/${campaignId}/test`, { to });
    showToast(t.testSent);
    onClose();
  });
  return (
    <FormDialog title={t.test} form={form} action={t.testAction} onClose={onClose}>
      <TextField label={t.testTo} hint={t.testToHint} {...form.text('to')} autoFocus required />
    </FormDialog>
  );
}
