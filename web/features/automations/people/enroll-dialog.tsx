/** Starts an automation for people who are there already. A dry run says how many that are. */
import { useQuery } from '@tanstack/react-query';
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import type { Segment } from '../../../../src/features/audience/segments/segments.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormError, useForm } from '../../../ui/form.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { showToast } from '../../../ui/toasts.ts';

const t = automationPeopleTexts.runs;

interface EnrollDialogProps {
  automation: Automation;
  segments: readonly Segment[];
  onClose(): void;
}

interface Enrolled {
  enrolled: number;
  skipped: Record<string, number>;
}

export function EnrollDialog({ automation, segments, onClose }: EnrollDialogProps) {
  const { id, contactBookId } = automation;
  const inputOf = (segmentId: string) => (segmentId === '' ? { contactBookId } : { segmentId });
  const form = useForm({ segmentId: '', spread: '' }, async ({ segmentId, spread }) => {
    const spreadMinutes = spread === '' ? null : Number(spread);
    const input = { ...inputOf(segmentId), spreadMinutes };
    const { enrolled } = await sendJson<Enrolled>('POST', `/automations/${id}/enroll`, input);
    await refresh('automations');
    showToast(t.enrolled(enrolled));
    onClose();
  });
  const { segmentId } = form.values;
  const count = useQuery({
    queryKey: ['automations', 'enroll', id, segmentId],
    queryFn: () =>
      sendJson<Enrolled>('POST', `/automations/${id}/enroll`, { ...inputOf(segmentId), dryRun: true }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <FormDialog
      title={t.enroll}
      description={t.enrollLead}
      form={form}
      action={t.enrollAction}
      disabled={!count.data || count.data.enrolled === 0}
      onClose={onClose}
    >
      <SelectField
        label={t.enrollWho}
        {...form.text('segmentId')}
        options={[
          ['', t.enrollBook],
          ...segments.map(({ id: key, name }) => [key, t.enrollSegment(name)] as const),
        ]}
      />
      <TextField label={t.enrollSpread} type="number" min={0} {...form.text('spread')} />
      {count.isPending && <Skeleton className="h-5 w-48" />}
      <FormError error={count.error} />
      {count.data && (
        <p role="status">
          <span className="font-medium">{t.enrollCount(count.data.enrolled)}</span>{' '}
          {Object.entries(count.data.skipped)
            .map(([reason, people]) => t.enrollSkipped(people, t.enrollReasons[reason] ?? reason))
            .join(' ')}
        </p>
      )}
    </FormDialog>
  );
}
