import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useSession } from '../people/session.ts';

const t = texts.campaigns;

export function TestDialog({ campaignId, onClose }: { campaignId: string; onClose(): void }) {
  const { user } = useSession();
  const [to, setTo] = useState(user.email);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    const addresses = to.split(/[\s,;]+/).filter(Boolean);
    await sendJson('POST', `/campaigns/${campaignId}/test`, { to: addresses });
    showToast(t.testSent);
    onClose();
  });
  return (
    <Dialog title={t.test} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <TextField
          label={t.testTo}
          hint={t.testToHint}
          value={to}
          autoFocus
          required
          error={errorOf('to')}
          onChange={(event) => setTo(event.target.value)}
        />
        <FormError error={errorBeside('to')} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {t.testAction}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
