/** The setting that shows a campaign in the public archive. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { archiveTexts } from '../../texts/en/archive.ts';
import { act } from '../../ui/act.ts';
import { SwitchField } from '../../ui/field.tsx';
import { archiveUrl } from '../contact-books/archive-dialog.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import type { Draft } from './use-draft.ts';

const t = archiveTexts;

/** The field of a draft, saved with its other fields. */
export function ArchiveField({ draft }: { draft: Draft }) {
  const { contactBookId, showInArchive } = draft.fields;
  const { data: book } = useQuery({ ...contactBookQuery(contactBookId), enabled: contactBookId !== '' });
  const isOff = book?.archiveEnabled === false;
  const isShown = showInArchive === 'yes';
  return (
    <SwitchField
      label={t.show}
      hint={isOff ? <BookIsOff book={book} /> : t.showHint}
      checked={isShown}
      // It can always be turned off, so that the email does not appear when the book gets an archive later.
      disabled={isOff && !isShown}
      onChange={(shown) => draft.change({ showInArchive: shown ? 'yes' : 'no' })}
    />
  );
}

function BookIsOff({ book }: { book: ContactBook }) {
  return (
    <>
      {t.bookIsOff}{' '}
      <Link
        to="/contact-books/$bookId"
        params={{ bookId: book.id }}
        className="rounded underline underline-offset-2 hover:text-ink"
      >
        {t.openBook(book.name)}
      </Link>
      {t.turnOn}
    </>
  );
}

/** For a campaign that can no longer be edited. Shows nothing while the archive of its book is off. */
export function ArchiveChoice({ campaign }: { campaign: Campaign }) {
  const { id, contactBookId, showInArchive, status } = campaign;
  const [isBusy, setIsBusy] = useState(false);
  const { data: book } = useQuery({
    ...contactBookQuery(contactBookId ?? ''),
    enabled: contactBookId !== null,
  });
  if (!book?.archiveEnabled) return null;

  async function change(shown: boolean): Promise<void> {
    setIsBusy(true);
    await act(() => sendJson('PATCH', `/campaigns/${id}`, { showInArchive: shown }), {
      done: shown ? t.shown : t.hidden,
      undo: () => sendJson('PATCH', `/campaigns/${id}`, { showInArchive: !shown }),
      refreshes: ['campaigns'],
    });
    setIsBusy(false);
  }

  return (
    <div className="mb-6 max-w-xl rounded-xl border border-line bg-raised px-4 py-3">
      <SwitchField
        label={t.show}
        hint={t.showHint}
        checked={showInArchive}
        disabled={isBusy}
        onChange={(shown) => void change(shown)}
      />
      {showInArchive && status === 'SENT' && (
        <a
          href={archiveUrl(book.id, id)}
          target="_blank"
          rel="noreferrer"
          className="mt-2 inline-flex items-center gap-1.5 rounded underline underline-offset-2"
        >
          {t.viewLetter}
          <ExternalLink aria-hidden className="size-4" />
        </a>
      )}
    </div>
  );
}
