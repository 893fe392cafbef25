import type { WayOut } from '../../../src/features/sending/egress/egress.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { egressTexts as t } from '../../texts/en/egress.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';

const USUAL = { target: '10000', start: '50' };

export function WarmUpDialog({ way: { name, warmup }, onClose }: { way: WayOut; onClose(): void }) {
  const first = warmup ? { target: String(warmup.target), start: String(warmup.start) } : USUAL;
  const form = useForm(first, async ({ target, start }) => {
    await sendJson('POST', `/egress/${name}/warmup`, { target: Number(target), start: Number(start) });
    await refresh('egress');
    showToast(t.started);
    onClose();
  });
  return (
    <FormDialog title={t.dialogTitle(name)} action={t.begin} form={form} onClose={onClose}>
      <p className="text-soft">{t.dialogText}</p>
      <TextField label={t.target} type="number" min={1} max={10_000_000} required {...form.text('target')} />
      <TextField label={t.start} type="number" min={1} max={10_000_000} required {...form.text('start')} />
    </FormDialog>
  );
}
