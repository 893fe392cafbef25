import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import type { Template, TemplateListItem } from '../../../src/features/templates/templates.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { firstDocument } from '../../editor/first-document.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { useSession } from '../people/session.ts';
import { copyCampaign } from './copy-campaign.ts';

const t = texts.campaigns;

interface CreateCampaignDialogProps {
  books: ContactBook[];
  /** One to begin with, in place of an empty letter. */
  like?: Campaign;
  onClose(): void;
}

export function CreateCampaignDialog({ books, like, onClose }: CreateCampaignDialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { team } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery);
  const verified = domains.find(({ status }) => status === 'SUCCESS')?.name;
  const [name, setName] = useState(like ? t.copyOf(like.name) : '');
  const [typedSubject, setSubject] = useState<string | null>(like?.subject ?? null);
  const [typedFrom, setFrom] = useState<string | null>(like?.from ?? null);
  const bookIds = books.map(({ id }) => id);
  const [bookId, setBookId] = useState(bookIds.find((id) => id === like?.contactBookId) ?? bookIds[0]!);
  const { data: templates = [] } = useQuery({
    queryKey: ['templates', 'list', 'all'],
    queryFn: () => getAll<TemplateListItem>('/templates'),
    enabled: !like,
  });
  const [templateId, setTemplateId] = useState('');
  const subject = typedSubject ?? templates.find(({ id }) => id === templateId)?.subject ?? '';
  const from = typedFrom ?? (verified ? `${team.name} <news@${verified}>` : '');
  const form = useSubmission(async () => {
    const rest = like
      ? await copyCampaign(like, bookId, bookIds)
      : { contactBookId: bookId, ...(await firstLetter(templateId)) };
    const input = { name, subject, from: from.trim(), ...rest };
    const campaign = await sendJson<Campaign>('POST', '/campaigns', input);
    await queryClient.invalidateQueries({ queryKey: ['campaigns'] });
    await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } });
  });
  return (
    <FormDialog title={like ? t.copyTitle : t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        autoFocus
        required
        error={form.errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
      {templates.length > 0 && (
        <SelectField
          label={t.template}
          value={templateId}
          onChange={(event) => setTemplateId(event.target.value)}
        >
          <option value="">{t.noTemplate}</option>
          {templates.map((template) => (
            <option key={template.id} value={template.id}>
              {template.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label={t.subject}
        value={subject}
        required
        error={form.errorOf('subject')}
        onChange={(event) => setSubject(event.target.value)}
      />
      <TextField
        label={t.from}
        hint={t.fromHint}
        value={from}
        required
        error={form.errorOf('from')}
        onChange={(event) => setFrom(event.target.value)}
      />
      <SelectField
        label={t.book}
        value={bookId}
        error={form.errorOf('contactBookId')}
        onChange={(event) => setBookId(event.target.value)}
      >
        {books.map((book) => (
          <option key={book.id} value={book.id}>
            {book.name}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

async function firstLetter(templateId: string): Promise<{ content: string } | { html: string }> {
  if (templateId === '') return { content: firstDocument(t.firstContent) };
  const { content, html, text } = await getJson<Template>(`/templates/${templateId}`);
  if (content !== null) return { content };
  return html === null ? { content: firstDocument(text ?? '') } : { html };
}
