import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Download, Globe, MailCheck, Settings2, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { apiUrl } from '../../api/client.ts';
import { archiveTexts } from '../../texts/en/archive.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { ListPage } from '../../ui/lists/list-page.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { useDeleteAndLeave } from '../../ui/dialogs/use-delete-and-leave.ts';
import { ArchiveDialog } from '../contact-books/archive-dialog.tsx';
import { BookGrowth } from '../contact-books/book-growth.tsx';
import { BookDialog } from '../contact-books/book-dialog.tsx';
import { ConfirmationDialog } from '../contact-books/confirmation-dialog.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { ContactDialog } from './contact-dialog.tsx';
import { ContactList } from './contact-list.tsx';

const t = contactTexts;
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
  return (
    <ListPage
      wide
      title={`${book.emoji} ${book.name}`}
      description={t.count(book._count.contacts)}
      back={back}
      actions={
        <>
          <BookMenu book={book} />
          <a className={buttonClasses()} href={apiUrl(`/contactBooks/${book.id}/export`)} download>
            <Download aria-hidden className="size-4" />
            {t.exportCsv}
          </a>
          <Link to="/contact-books/$bookId/import" params={{ bookId: book.id }} className={buttonClasses()}>
            <Upload aria-hidden className="size-4" />
            {t.importCsv}
          </Link>
        </>
      }
      create={{
        label: t.add,
        dialog: (close) => <ContactDialog book={book} onClose={close} />,
      }}
    >
      <BookGrowth bookId={book.id} />
      <ContactList book={book} />
    </ListPage>
  );
}

function BookMenu({ book }: { book: ContactBook }) {
  const [open, setOpen] = useState<'settings' | 'confirmation' | 'archive' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <MoreMenu>
        <MenuItem icon={Settings2} onSelect={() => setOpen('settings')}>
          {t.bookSettings}
        </MenuItem>
        <MenuItem icon={MailCheck} onSelect={() => setOpen('confirmation')}>
          {t.confirmationMail}
        </MenuItem>
        <MenuItem icon={Globe} onSelect={() => setOpen('archive')}>
          {archiveTexts.title}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
          {t.deleteBook}
        </MenuItem>
      </MoreMenu>
      {open === 'settings' && <BookDialog book={book} onClose={close} />}
      {open === 'confirmation' && <ConfirmationDialog book={book} onClose={close} />}
      {open === 'archive' && <ArchiveDialog book={book} onClose={close} />}
      {open === 'delete' && <DeleteBookDialog book={book} onClose={close} />}
    </>
  );
}

function DeleteBookDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const deleteAndLeave = useDeleteAndLeave('/contact-books', 'contact-books');
  return (
    <ConfirmDialog
      title={t.deleteBookTitle(book.name)}
      text={t.deleteBookText(book._count.contacts)}
      action={t.deleteBook}
      typed={book.name}
      run={() => deleteAndLeave(`/contactBooks/${book.id}`)}
      done={t.bookDeleted}
      onClose={onClose}
    />
  );
}
