import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { topicTexts } from '../../texts/en/audience.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = topicTexts;

/** Creates a topic, or changes the given one. */
export function TopicDialog({ topic, onClose }: { topic: Topic | null; onClose(): void }) {
  const start = {
    name: topic?.name ?? '',
    description: topic?.description ?? '',
    defaultSubscription: topic?.defaultSubscription ?? 'opt_out',
  };
  const form = useForm(start, async ({ description, ...values }) => {
    const input = { ...values, description: description.trim() || null };
    await (topic ? sendJson('PATCH', `/topics/${topic.id}`, input) : sendOnce('/topics', input));
    await refresh('topics');
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
      <TextField label={t.name} hint={t.nameHint} {...form.text('name')} autoFocus required />
      <TextField label={t.description} {...form.text('description')} />
      <SelectField
        label={t.defaultSubscription}
        {...form.text('defaultSubscription')}
        options={[
          ['opt_out', t.defaults.opt_out],
          ['opt_in', t.defaults.opt_in],
        ]}
      />
    </FormDialog>
  );
}
