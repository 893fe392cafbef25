/** How an email of an automation is sent. Its content is written in place of the drawing. */
import { PenLine } from 'lucide-react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckboxField, optionsOf, SelectField, TextField } from '../../../ui/field.tsx';
import type { FieldsOf } from './step-fields.ts';

const p = automationPanelTexts;

interface EmailFieldsProps extends FieldsOf<'email'> {
  /** Opens the editor. */
  write(): void;
  /** The content of an email that is not a template any more. */
  firstContent: string;
  defaultFrom: string | null;
}

export function EmailFields(props: EmailFieldsProps) {
  const { step, set, choices, defaultFrom } = props;
  const { topics, mailboxes } = choices;
  return (
    <>
      <Content {...props} />
      {mailboxes.length > 0 && (
        <SelectField
          label={p.mailbox}
          hint={p.mailboxHint}
          value={step.mailboxId ?? ''}
          options={[['', p.noMailbox], ...mailboxes.map(({ id, address }) => [id, address] as const)]}
          onChange={({ target }) =>
            set(
              target.value === ''
                ? { mailboxId: undefined, from: step.from ?? defaultFrom, sameThread: undefined }
                : { mailboxId: target.value, from: undefined },
            )
          }
        />
      )}
      {!step.mailboxId && (
        <TextField
          label={p.from}
          hint={p.fromHint}
          value={step.from ?? ''}
          onChange={({ target }) => set({ from: target.value || undefined })}
        />
      )}
      <SelectField
        label={p.kind}
        hint={p.kindHint}
        value={step.kind}
        options={Object.entries(p.emailKinds)}
        onChange={({ target }) => set({ kind: target.value as typeof step.kind })}
      />
      {step.kind === 'marketing' && topics.length > 0 && (
        <SelectField
          label={p.topic}
          value={step.topicId ?? ''}
          options={[['', p.noTopic], ...optionsOf(topics)]}
          onChange={({ target }) => set({ topicId: target.value || undefined })}
        />
      )}
      <CheckboxField
        label={p.sameThread}
        hint={p.sameThreadHint}
        checked={step.sameThread ?? false}
        onChange={({ target }) => set({ sameThread: target.checked || undefined })}
      />
      <QuietHours step={step} set={set} />
    </>
  );
}

/** Where the content comes from: it is written here, or it is a template. */
function Content({ step, set, choices: { templates }, write, firstContent }: EmailFieldsProps) {
  const isTemplate = typeof step.templateId === 'string';
  const kinds = Object.entries(p.contentKinds).filter(
    ([kind]) => kind === 'own' || templates.length > 0 || isTemplate,
  );
  return (
    <>
      {!isTemplate && (
        <Button look="primary" icon={PenLine} className="w-full" onClick={write}>
          {p.writeEmail}
        </Button>
      )}
      {kinds.length > 1 && (
        <SelectField
          label={p.content}
          value={isTemplate ? 'template' : 'own'}
          options={kinds}
          onChange={({ target }) =>
            set(
              target.value === 'template'
                ? { templateId: templates[0]!.id, content: undefined, html: undefined, subject: undefined }
                : {
                    templateId: undefined,
                    content: firstContent,
                    subject: step.subject || automationTexts.newSubject,
                  },
            )
          }
        />
      )}
      {isTemplate && (
        <SelectField
          label={p.template}
          placeholder={p.chooseTemplate}
          value={step.templateId ?? ''}
          options={optionsOf(templates)}
          onChange={({ target }) => set({ templateId: target.value })}
        />
      )}
      <TextField
        label={p.subject}
        {...(isTemplate ? { hint: p.subjectOfTemplate } : {})}
        value={step.subject ?? ''}
        onChange={({ target }) => set({ subject: target.value || undefined })}
      />
    </>
  );
}

function QuietHours({ step, set }: Pick<FieldsOf<'email'>, 'step' | 'set'>) {
  const quiet = step.quietHours;
  return (
    <>
      <CheckboxField
        label={p.quiet}
        hint={p.quietHint}
        checked={Boolean(quiet)}
        onChange={({ target }) =>
          set({ quietHours: target.checked ? { from: '21:00', to: '08:00' } : undefined })
        }
      />
      {quiet && (
        <div className="grid grid-cols-2 gap-2">
          <TextField
            label={p.quietFrom}
            type="time"
            required
            value={quiet.from}
            onChange={({ target }) => set({ quietHours: { ...quiet, from: target.value } })}
          />
          <TextField
            label={p.quietTo}
            type="time"
            required
            value={quiet.to}
            onChange={({ target }) => set({ quietHours: { ...quiet, to: target.value } })}
          />
        </div>
      )}
    </>
  );
}
