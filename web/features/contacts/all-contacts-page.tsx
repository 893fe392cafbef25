/** The contacts of all books in one list. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { buttonClasses } from '../../ui/button.tsx';
import type { Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { ADDED_COLUMN, EMAIL_COLUMN, NAME_COLUMN, SUBSCRIPTION_COLUMN } from './contact-columns.tsx';

const t = contactTexts;

export function AllContactsPage() {
  const { search } = useSearch({ from: '/app/contacts' });
  const navigate = useNavigate({ from: '/contacts' });
  const { data: books = [] } = useQuery(contactBooksQuery);
  const contacts = useInfiniteQuery({
    ...cursorList<Contact>(['contacts', 'all'], '/contacts', { search }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      wide
      title={t.allContacts}
      description={t.allContactsLead}
      back={{ to: '/contact-books', label: t.books }}
    >
      <ListFilters>
        <SearchField
          label={t.search}
          value={search}
          onSearch={(found) => void navigate({ search: { search: found }, replace: true })}
        />
      </ListFilters>
      <CursorTable
        label={t.allContacts}
        query={contacts}
        columns={[EMAIL_COLUMN, NAME_COLUMN, bookColumn(books), SUBSCRIPTION_COLUMN, ADDED_COLUMN]}
        empty={
          search === undefined ? (
            <EmptyState
              icon={Users}
              title={t.noContactsTitle}
              text={t.noContactsText}
              action={
                <Link to="/contact-books" className={buttonClasses('primary')}>
                  {t.chooseBook}
                </Link>
              }
            />
          ) : (
            <NothingFound
              icon={Users}
              title={t.noMatchTitle}
              text={t.noMatchText}
              clear={() => void navigate({ search: {} })}
            />
          )
        }
      />
    </Page>
  );
}

function bookColumn(books: readonly ContactBook[]): Column<Contact> {
  return {
    name: segmentTexts.book,
    width: 1,
    wideOnly: true,
    cell: ({ contactBookId }) => (
      <TextLink to="/contact-books/$bookId" params={{ bookId: contactBookId }} className="font-normal">
        {books.find(({ id }) => id === contactBookId)?.name ?? ''}
      </TextLink>
    ),
  };
}
