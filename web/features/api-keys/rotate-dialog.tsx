import { useState } from 'react';
import type { ApiKey, CreatedApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import { refresh } from '../../api/query-client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { MadeKey } from './key-dialog.tsx';

const t = apiKeyTexts;
const OVERLAPS = [0, 1, 24, 168] as const;

/** Gives a key a new secret, while applications that have the old one are changed one by one. */
export function RotateDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const form = useForm({ overlapHours: '24' }, async ({ overlapHours }) => {
    setMade(
      await sendOnce<CreatedApiKey>(`/api-keys/${apiKey.id}/rotate`, { overlapHours: Number(overlapHours) }),
    );
    await refresh('api-keys');
  });
  if (made) return <MadeKey made={made} onClose={onClose} />;
  return (
    <FormDialog
      title={t.rotateTitle(apiKey.name)}
      description={t.rotateText}
      form={form}
      action={t.rotateAction}
      onClose={onClose}
    >
      <SelectField
        label={t.overlap}
        {...form.text('overlapHours')}
        options={OVERLAPS.map((hours) => [String(hours), t.overlaps[hours]])}
      />
    </FormDialog>
  );
}
