import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { Form } from '../../../src/features/audience/forms/forms.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { formTexts } from '../../texts/en/forms.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { DeleteMenu } from '../../ui/dialogs/delete-menu.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useForm, useUnsaved } from '../../ui/form.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { FormPreview } from './form-preview.tsx';
import { FormSettings } from './form-settings.tsx';
import { percentOf, toInput, valuesOf } from './form-values.ts';

const t = formTexts;
const back = { to: '/forms', label: t.title } as const;

export function FormPage() {
  const { formId } = useParams({ from: '/app/forms/$formId' });
  const form = useQuery({
    queryKey: ['forms', formId],
    queryFn: () => getJson<Form>(`/forms/${formId}`),
    // The fields must not change while they are being edited.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <PageOf query={form} title={t.title} back={back}>
      {(data) => <FormBuilder key={formId} saved={data} />}
    </PageOf>
  );
}

function FormBuilder({ saved }: { saved: Form }) {
  const { data: books = [] } = useQuery(contactBooksQuery);
  const [embed, setEmbed] = useState<Embed>('html');
  const form = useForm(
    () => valuesOf(saved),
    async () => {
      const answer = await sendJson<Form>('PATCH', `/forms/${saved.id}`, input);
      noteSaved();
      queryClient.setQueryData(['forms', saved.id], answer);
      await queryClient.invalidateQueries({ queryKey: ['forms'], exact: false, refetchType: 'none' });
      showToast(t.saved);
    },
  );
  const book = books.find(({ id }) => id === form.values.contactBookId);
  const input = toInput(form.values, book?.variables ?? []);
  const { isUnsaved, noteSaved } = useUnsaved(form.values);
  return (
    <Page title={saved.name} description={book?.name} back={back} wide actions={<Actions form={saved} />}>
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <Numbers counts={saved.counts} />
      <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <form onSubmit={form.onSubmit} className="min-w-0">
          <FormSettings form={form} books={books} />
          <div className="sticky bottom-0 mt-4 border-t border-line bg-paper py-3">
            <Button type="submit" look="primary" busy={form.busy} disabled={books.length === 0}>
              {texts.common.save}
            </Button>
          </div>
        </form>
        <div className="min-w-0 lg:sticky lg:top-6">
          <Section title={t.preview}>
            <FormPreview input={input} isReady={book !== undefined} />
          </Section>
          <Section title={t.share} description={t.shareLead}>
            <div className="grid gap-4">
              <div>
                <h3 className="mb-1.5 font-medium">{t.link}</h3>
                <CopyLine text={saved.url} label={t.copyLink} />
              </div>
              <div>
                <h3 className="mb-1.5 font-medium">{t.embed}</h3>
                <EmbedChoice value={embed} onChange={setEmbed} />
                <div
                  className="max-h-64 overflow-y-auto rounded-lg"
                  tabIndex={0}
                  role="group"
                  aria-label={t.embed}
                >
                  <CopyLine
                    text={embed === 'html' ? saved.embedHtml : saved.embedScripts[embed]}
                    label={t.copyEmbed}
                  />
                </div>
                {isUnsaved && <p className="mt-1.5 text-[0.8125rem] text-soft">{t.embedUnsaved}</p>}
              </div>
            </div>
          </Section>
        </div>
      </div>
    </Page>
  );
}

type Embed = keyof typeof t.embeds;

function EmbedChoice({ value, onChange }: { value: Embed; onChange(value: Embed): void }) {
  return (
    <div className="mb-2">
      <SelectField
        label={t.embedStyle}
        value={value}
        onChange={({ target }) => onChange(target.value as Embed)}
        options={Object.entries(t.embeds)}
      />
    </div>
  );
}

function Actions({ form }: { form: Form }) {
  return (
    <>
      <DeleteMenu things="forms" thing={form} texts={t} />
      <a href={form.url} target="_blank" rel="noreferrer" className={buttonClasses()}>
        <ExternalLink aria-hidden className="size-4" />
        {t.open}
      </a>
    </>
  );
}

function Numbers({ counts: { views, signups, confirmed } }: Pick<Form, 'counts'>) {
  const numbers = [
    { name: t.views, value: views, hint: t.viewsHint },
    { name: t.signups, value: signups, hint: t.signupsHint(percentOf(signups, views)) },
    { name: t.confirmed, value: confirmed, hint: t.confirmedHint(percentOf(confirmed, signups)) },
  ];
  return (
    <dl className="mb-8 grid grid-cols-3 gap-2 sm:gap-3">
      {numbers.map(({ name, value, hint }) => (
        <Card key={name} className="max-sm:p-3">
          <dt className="text-soft max-sm:text-xs">{name}</dt>
          <dd>
            <span className="block text-2xl font-semibold tabular-nums">{texts.common.number(value)}</span>
            <span className="block text-[0.8125rem] text-soft max-sm:hidden">{hint}</span>
          </dd>
        </Card>
      ))}
    </dl>
  );
}
