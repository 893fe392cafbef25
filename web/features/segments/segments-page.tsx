import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Filter } from 'lucide-react';
import { useState } from 'react';
import type { Segment } from '../../../src/features/segments/segments.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ToBooks } from '../contact-books/to-books.tsx';

const t = texts.segments;

export function SegmentsPage() {
  const segments = useInfiniteQuery(cursorList<Segment>(['segments'], '/segments'));
  const { data: books = [] } = useQuery(contactBooksQuery);
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={
        <CreateButton
          disabled={books.length === 0}
          title={books.length === 0 ? t.needsBook : undefined}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </CreateButton>
      }
    >
      <CursorTable
        label={t.title}
        query={segments}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.name,
            width: 'minmax(0, 2fr)',
            cell: (segment) => (
              <Link
                to="/segments/$segmentId"
                params={{ segmentId: segment.id }}
                className="rounded font-medium hover:underline"
              >
                {segment.name}
              </Link>
            ),
          },
          {
            name: t.book,
            width: 'minmax(0, 2fr)',
            cell: (segment) => books.find(({ id }) => id === segment.contactBookId)?.name ?? '',
          },
          {
            name: texts.common.created,
            width: '7rem',
            wideOnly: true,
            cell: (segment) => (
              <span className="text-soft">
                <Time at={segment.createdAt} />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={Filter} title={t.emptyTitle} action={books.length === 0 && <ToBooks />}>
            {t.emptyText} {books.length === 0 && t.needsBook}
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
  const { data: books = [] } = useQuery(contactBooksQuery);
  const [name, setName] = useState('');
  const [bookId, setBookId] = useState(books[0]?.id ?? '');
  const form = useSubmission(async () => {
    const input = { name, contactBookId: bookId, filter: { all: [] } };
    const segment = await sendJson<Segment>('POST', '/segments', input);
    await queryClient.invalidateQueries({ queryKey: ['segments'] });
    await navigate({ to: '/segments/$segmentId', params: { segmentId: segment.id } });
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
