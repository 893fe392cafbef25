import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookUser, Search } from 'lucide-react';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Row, RowName, Rows } from '../../ui/lists/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { BookDialog } from './book-dialog.tsx';
import { contactBooksQuery } from './contact-books-api.ts';

const t = contactTexts;

export function ContactBooksPage() {
  const books = useQuery(contactBooksQuery);
  return (
    <ListPage
      title={t.books}
      description={t.booksLead}
      actions={
        <Link to="/contacts" search={{}} className={buttonClasses()}>
          <Search aria-hidden className="size-4" />
          {t.searchAll}
        </Link>
      }
      create={{ label: t.createBook, dialog: (close) => <BookDialog book={null} onClose={close} /> }}
    >
      <Rows
        label={t.books}
        query={books}
        items={(data) => data}
        empty={
          <EmptyState
            icon={BookUser}
            title={t.noBooksTitle}
            text={t.noBooksText}
            action={<CreateFirst>{t.firstBook}</CreateFirst>}
          />
        }
      >
        {({ id, name, emoji, doubleOptInEnabled, _count }) => (
          <Row key={id}>
            <span aria-hidden className="w-7 shrink-0 text-center text-xl">
              {emoji}
            </span>
            <RowName
              name={
                <TextLink to="/contact-books/$bookId" params={{ bookId: id }} search={{}}>
                  {name}
                </TextLink>
              }
              note={t.count(_count.contacts)}
            />
            {doubleOptInEnabled && <Badge tone="info">{t.doubleOptIn}</Badge>}
          </Row>
        )}
      </Rows>
    </ListPage>
  );
}
