import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookUser } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { Row, RowName, Rows } from '../../ui/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { BookDialog } from './book-dialog.tsx';
import { contactBooksQuery } from './contact-books-api.ts';

const t = texts.contacts;

export function ContactBooksPage() {
  const books = useQuery(contactBooksQuery);
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={t.books}
      description={t.booksLead}
      actions={<CreateButton onClick={() => setCreating(true)}>{t.createBook}</CreateButton>}
    >
      <Rows
        label={t.books}
        query={books}
        items={(data) => data}
        empty={
          <EmptyState icon={BookUser} title={t.noBooksTitle}>
            {t.noBooksText}
          </EmptyState>
        }
      >
        {(data) =>
          data.map((book) => (
            <Row key={book.id}>
              <span aria-hidden className="text-xl">
                {book.emoji}
              </span>
              <RowName
                name={
                  <Link
                    to="/contact-books/$bookId"
                    params={{ bookId: book.id }}
                    search={{}}
                    className="rounded hover:underline"
                  >
                    {book.name}
                  </Link>
                }
                note={t.count(book._count.contacts)}
              />
              {book.doubleOptInEnabled && <Badge tone="info">{t.doubleOptIn}</Badge>}
            </Row>
          ))
        }
      </Rows>
      {creating && <BookDialog book={null} onClose={() => setCreating(false)} />}
    </Page>
  );
}
