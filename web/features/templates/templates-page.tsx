import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { LayoutTemplate } from 'lucide-react';
import { useState } from 'react';
import type { Template, TemplateListItem } from '../../../src/features/templates/templates.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { firstDocument } from '../../editor/first-document.ts';
import { texts } from '../../texts/en.ts';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const t = texts.templates;

export function TemplatesPage() {
  const templates = useInfiniteQuery(cursorList<TemplateListItem>(['templates', 'list'], '/templates'));
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={<CreateButton onClick={() => setCreating(true)}>{t.create}</CreateButton>}
    >
      <CursorTable
        label={t.title}
        query={templates}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.name,
            width: 'minmax(0, 2fr)',
            cell: (template) => (
              <Link
                to="/templates/$templateId"
                params={{ templateId: template.id }}
                className="rounded font-medium hover:underline"
              >
                {template.name}
              </Link>
            ),
          },
          { name: t.subject, width: 'minmax(0, 3fr)', wideOnly: true, cell: (template) => template.subject },
          {
            name: t.edited,
            width: '7rem',
            cell: (template) => (
              <span className="text-soft">
                <Time at={template.updatedAt} />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={LayoutTemplate} title={t.emptyTitle}>
            {t.emptyText}
          </EmptyState>
        }
      />
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const form = useSubmission(async () => {
    const input = { name, subject: name, content: firstDocument(t.firstContent) };
    const template = await sendJson<Template>('POST', '/templates', input);
    await queryClient.invalidateQueries({ queryKey: ['templates'] });
    await navigate({ to: '/templates/$templateId', params: { templateId: template.id } });
  });
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField
        label={t.name}
        value={name}
        autoFocus
        required
        error={form.errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
