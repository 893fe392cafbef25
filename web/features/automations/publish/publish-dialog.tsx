/** Checks an automation, says what happens to the people inside, and makes it live. */
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type {
  Automation,
  AutomationCheck,
} from '../../../../src/features/automations/definition/automations.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { automationPublishingTexts } from '../../../texts/en/automation-publishing.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { sentence, useForm } from '../../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { checkQuery, impactQuery } from '../data/automations-api.ts';
import type { Draft } from '../saving/use-automation.ts';
import { TRIGGER } from '../steps/neighbours.ts';
import { describeStep, describeTrigger, type Names } from '../words/describe-step.ts';
import { impactSentences, type RunChoice } from './impact-sentences.ts';

const t = automationTexts;
const p = automationPublishingTexts.publishing;

interface PublishDialogProps {
  draft: Draft;
  names: Names;
  bookName: string;
  onStep(key: string): void;
  onClose(): void;
}

export function PublishDialog({ draft, names, bookName, onStep, onClose }: PublishDialogProps) {
  const { automation, fields } = draft;
  const isFirst = automation.status === 'DRAFT';
  const check = useQuery(checkQuery(automation.id));
  const impact = useQuery({ ...impactQuery(automation.id), enabled: !isFirst });
  const form = useForm({ runs: 'finish' }, async ({ runs }) => {
    const path = `/automations/${automation.id}/${isFirst ? 'activate' : 'publish'}`;
    draft.takeOver(await sendJson<Automation>('POST', path, isFirst ? undefined : { runs }));
    await refresh('automations', 'list');
    void refresh('automations', 'report');
    showToast(isFirst ? p.activated : p.published);
    onClose();
  });
  const nameOf = (key: string) => {
    const step = fields.steps.find((each) => each.key === key);
    return step ? describeStep(step, names).title : key;
  };
  const isReady = check.data?.errors.length === 0 && (isFirst || impact.isSuccess);
  return (
    <FormDialog
      title={isFirst ? p.activateTitle : p.publishTitle}
      form={form}
      action={isFirst ? t.activate : t.publish}
      disabled={!isReady}
      onClose={onClose}
    >
      {check.isError && <ErrorState error={check.error} retry={() => void check.refetch()} />}
      {check.isPending && <Skeleton className="h-16" />}
      {check.data && (
        <Findings
          check={check.data}
          nameOf={nameOf}
          onStep={(key) => {
            onClose();
            onStep(key);
          }}
        />
      )}
      {isReady && isFirst && (
        <p className="text-soft">
          {p.enters.event(describeTrigger(fields.trigger, names).title)} {p.enters.book(bookName)}
        </p>
      )}
      {isReady && impact.data && (
        <>
          {impact.data.people > 0 && (
            <SelectField label={p.runs} {...form.text('runs')} options={Object.entries(p.runsOf)} />
          )}
          <ul className="list-disc space-y-1 pl-5 text-soft marker:text-edge">
            {impactSentences(impact.data, form.values.runs as RunChoice, nameOf).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
    </FormDialog>
  );
}

interface FindingsProps {
  check: AutomationCheck;
  nameOf(key: string): string;
  onStep(key: string): void;
}

function Findings({ check: { errors, warnings }, nameOf, onStep }: FindingsProps) {
  const line = ({ path, step, message }: AutomationCheck['errors'][number]) => {
    const key = step ?? (path.startsWith('/trigger') ? TRIGGER : null);
    const field = path
      .split('/')
      .slice(step === null ? 1 : 3)
      .join(' ');
    const text = sentence(field ? `${field} ${message}` : message);
    return (
      <li key={`${path} ${message}`} className="flex items-start justify-between gap-3">
        <span className="min-w-0">
          {key !== null && (
            <span className="font-medium">
              {key === TRIGGER ? automationPanelTexts.trigger : nameOf(key)}:{' '}
            </span>
          )}
          {text}
        </span>
        {key !== null && (
          <button
            type="button"
            className="shrink-0 rounded font-medium underline"
            onClick={() => onStep(key)}
          >
            {p.show}
          </button>
        )}
      </li>
    );
  };
  return (
    <>
      {errors.length > 0 ? (
        <section className="rounded-lg bg-bad-tint px-4 py-3 text-bad">
          <h3 className="mb-1 flex items-center gap-2 font-semibold">
            <CircleAlert aria-hidden className="size-4" />
            {p.errors(errors.length)}
          </h3>
          <ul className="space-y-1">{errors.map(line)}</ul>
        </section>
      ) : (
        <p className="flex items-center gap-2">
          <CircleCheck aria-hidden className="size-4 text-good" />
          {p.fine}
        </p>
      )}
      {warnings.length > 0 && (
        <section className="rounded-lg bg-warn-tint px-4 py-3 text-warn">
          <h3 className="mb-1 flex items-center gap-2 font-semibold">
            <TriangleAlert aria-hidden className="size-4" />
            {p.warnings}
          </h3>
          <ul className="space-y-1">{warnings.map(line)}</ul>
        </section>
      )}
    </>
  );
}
