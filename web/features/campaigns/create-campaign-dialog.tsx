import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Template, TemplateListItem } from '../../../src/features/content/templates/templates.schema.ts';
import { getJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { getAll } from '../../api/pages.ts';
import { queryClient, refresh } from '../../api/query-client.ts';
import { firstDocument } from '../../editor/first-document.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { brandQuery } from '../../api/brand.ts';
import { domainsQuery } from '../domains/domains-api.ts';
import { useSession } from '../people/session.ts';
import { CodeField, codeInput } from '../starters/code-field.tsx';
import {
  BLANK,
  OWN_CODE,
  OWN_TEMPLATE,
  StarterGallery,
  startersQuery,
} from '../starters/starter-gallery.tsx';
import { copyCampaign } from './copy-campaign.ts';

const t = campaignTexts;

interface CreateCampaignDialogProps {
  books: ContactBook[];
  /** The campaign to copy. */
  like?: Campaign;
  onClose(): void;
}

export function CreateCampaignDialog({ books, like, onClose }: CreateCampaignDialogProps) {
  const navigate = useNavigate();
  const defaultFrom = useDefaultFrom();
  const { data: templates = [] } = useQuery({
    queryKey: ['templates', 'list', 'all'],
    queryFn: () => getAll<TemplateListItem>('/templates'),
    enabled: !like,
  });
  const form = useForm(
    () => valuesOf(books, like),
    async ({ name, contactBookId }) => {
      const rest = like
        ? await copyCampaign(like, contactBookId, idsOf(books))
        : { contactBookId, ...(await firstLetter(start, code, template)) };
      const input = { name, subject, from: from.trim(), ...rest };
      const campaign = await sendOnce<Campaign>('/campaigns', input);
      await refresh('campaigns');
      await navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } });
    },
  );
  const { start, code, starterSubject } = form.values;
  const template = templates.find(({ id }) => id === form.values.templateId) ?? templates[0];
  const shown = useQuery({ ...templateQuery(template?.id ?? ''), enabled: start === OWN_TEMPLATE });
  const subject =
    form.values.subject ?? (start === OWN_TEMPLATE ? (template?.subject ?? '') : starterSubject);
  const from = form.values.from ?? defaultFrom;
  return (
    <FormDialog
      title={like ? t.copyTitle : t.create}
      wide={!like}
      form={form}
      action={t.createAction}
      onClose={onClose}
    >
      <TextField label={t.name} hint={t.nameHint} {...form.text('name')} autoFocus required />
      {!like && (
        <StarterGallery
          forCampaigns
          chosen={start}
          ownTemplate={template && { html: shown.data?.html ?? null }}
          onChoose={(id, starter) => form.set({ start: id, starterSubject: starter?.subject ?? '' })}
        />
      )}
      {start === OWN_CODE && (
        <CodeField
          value={code}
          error={form.errorOf('html') ?? form.errorOf('mjml')}
          onChange={(next) => form.set({ code: next })}
        />
      )}
      {start === OWN_TEMPLATE && template && (
        <SelectField
          label={t.template}
          value={template.id}
          options={optionsOf(templates)}
          onChange={({ target }) => form.set({ templateId: target.value })}
        />
      )}
      <TextField
        label={t.subject}
        value={subject}
        required
        error={form.errorOf('subject')}
        onChange={({ target }) => form.set({ subject: target.value })}
      />
      <TextField
        label={t.from}
        hint={t.fromHint}
        value={from}
        required
        error={form.errorOf('from')}
        onChange={({ target }) => form.set({ from: target.value })}
      />
      <SelectField label={t.book} {...form.text('contactBookId')} options={optionsOf(books)} />
    </FormDialog>
  );
}

/** Subject and sender are null until they are typed. Until then they follow the template and the verified domain. */
function valuesOf(books: readonly ContactBook[], like: Campaign | undefined) {
  const book = books.find(({ id }) => id === like?.contactBookId) ?? books[0]!;
  return {
    name: like ? t.copyOf(like.name) : '',
    subject: like?.subject ?? (null as string | null),
    from: like?.from ?? (null as string | null),
    contactBookId: book.id,
    templateId: '',
    start: BLANK,
    code: '',
    starterSubject: '',
  };
}

function idsOf(books: readonly ContactBook[]): string[] {
  return books.map(({ id }) => id);
}

function useDefaultFrom(): string {
  const { team } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery);
  const verified = domains.find(({ status }) => status === 'SUCCESS')?.name;
  return verified ? `${team.name} <news@${verified}>` : '';
}

function templateQuery(id: string) {
  return {
    queryKey: ['templates', 'start', id],
    queryFn: () => getJson<Template>(`/templates/${id}`),
  };
}

async function firstLetter(
  start: string,
  code: string,
  template: TemplateListItem | undefined,
): Promise<{ content: string } | { html: string } | { mjml: string }> {
  if (start === OWN_CODE) return codeInput(code);
  const brand = await queryClient.ensureQueryData(brandQuery);
  if (start === BLANK) return { content: firstDocument(t.firstContent, brand) };
  if (start === OWN_TEMPLATE) {
    const { content, html, text } = await queryClient.fetchQuery(templateQuery(template!.id));
    if (content !== null) return { content };
    return html === null ? { content: firstDocument(text ?? '', brand) } : { html };
  }
  const starters = await queryClient.ensureQueryData(startersQuery);
  return { content: starters.find(({ id }) => id === start)!.content };
}
