import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Topic } from '../../../src/features/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.topics;
type Default = Topic['defaultSubscription'];

export function TopicDialog({ topic, onClose }: { topic: Topic | null; onClose(): void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(topic?.name ?? '');
  const [description, setDescription] = useState(topic?.description ?? '');
  const [defaultSubscription, setDefault] = useState<Default>(topic?.defaultSubscription ?? 'opt_out');
  const form = useSubmission(async () => {
    const input = { name, description: description.trim() || null, defaultSubscription };
    await sendJson(topic ? 'PATCH' : 'POST', topic ? `/topics/${topic.id}` : '/topics', input);
    await queryClient.invalidateQueries({ queryKey: ['topics'] });
    showToast(t.saved);
    onClose();
  });
  return (
    <FormDialog
      title={topic ? t.edit : t.create}
      form={form}
      action={topic ? texts.common.save : t.createAction}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        autoFocus
        required
        error={form.errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={t.description}
        value={description}
        error={form.errorOf('description')}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label={t.defaultSubscription}
        value={defaultSubscription}
        onChange={(event) => setDefault(event.target.value as Default)}
      >
        <option value="opt_out">{t.defaults.opt_out}</option>
        <option value="opt_in">{t.defaults.opt_in}</option>
      </SelectField>
    </FormDialog>
  );
}
