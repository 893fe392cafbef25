/** The panel beside the drawing: the settings of the chosen step, of the trigger, or of the whole automation. */
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { firstDocument } from '../../../editor/first-document.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { Button } from '../../../ui/button.tsx';
import { showToast } from '../../../ui/toasts.ts';
import type { Draft } from '../saving/use-automation.ts';
import { removeStep, replaceStep } from '../steps/edit-steps.ts';
import { TRIGGER } from '../steps/neighbours.ts';
import type { Defaults } from '../steps/new-step.ts';
import type { Step, StepType } from '../steps/tree.ts';
import type { Choices } from '../data/use-choices.ts';
import { describeStep } from '../words/describe-step.ts';
import { ThreadFields, UpdateFields, WebhookFields } from './action-fields.tsx';
import { EmailFields } from './email-fields.tsx';
import {
  ConditionFields,
  DelayFields,
  emailFields,
  ExitFields,
  GoalFields,
  SplitFields,
  WaitFields,
} from './flow-fields.tsx';
import { LaneEnds } from './lane-ends.tsx';
import type { FieldsOf } from './step-fields.ts';
import { TriggerFields } from './trigger-fields.tsx';

const t = automationTexts;

interface StepPanelProps {
  draft: Draft;
  choices: Choices;
  defaults: Defaults;
  /** The key of the step; that of the trigger is empty. */
  chosen: string;
  /** Opens the editor of an email. */
  write(key: string): void;
  onClose(): void;
}

export function StepPanel({ draft, choices, defaults, chosen, write, onClose }: StepPanelProps) {
  const { steps } = draft.fields;
  if (chosen === TRIGGER) return <TriggerFields draft={draft} choices={choices} />;
  const step = steps.find(({ key }) => key === chosen);
  if (!step) return <p className="text-soft">{automationPanelTexts.empty}</p>;
  const common = {
    choices,
    properties: choices.book?.variables ?? [],
    runFields: emailFields(steps),
    set(part: object) {
      const next = withoutMissing({ ...step, ...part }) as Step;
      const changed = replaceStep(steps, next);
      if (changed) draft.changeSteps(changed, `${step.key} ${Object.keys(part).join(' ')}`);
      else showToast(t.notReached);
    },
  };
  const email = {
    write: () => write(step.key),
    firstContent: firstDocument(t.writing.firstContent, defaults.brand),
    defaultFrom: defaults.from,
  };
  return (
    <div key={step.key} className="space-y-4">
      {fieldsOf(step, common, email)}
      <LaneEnds draft={draft} step={step} names={choices.names} />
      <div className="flex items-center justify-between gap-3 border-t border-line pt-4">
        <span className="min-w-0 truncate text-note text-soft">{automationPanelTexts.keyNote(step.key)}</span>
        <Button
          look="quietDanger"
          size="small"
          icon={Trash2}
          onClick={() => {
            const left = removeStep(steps, step.key);
            if (!left) return void showToast(t.notReached);
            draft.changeSteps(left);
            onClose();
            showToast(t.removed(describeStep(step, choices.names).title), {
              action: { label: t.undo, run: draft.undo },
            });
          }}
        >
          {automationPanelTexts.remove}
        </Button>
      </div>
    </div>
  );
}

type Common = Omit<FieldsOf<StepType>, 'step'>;
type EmailProps = Omit<Parameters<typeof EmailFields>[0], keyof FieldsOf<'email'>>;

function fieldsOf(step: Step, common: Common, email: EmailProps): ReactNode {
  switch (step.type) {
    case 'delay':
      return <DelayFields {...common} step={step} />;
    case 'wait':
      return <WaitFields {...common} step={step} />;
    case 'condition':
      return <ConditionFields {...common} step={step} />;
    case 'split':
      return <SplitFields {...common} step={step} />;
    case 'email':
      return <EmailFields {...common} {...email} step={step} />;
    case 'update':
      return <UpdateFields {...common} step={step} />;
    case 'webhook':
      return <WebhookFields {...common} step={step} />;
    case 'thread':
      return <ThreadFields {...common} step={step} />;
    case 'goal':
      return <GoalFields {...common} step={step} />;
    case 'exit':
      return <ExitFields {...common} step={step} />;
  }
}

function withoutMissing(step: object): object {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined));
}
