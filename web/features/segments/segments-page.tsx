import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Filter } from 'lucide-react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Segment } from '../../../src/features/audience/segments/segments.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { bookColumn, ListOfBooks } from '../contact-books/list-of-books.tsx';

const t = segmentTexts;

export function SegmentsPage() {
  return (
    <ListOfBooks<Segment>
      texts={t}
      list="segments"
      icon={Filter}
      columnsOf={columnsOf}
      dialog={(close) => <CreateDialog onClose={close} />}
    />
  );
}

function columnsOf(books: readonly ContactBook[]): Column<Segment>[] {
  return [
    {
      name: t.name,
      width: 2,
      cell: ({ id, name }) => (
        <TextLink to="/segments/$segmentId" params={{ segmentId: id }}>
          {name}
        </TextLink>
      ),
    },
    bookColumn(t.book, books),
    timeColumn(texts.common.created, ({ createdAt }) => createdAt),
  ];
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const { data: books = [] } = useQuery(contactBooksQuery);
  const form = useForm({ name: '', contactBookId: books[0]?.id ?? '' }, async (values) => {
    const segment = await sendOnce<Segment>('/segments', { ...values, filter: { all: [] } });
    await refresh('segments');
    await navigate({ to: '/segments/$segmentId', params: { segmentId: segment.id } });
  });
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField label={t.name} {...form.text('name')} autoFocus required />
      <SelectField label={t.book} {...form.text('contactBookId')} options={optionsOf(books)} />
    </FormDialog>
  );
}
