import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LayoutTemplate } from 'lucide-react';
import type { Template, TemplateListItem } from '../../../src/features/content/templates/templates.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { cursorList } from '../../api/pages.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { firstDocument } from '../../editor/first-document.ts';
import { texts } from '../../texts/en.ts';
import { templateTexts } from '../../texts/en/templates.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { brandQuery } from '../../api/brand.ts';
import { CodeField, codeInput } from '../starters/code-field.tsx';
import { BLANK, OWN_CODE, StarterGallery, startersQuery } from '../starters/starter-gallery.tsx';
import { TemplateCard } from './template-card.tsx';

const t = templateTexts;

export function TemplatesPage() {
  const templates = useInfiniteQuery(cursorList<TemplateListItem>(['templates', 'list'], '/templates'));
  const items = templates.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={{ label: t.create, dialog: (close) => <CreateDialog onClose={close} /> }}
    >
      {templates.isPending && <SkeletonGrid />}
      {templates.isError && <ErrorState error={templates.error} retry={() => void templates.refetch()} />}
      {templates.isSuccess && items.length === 0 && (
        <EmptyState
          icon={LayoutTemplate}
          title={t.emptyTitle}
          text={t.emptyText}
          action={<CreateFirst>{t.first}</CreateFirst>}
        />
      )}
      <ul aria-label={t.title} className={GRID}>
        {items.map((template) => (
          <TemplateCard key={template.id} template={template} />
        ))}
      </ul>
      {templates.hasNextPage && (
        <Button
          className="mt-4"
          busy={templates.isFetchingNextPage}
          onClick={() => void templates.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </ListPage>
  );
}

const GRID = 'grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4 empty:hidden';

function SkeletonGrid() {
  return (
    <div role="status" className={GRID}>
      <span className="sr-only">{texts.common.loading}</span>
      {Array.from({ length: 4 }, (_, index) => (
        <Skeleton key={index} className="h-64" />
      ))}
    </div>
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
