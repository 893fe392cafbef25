import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { Template } from '../../../src/features/content/templates/templates.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { MessagePreview } from '../../editor/message-preview.tsx';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { templateTexts } from '../../texts/en/templates.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { versionTexts } from '../../texts/en/versions.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteMenu } from '../../ui/dialogs/delete-menu.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { FormError, useForm, useUnsaved, type Form } from '../../ui/form.tsx';
import { CanvasPage } from '../../ui/canvas-page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TitleField } from '../../ui/title-field.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ConflictNotice } from '../versions/conflict-notice.tsx';
import { translationTabs } from '../translations/translation-tabs.tsx';
import { VersionsDialog } from '../versions/versions-dialog.tsx';
import { overwriteTemplate, saveTemplate, valuesOf, type TemplateValues } from './save-template.ts';

const t = templateTexts;
const c = versionTexts.conflict;
const back = { to: '/templates', label: t.title } as const;

export function TemplatePage() {
  const { templateId } = useParams({ from: '/app/templates/$templateId' });
  const template = useQuery({
    queryKey: ['templates', 'one', templateId],
    queryFn: () => getJson<Template>(`/templates/${templateId}`),
    // The form must not change while it is being edited, but each visit starts with the stored template.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // Restoring a version recreates the form.
  const [restored, setRestored] = useState(0);
  return (
    <PageOf query={template} title={t.title} back={back}>
      {(data) => (
        <TemplateForm
          key={`${templateId} ${restored}`}
          template={data}
          onRestored={() => setRestored((count) => count + 1)}
        />
      )}
    </PageOf>
  );
}

function TemplateId({ id }: { id: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="shrink-0">{t.id}</span> <code className="min-w-0 truncate text-[0.8125rem]">{id}</code>
      <CopyButton text={id} label={t.copyId} />
    </span>
  );
}

function TemplateForm({ template, onRestored }: { template: Template; onRestored(): void }) {
  const [base, setBase] = useState(template);
  const [theirs, setTheirs] = useState<Template | null>(null);
  const form = useForm(
    () => valuesOf(template),
    async (values) => {
      const saved = await saveTemplate(base, values);
      if ('theirs' in saved) return setTheirs(saved.theirs);
      const hasOthers = 'mine' in saved;
      // Recreating the form would drop text that was typed during the save, so others' changes wait for the next save.
      const isTyping = latest.current !== values;
      await take(hasOthers && isTyping ? saved.mine : saved.template);
      if (hasOthers && !isTyping) onRestored();
    },
  );
  const formId = useId();
  const latest = useRef(form.values);
  latest.current = form.values;
  const { name, alias, subject, content, html, translations } = form.values;
  // Unlike the draft of a campaign, a template is not saved automatically: applications send it, and would send a
  // half-finished change.
  const { isUnsaved, noteSaved } = useUnsaved([name, alias, subject, content ?? html, translations]);

  async function take(saved: Template): Promise<void> {
    noteSaved();
    setBase(saved);
    setTheirs(null);
    queryClient.setQueryData(['templates', 'one', saved.id], saved);
    await refresh('templates', 'list');
    showToast(t.saved);
  }

  return (
    <CanvasPage
      title={template.name}
      back={back}
      state={<span role="status">{isUnsaved ? t.unsaved : ''}</span>}
      actions={
        <>
          <DeleteMenu things="templates" thing={template} texts={t} />
          <VersionsButton template={template} isUnsaved={isUnsaved} onRestored={onRestored} />
          <Button type="submit" form={formId} look="primary" busy={form.busy}>
            {texts.common.save}
          </Button>
        </>
      }
    >
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      {theirs && (
        <TemplateConflict
          theirs={theirs}
          keepMine={async () => take(await overwriteTemplate(base, form.values))}
          onTheirs={onRestored}
        />
      )}
      <form id={formId} onSubmit={form.onSubmit}>
        <TemplateHead form={form} template={template} />
        <ContentTabs form={form} template={template} />
      </form>
    </CanvasPage>
  );
}

function ContentTabs({ form, template }: { form: Form<TemplateValues>; template: Template }) {
  const { content, html } = form.values;
  const body = content === null ? { html } : { content };
  return (
    <Tabs
      label={editorTexts.label}
      tabs={[
        {
          id: 'edit',
          stays: true,
          name: editorTexts.label,
          content: <ContentField form={form} variables={template.variables} />,
        },
        ...languageTabs(form, template.variables),
        {
          id: 'preview',
          name: editorTexts.preview,
          content: <ContentPreview body={body} ownText={template.text} />,
        },
      ]}
    />
  );
}

/** The subject as the title of the letter. What only the team and its applications see is behind a line. */
function TemplateHead({ form, template }: { form: Form<TemplateValues>; template: Template }) {
  const subject = form.text('subject');
  const own = ['name', 'alias'] as const;
  return (
    <>
      <details open={own.some((name) => form.errorOf(name) !== undefined)}>
        <summary className="w-fit cursor-pointer rounded text-note text-soft hover:text-ink">
          {t.details}
        </summary>
        <div className="mt-3 grid max-w-3xl grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField label={t.name} {...form.text('name')} required />
          <TextField label={t.alias} hint={t.aliasHint} {...form.text('alias')} />
          <TemplateId id={template.id} />
        </div>
      </details>
      <div className="mt-3 mb-3">
        <TitleField
          size="title"
          label={t.subject}
          placeholder={campaignTexts.subjectPlaceholder}
          value={subject.value}
          error={subject.error}
          onChange={(value) => form.set({ subject: value })}
        />
      </div>
      <div className="mb-3 *:mt-0 empty:hidden">
        <FormError error={form.errorBeside()} />
      </div>
    </>
  );
}

interface TemplateConflictProps {
  theirs: Template;
  keepMine(): Promise<void>;
  onTheirs(): void;
}

function TemplateConflict({ theirs, keepMine, onTheirs }: TemplateConflictProps) {
  return (
    <ConflictNotice
      title={t.conflictTitle}
      text={c.textNow}
      keepMine={keepMine}
      mineKept={c.mineKept}
      takeTheirs={async () => {
        queryClient.setQueryData(['templates', 'one', theirs.id], theirs);
        onTheirs();
      }}
      theirsKept={c.mineDropped}
    />
  );
}

interface ContentPreviewProps {
  body: { html: string } | { content: string };
  /** The text part, if the template has one that is not derived from its HTML. */
  ownText: string | null;
}

/** Shows the content as the server renders it. */
function ContentPreview({ body, ownText }: ContentPreviewProps) {
  const preview = useQuery({
    queryKey: ['templates', 'preview', body],
    queryFn: () => sendJson<{ html: string; text: string }>('POST', '/templates/preview', body),
    gcTime: 0,
  });
  if (preview.isError) return <ErrorState error={preview.error} retry={() => void preview.refetch()} />;
  if (preview.isPending) return <Skeleton className="h-[36rem]" />;
  return <MessagePreview html={preview.data.html} text={ownText ?? preview.data.text} />;
}

function ContentField({ form, variables }: { form: Form<TemplateValues>; variables: string[] }) {
  const { content } = form.values;
  if (content === null) {
    return <TextAreaField label={t.html} hint={t.htmlHint} rows={20} mono {...form.text('html')} />;
  }
  return (
    <LazyEditor
      content={content}
      variables={variables}
      takesAnyTag
      onChange={(next) => form.set({ content: next })}
    />
  );
}

function languageTabs(form: Form<TemplateValues>, variables: string[]) {
  const { subject, content, html, translations } = form.values;
  return translationTabs({
    value: translations,
    onChange: (next) => form.set({ translations: next }),
    base: { subject, previewText: '', content, html },
    hasPreviewText: false,
    renderEditor: (own, onChange) => (
      <LazyEditor content={own} variables={variables} takesAnyTag onChange={onChange} />
    ),
  });
}

interface VersionsButtonProps {
  template: Template;
  isUnsaved: boolean;
  onRestored(): void;
}

function VersionsButton({ template: { id }, isUnsaved, onRestored }: VersionsButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        icon={History}
        disabled={isUnsaved}
        title={isUnsaved ? versionTexts.saveFirst : undefined}
        onClick={() => setOpen(true)}
      >
        {versionTexts.open}
      </Button>
      {isOpen && (
        <VersionsDialog
          path={`/templates/${id}`}
          onClose={() => setOpen(false)}
          onRestored={(template: Template) => {
            queryClient.setQueryData(['templates', 'one', id], template);
            void refresh('templates', 'list');
            onRestored();
          }}
        />
      )}
    </>
  );
}
