/** A page that lists items of contact books. Each item needs a book. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { cursorList } from '../../api/pages.ts';
import type { Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { contactBooksQuery } from './contact-books-api.ts';
import { ToBooks } from './to-books.tsx';

interface ListOfBooksProps<Item> {
  texts: Record<'title' | 'lead' | 'create' | 'first' | 'needsBook' | 'emptyTitle' | 'emptyText', string>;
  /** The name of the list in the API. */
  list: string;
  icon: LucideIcon;
  columnsOf(books: readonly ContactBook[]): Column<Item>[];
  dialog(close: () => void): ReactNode;
}

export function ListOfBooks<Item extends { id: string }>({
  texts: t,
  list,
  icon,
  columnsOf,
  dialog,
}: ListOfBooksProps<Item>) {
  const items = useInfiniteQuery(cursorList<Item>([list], `/${list}`));
  const { data: books = [] } = useQuery(contactBooksQuery);
  const hasNoBook = books.length === 0;
  return (
    <ListPage
      title={t.title}
      description={t.lead}
      create={{
        label: t.create,
        disabled: hasNoBook,
        title: hasNoBook ? t.needsBook : undefined,
        dialog,
      }}
    >
      <CursorTable
        label={t.title}
        query={items}
        columns={columnsOf(books)}
        empty={
          <EmptyState
            icon={icon}
            title={t.emptyTitle}
            text={hasNoBook ? `${t.emptyText} ${t.needsBook}` : t.emptyText}
            action={hasNoBook ? <ToBooks /> : <CreateFirst>{t.first}</CreateFirst>}
          />
        }
      />
    </ListPage>
  );
}

export function bookColumn<Item extends { contactBookId: string }>(
  name: string,
  books: readonly ContactBook[],
): Column<Item> {
  return {
    name,
    width: 2,
    cell: ({ contactBookId }) => books.find(({ id }) => id === contactBookId)?.name ?? '',
  };
}
