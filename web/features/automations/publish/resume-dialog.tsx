import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPublishingTexts } from '../../../texts/en/automation-publishing.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { useForm } from '../../../ui/form.tsx';
import { showToast } from '../../../ui/toasts.ts';
import type { Draft } from '../saving/use-automation.ts';

const t = automationPublishingTexts.resuming;

export function ResumeDialog({ draft, onClose }: { draft: Draft; onClose(): void }) {
  const form = useForm({ overdue: 'shift' }, async (values) => {
    draft.takeOver(await sendJson<Automation>('POST', `/automations/${draft.automation.id}/resume`, values));
    await refresh('automations', 'list');
    showToast(automationTexts.resumed);
    onClose();
  });
  return (
    <FormDialog title={t.title} form={form} action={automationTexts.resume} onClose={onClose}>
      <p className="text-soft">{t.text}</p>
      <SelectField
        label={t.label}
        {...form.text('overdue')}
        options={[
          ['shift', t.shift],
          ['now', t.now],
        ]}
      />
    </FormDialog>
  );
}
