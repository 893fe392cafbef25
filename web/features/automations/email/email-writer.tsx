/** Writes an email of an automation, in place of the drawing: its subject, its content and its translations. */
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { LazyEditor } from '../../../editor/lazy-editor.tsx';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { campaignTexts } from '../../../texts/en/campaigns.ts';
import { Button } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { TitleField } from '../../../ui/title-field.tsx';
import { InsertTag } from '../../campaigns/insert-tag.tsx';
import { translationTabs } from '../../translations/translation-tabs.tsx';
import { toTranslationInputs, translationsOf } from '../../translations/translation-fields.ts';
import type { Draft } from '../saving/use-automation.ts';
import { replaceStep } from '../steps/edit-steps.ts';
import type { StepOf } from '../steps/tree.ts';

const t = automationTexts.writing;

interface EmailWriterProps {
  draft: Draft;
  step: StepOf<'email'>;
  /** The variables of the contact book. */
  variables: readonly string[];
  problem: string | undefined;
  onClose(): void;
}

export function EmailWriter({ draft, step, variables, problem, onClose }: EmailWriterProps) {
  const set: SetEmail = (part) => {
    const steps = replaceStep(draft.fields.steps, { ...step, ...part });
    if (steps) draft.changeSteps(steps, `${step.key} ${Object.keys(part).join(' ')}`);
  };
  const title = (
    size: 'title' | 'line',
    name: 'subject' | 'previewText',
    [label, placeholder]: [string, string],
  ) => (
    <TitleField
      size={size}
      label={label}
      placeholder={placeholder}
      value={step[name] ?? ''}
      onChange={(value) => set({ [name]: value || null })}
      aside={(field, change) => (
        <InsertTag
          label={name === 'subject' ? campaignTexts.personalise : campaignTexts.personalisePreview}
          variables={variables}
          field={field}
          onChange={change}
        />
      )}
    />
  );
  const editor = (content: string, onChange: (content: string) => void) => (
    <LazyEditor content={content} variables={[...variables, 'unsubscribeUrl']} onChange={onChange} />
  );
  const own = !step.content ? (
    <TextAreaField
      label={t.html}
      rows={20}
      mono
      value={step.html ?? ''}
      onChange={({ target }) => set({ html: target.value })}
    />
  ) : (
    editor(step.content, (content) => set({ content }))
  );
  return (
    <section aria-label={automationPanelTexts.writeEmail}>
      <Button size="small" icon={ArrowLeft} onClick={onClose}>
        {t.back}
      </Button>
      <div className="mt-4 mb-3 space-y-1">
        {title('title', 'subject', [campaignTexts.subject, t.subjectPlaceholder])}
        {title('line', 'previewText', [campaignTexts.previewText, t.previewPlaceholder])}
      </div>
      {problem !== undefined && (
        <p role="alert" className="mb-3 rounded-lg bg-bad-tint px-3 py-2 text-bad">
          {problem}
        </p>
      )}
      <Tabs
        label={t.edit}
        tabs={[
          { id: 'edit', name: t.edit, content: own, stays: true },
          ...translationTabs(translated(step, set, editor)),
        ]}
      />
    </section>
  );
}

type SetEmail = (part: Partial<StepOf<'email'>>) => void;

function translated(
  step: StepOf<'email'>,
  set: SetEmail,
  renderEditor: (content: string, onChange: (content: string) => void) => ReactNode,
) {
  const { previewText, content, html } = step;
  const subject = step.subject ?? '';
  return {
    value: translationsOf({ translations: step.translations ?? null }),
    onChange: (value: string) =>
      set({ translations: toTranslationInputs(value, subject) as StepOf<'email'>['translations'] }),
    base: { subject, previewText: previewText ?? '', content: content ?? null, html: html ?? '' },
    hasPreviewText: true,
    renderEditor,
  };
}
