import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { VariantChoice } from './variant-choice.tsx';
import { useSession } from '../people/session.ts';

const t = campaignTexts;

export function TestDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const { user } = useSession();
  const form = useForm({ to: user.email, variant: '0' }, async (values) => {
    const to = values.to.split(/[\s,;]+/).filter(Boolean);
    await sendOnce(`/campaigns/${campaign.id}/test`, { to, variant: Number(values.variant) });
    showToast(t.testSent);
    onClose();
  });
  return (
    <FormDialog title={t.test} form={form} action={t.testAction} onClose={onClose}>
      <TextField label={t.testTo} hint={t.testToHint} {...form.text('to')} autoFocus required />
      <VariantChoice campaign={campaign} {...form.text('variant')} />
    </FormDialog>
  );
}
