import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useSession } from '../people/session.ts';

const t = texts.campaigns;

export function TestDialog({ campaignId, onClose }: { campaignId: string; onClose(): void }) {
  const { user } = useSession();
  const [to, setTo] = useState(user.email);
  const form = useSubmission(async () => {
    const addresses = to.split(/[\s,;]+/).filter(Boolean);
    await sendJson('POST', `/campaigns/${campaignId}/test`, { to: addresses });
    showToast(t.testSent);
    onClose();
  });
  return (
    <FormDialog title={t.test} form={form} action={t.testAction} onClose={onClose}>
      <TextField
        label={t.testTo}
        hint={t.testToHint}
        value={to}
        autoFocus
        required
        error={form.errorOf('to')}
        onChange={(event) => setTo(event.target.value)}
      />
    </FormDialog>
  );
}
