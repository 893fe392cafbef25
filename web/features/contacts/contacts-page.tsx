import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, Ellipsis, MailCheck, Settings2, Trash2, Upload, Users } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/contacts/contacts.schema.ts';
import { apiUrl, sendJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { buttonClasses, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { ChoiceField, CreateButton, ListFilters, SearchField } from '../../ui/list-head.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { BookDialog } from '../contact-books/book-dialog.tsx';
import { ConfirmationDialog } from '../contact-books/confirmation-dialog.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { ContactDialog } from './contact-dialog.tsx';
import { SubscriptionBadge } from './subscription-badge.tsx';

const t = texts.contacts;
const back = { to: '/contact-books', label: t.books } as const;

export function ContactsPage() {
  const { bookId } = useParams({ from: '/app/contact-books/$bookId' });
  const book = useQuery(contactBookQuery(bookId));
  return (
    <PageOf query={book} title={t.books} back={back}>
      {(data) => <Book key={bookId} book={data} />}
    </PageOf>
  );
}

function Book({ book }: { book: ContactBook }) {
  const [open, setOpen] = useState<'add' | 'settings' | 'confirmation' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <Page
      wide
      title={`${book.emoji} ${book.name}`}
      description={t.count(book._count.contacts)}
      back={back}
      actions={
        <>
          <Menu trigger={<IconButton icon={Ellipsis} label={texts.common.more} className="size-9" />}>
            <MenuItem icon={Settings2} onSelect={() => setOpen('settings')}>
              {t.bookSettings}
            </MenuItem>
            <MenuItem icon={MailCheck} onSelect={() => setOpen('confirmation')}>
              {t.confirmationMail}
            </MenuItem>
            <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
              {t.deleteBook}
            </MenuItem>
          </Menu>
          <a className={buttonClasses()} href={apiUrl(`/contactBooks/${book.id}/export`)} download>
            <Download aria-hidden className="size-4" />
            {t.exportCsv}
          </a>
          <Link to="/contact-books/$bookId/import" params={{ bookId: book.id }} className={buttonClasses()}>
            <Upload aria-hidden className="size-4" />
            {t.importCsv}
          </Link>
          <CreateButton onClick={() => setOpen('add')}>{t.add}</CreateButton>
        </>
      }
    >
      <ContactList book={book} />
      {open === 'add' && <ContactDialog book={book} contact={null} onClose={close} />}
      {open === 'settings' && <BookDialog book={book} onClose={close} />}
      {open === 'confirmation' && <ConfirmationDialog book={book} onClose={close} />}
      {open === 'delete' && <DeleteBookDialog book={book} onClose={close} />}
    </Page>
  );
}

function ContactList({ book }: { book: ContactBook }) {
  const { search, subscribed } = useSearch({ from: '/app/contact-books/$bookId' });
  const navigate = useNavigate({ from: '/contact-books/$bookId' });
  const [edited, setEdited] = useState<Contact | null>(null);
  const contacts = useInfiniteQuery({
    ...cursorList<Contact>(['contacts', book.id], `/contactBooks/${book.id}/contacts`, {
      search,
      subscribed,
    }),
    placeholderData: keepPreviousData,
  });
  const find = useCallback(
    (text: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, search: text }), replace: true }),
    [navigate],
  );
  const isFiltered = search !== undefined || subscribed !== undefined;
  return (
    <>
      <ListFilters>
        <SearchField label={t.search} value={search} onSearch={find} />
        <ChoiceField
          label={t.subscription}
          all={t.subscriptions.all}
          choices={[
            ['true', t.subscriptions.true],
            ['false', t.subscriptions.false],
          ]}
          value={subscribed === undefined ? undefined : `${subscribed}`}
          onChoose={(chosen) =>
            void navigate({
              search: (before) => ({
                ...before,
                subscribed: chosen === undefined ? undefined : chosen === 'true',
              }),
            })
          }
        />
      </ListFilters>
      <CursorTable
        label={t.books}
        query={contacts}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.email,
            width: 'minmax(0, 2fr)',
            cell: (contact) => (
              <button
                type="button"
                className="max-w-full truncate rounded font-medium hover:underline"
                onClick={() => setEdited(contact)}
              >
                {contact.email}
              </button>
            ),
          },
          {
            name: t.person,
            width: 'minmax(0, 1.5fr)',
            wideOnly: true,
            cell: (contact) => [contact.firstName, contact.lastName].filter(Boolean).join(' '),
          },
          {
            name: t.subscription,
            width: '10.5rem',
            cell: (contact) => <SubscriptionBadge contact={contact} />,
          },
          {
            name: t.added,
            width: '6.5rem',
            wideOnly: true,
            cell: (contact) => (
              <span className="text-soft">
                <Time at={contact.createdAt} />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={Users} title={isFiltered ? t.noMatchTitle : t.noContactsTitle}>
            {isFiltered ? t.noMatchText : t.noContactsText}
          </EmptyState>
        }
      />
      {edited && <ContactDialog book={book} contact={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function DeleteBookDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={t.deleteBookTitle(book.name)}
      action={t.deleteBook}
      typed={book.name}
      onClose={onClose}
      run={async () => {
        await sendJson('DELETE', `/contactBooks/${book.id}`);
        await navigate({ to: '/contact-books' });
        await queryClient.invalidateQueries({ queryKey: ['contact-books'] });
        showToast(t.bookDeleted);
      }}
    >
      <p>{t.deleteBookText(book._count.contacts)}</p>
    </ConfirmDialog>
  );
}
