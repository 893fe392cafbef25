import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { findName, propertyKey } from '../../../src/mail/html/tag-names.ts';
import { cursorList } from '../../api/pages.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import type { Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { CreateFirst } from '../../ui/lists/list-page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { ColumnMenu, useShownProperties } from './column-menu.tsx';
import { ADDED_COLUMN, EMAIL_COLUMN, NAME_COLUMN, SUBSCRIPTION_COLUMN } from './contact-columns.tsx';
import { selectColumn, useSelection } from './selection.tsx';

const t = contactTexts;

/** One of all spellings of a name, the first. */
function distinctNames(names: string[]): string[] {
  const byKey = new Map(names.toReversed().map((name) => [propertyKey(name), name]));
  return [...new Set(names.map((name) => byKey.get(propertyKey(name))!))];
}

export function ContactList({ book }: { book: ContactBook }) {
  const { search, subscribed } = useSearch({ from: '/app/contact-books/$bookId' });
  const navigate = useNavigate({ from: '/contact-books/$bookId' });
  const contacts = useInfiniteQuery({
    ...cursorList<Contact>(['contacts', book.id], `/contactBooks/${book.id}/contacts`, {
      search,
      subscribed,
    }),
    placeholderData: keepPreviousData,
  });
  const loaded = contacts.data?.pages.flatMap((page) => page.items) ?? [];
  const properties = distinctNames([
    ...book.variables,
    ...loaded.slice(0, 200).flatMap((each) => Object.keys(each.properties)),
  ]);
  const [shown, setShown] = useShownProperties(book.id);
  const selection = useSelection(loaded, JSON.stringify([search, subscribed]));
  const isFiltered = search !== undefined || subscribed !== undefined;
  return (
    <>
      <ListFilters>
        <ContactFilters />
        <ColumnMenu properties={properties} shown={shown} onChange={setShown} />
      </ListFilters>
      <BulkBar
        book={book}
        selection={selection}
        more={contacts.hasNextPage && { search, subscribed, count: isFiltered ? null : book._count.contacts }}
      />
      <CursorTable
        label={t.books}
        query={contacts}
        columns={[
          selectColumn(selection),
          EMAIL_COLUMN,
          NAME_COLUMN,
          ...shown.filter((name) => properties.includes(name)).map(propertyColumn),
          SUBSCRIPTION_COLUMN,
          ADDED_COLUMN,
        ]}
        empty={
          isFiltered ? (
            <NothingFound
              icon={Users}
              title={t.noMatchTitle}
              text={t.noMatchText}
              clear={() => void navigate({ search: {} })}
            />
          ) : (
            <EmptyState
              icon={Users}
              title={t.noContactsTitle}
              text={t.noContactsText}
              action={<CreateFirst>{t.first}</CreateFirst>}
            />
          )
        }
      />
    </>
  );
}

function propertyColumn(name: string): Column<Contact> {
  return {
    name,
    width: 1,
    wideOnly: true,
    cell: ({ properties }) => String(properties[findName(Object.keys(properties), name) ?? ''] ?? ''),
  };
}

function ContactFilters() {
  const { search, subscribed } = useSearch({ from: '/app/contact-books/$bookId' });
  const navigate = useNavigate({ from: '/contact-books/$bookId' });
  return (
    <>
      <SearchField
        label={t.search}
        value={search}
        onSearch={(found) =>
          void navigate({ search: (before) => ({ ...before, search: found }), replace: true })
        }
      />
      <ChoiceField
        label={t.subscription}
        all={t.subscriptions.all}
        choices={[
          ['true', t.subscriptions.true],
          ['false', t.subscriptions.false],
        ]}
        value={subscribed === undefined ? undefined : `${subscribed}`}
        onChoose={(chosen) => {
          const isChosen = chosen === undefined ? undefined : chosen === 'true';
          void navigate({ search: (before) => ({ ...before, subscribed: isChosen }) });
        }}
      />
    </>
  );
}
