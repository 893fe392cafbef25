import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LayoutTemplate } from 'lucide-react';
import type { Template, TemplateListItem } from '../../../src/features/content/templates/templates.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { cursorList } from '../../api/pages.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { firstDocument } from '../../editor/first-document.ts';
import { templateTexts } from '../../texts/en/templates.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { CardGrid } from '../../ui/lists/card-grid.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { brandQuery } from '../../api/brand.ts';
import { CodeField, codeInput } from '../starters/code-field.tsx';
import { BLANK, OWN_CODE, StarterGallery, startersQuery } from '../starters/starter-gallery.tsx';
import { TemplateCard } from './template-card.tsx';

const t = templateTexts;

export function TemplatesPage() {
  const templates = useInfiniteQuery(cursorList<TemplateListItem>(['templates', 'list'], '/templates'));
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={{ label: t.create, dialog: (close) => <CreateDialog onClose={close} /> }}
    >
      <CardGrid
        label={t.title}
        query={templates}
        skeleton={{ count: 4, className: 'h-64' }}
        empty={
          <EmptyState
            icon={LayoutTemplate}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
        more={t.more}
      >
        {(template) => <TemplateCard key={template.id} template={template} />}
      </CardGrid>
    </ListPage>
  );
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const form = useForm({ name: '', start: BLANK, code: '' }, async ({ name, start, code }) => {
    const input = {
      name,
      subject: name,
      ...(start === OWN_CODE ? codeInput(code) : await firstContent(start)),
    };
    const template = await sendOnce<Template>('/templates', input);
    await refresh('templates');
    await navigate({ to: '/templates/$templateId', params: { templateId: template.id } });
  });
  const { start, code } = form.values;
  return (
    <FormDialog title={t.create} wide form={form} action={t.createAction} onClose={onClose}>
      <TextField label={t.name} {...form.text('name')} autoFocus required />
      <StarterGallery chosen={start} onChoose={(id) => form.set({ start: id })} />
      {start === OWN_CODE && (
        <CodeField
          value={code}
          error={form.errorOf('html') ?? form.errorOf('mjml')}
          onChange={(next) => form.set({ code: next })}
        />
      )}
    </FormDialog>
  );
}

async function firstContent(start: string): Promise<{ content: string; subject?: string }> {
  const brand = await queryClient.ensureQueryData(brandQuery);
  if (start === BLANK) return { content: firstDocument(t.firstContent, brand, false) };
  const starters = await queryClient.ensureQueryData(startersQuery);
  const { content, subject } = starters.find(({ id }) => id === start)!;
  return { content, subject };
}
