import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SquarePen } from 'lucide-react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Form } from '../../../src/features/audience/forms/forms.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { formTexts } from '../../texts/en/forms.ts';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { bookColumn, ListOfBooks } from '../contact-books/list-of-books.tsx';

const t = formTexts;

export function FormsPage() {
  return (
    <ListOfBooks<Form>
      texts={t}
      list="forms"
      icon={SquarePen}
      columnsOf={columnsOf}
      dialog={(close) => <CreateDialog onClose={close} />}
    />
  );
}

function columnsOf(books: readonly ContactBook[]): Column<Form>[] {
  return [
    {
      name: t.name,
      width: 2,
      cell: ({ id, name }) => (
        <TextLink to="/forms/$formId" params={{ formId: id }}>
          {name}
        </TextLink>
      ),
    },
    { ...bookColumn<Form>(t.book, books), wideOnly: true },
    countColumn(t.views, ({ counts }) => counts.views, true),
    countColumn(t.signups, ({ counts }) => counts.signups, false),
    countColumn(t.confirmed, ({ counts }) => counts.confirmed, true),
    timeColumn(texts.common.created, ({ createdAt }) => createdAt),
  ];
}

function countColumn(name: string, countOf: (form: Form) => number, wideOnly: boolean): Column<Form> {
  return {
    name,
    width: '5.5rem',
    wideOnly,
    cell: (form) => <span className="tabular-nums">{texts.common.number(countOf(form))}</span>,
  };
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const { data: books = [] } = useQuery(contactBooksQuery);
  const form = useForm({ name: '', contactBookId: books[0]?.id ?? '' }, async (values) => {
    const { id } = await sendOnce<Form>('/forms', values);
    await refresh('forms');
    await navigate({ to: '/forms/$formId', params: { formId: id } });
  });
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField label={t.name} hint={t.nameHint} {...form.text('name')} autoFocus required />
      <SelectField label={t.book} {...form.text('contactBookId')} options={optionsOf(books)} />
    </FormDialog>
  );
}
