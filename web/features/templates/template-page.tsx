import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Template } from '../../../src/features/templates/templates.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { MessagePreview } from '../../editor/message-preview.tsx';
import { texts } from '../../texts/en.ts';
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { FormError, useSubmission, useUnsaved } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.templates;
const back = { to: '/templates', label: t.title } as const;

export function TemplatePage() {
  const { templateId } = useParams({ from: '/app/templates/$templateId' });
  const template = useQuery({
    queryKey: ['templates', 'one', templateId],
    queryFn: () => getJson<Template>(`/templates/${templateId}`),
    // What is being edited must not change under the person's hands.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <PageOf query={template} title={t.title} back={back}>
      {(data) => <TemplateForm key={templateId} template={data} />}
    </PageOf>
  );
}

function TemplateForm({ template }: { template: Template }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(template.name);
  const [subject, setSubject] = useState(template.subject ?? '');
  const [content, setContent] = useState(template.content);
  const [html, setHtml] = useState(template.html ?? '');
  const [deleting, setDeleting] = useState(false);
  // Not saved by itself, as a campaign's draft is: programs send by it, and would send what is half written.
  const { isUnsaved, noteSaved } = useUnsaved([name, subject, content ?? html]);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    const body = content === null ? { html } : { content };
    const input = { name, subject: subject.trim() || null, ...body };
    const saved = await sendJson<Template>('PATCH', `/templates/${template.id}`, input);
    noteSaved();
    queryClient.setQueryData(['templates', 'one', template.id], saved);
    await queryClient.invalidateQueries({ queryKey: ['templates', 'list'] });
    showToast(t.saved);
  });
  return (
    <Page
      title={template.name}
      back={back}
      description={
        <span className="flex flex-wrap items-center gap-1">
          {t.id} <code className="text-[0.8125rem]">{template.id}</code>
          <CopyButton text={template.id} label={t.copyId} />
        </span>
      }
      actions={
        <Button icon={Trash2} onClick={() => setDeleting(true)}>
          {t.delete}
        </Button>
      }
    >
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <form onSubmit={onSubmit} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t.name}
            value={name}
            required
            error={errorOf('name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label={t.subject}
            value={subject}
            error={errorOf('subject')}
            onChange={(event) => setSubject(event.target.value)}
          />
        </div>
        <Tabs
          label={texts.editor.label}
          tabs={[
            {
              id: 'edit',
              name: texts.editor.label,
              content:
                content === null ? (
                  <TextAreaField
                    label={t.html}
                    hint={t.htmlHint}
                    rows={20}
                    value={html}
                    error={errorOf('html')}
                    onChange={(event) => setHtml(event.target.value)}
                  />
                ) : (
                  <LazyEditor
                    content={content}
                    variables={template.variables}
                    takesAnyTag
                    onReady={setHtml}
                    onChange={(next, nextHtml) => {
                      setContent(next);
                      setHtml(nextHtml);
                    }}
                  />
                ),
            },
            {
              id: 'preview',
              name: texts.editor.preview,
              content: <MessagePreview html={html} isWhole={content === null} />,
            },
          ]}
        />
        <FormError error={errorBeside()} />
        <Button type="submit" look="primary" busy={busy}>
          {texts.common.save}
        </Button>
      </form>
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(template.name)}
          action={t.delete}
          onClose={() => setDeleting(false)}
          run={async () => {
            await sendJson('DELETE', `/templates/${template.id}`);
            await navigate({ to: '/templates', ignoreBlocker: true });
            await queryClient.invalidateQueries({ queryKey: ['templates'] });
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
