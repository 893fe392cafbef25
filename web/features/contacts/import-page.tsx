import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { focusHeading } from '../../ui/focus-heading.ts';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { findDoubled, guessTargets, TARGETS, toMapping, type Target } from './column-mapping.ts';
import { ConsentChoice, isConsentMissing, type ChosenConsent } from './consent-choice.tsx';
import { ImportList } from './import-list.tsx';
import { ImportProgress } from './import-progress.tsx';
import { readHead, type CsvHead } from './read-header.ts';
import { uploadCsv } from './upload-csv.ts';

const t = texts.contacts.import;

interface Chosen {
  file: File;
  head: CsvHead;
}

export function ImportPage() {
  const { bookId } = useParams({ from: '/app/contact-books/$bookId/import' });
  const { importId } = useSearch({ from: '/app/contact-books/$bookId/import' });
  const navigate = useNavigate({ from: '/contact-books/$bookId/import' });
  const { data: book } = useQuery(contactBookQuery(bookId));
  const [chosen, setChosen] = useState<Chosen | null>(null);
  // The address names the import, so that it is found again after a reload or a look elsewhere.
  const show = (shown: string | undefined) => {
    setChosen(null);
    void navigate({ search: { importId: shown } });
  };
  const back = {
    to: '/contact-books/$bookId',
    params: { bookId },
    label: book?.name ?? texts.contacts.books,
  } as const;
  return (
    <Page title={t.title} description={t.lead} back={back}>
      {importId ? (
        <ImportProgress key={importId} bookId={bookId} importId={importId} onAgain={() => show(undefined)} />
      ) : chosen && book ? (
        <MappingForm book={book} chosen={chosen} onStarted={show} onBack={() => setChosen(null)} />
      ) : (
        <>
          <FileChoice onChosen={setChosen} />
          <ImportList bookId={bookId} />
        </>
      )}
    </Page>
  );
}

function FileChoice({ onChosen }: { onChosen(chosen: Chosen): void }) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function take(file: File | undefined): Promise<void> {
    if (!file) return;
    const head = await readHead(file);
    if (head) onChosen({ file, head });
    else setProblem(t.notCsv);
  }

  return (
    <>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
        className={classes(
          'flex cursor-pointer flex-col items-center rounded-xl border border-dashed px-6 py-16 text-center',
          'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass',
          over ? 'border-ink bg-hover' : 'border-edge hover:bg-panel',
        )}
      >
        <FileUp aria-hidden className="mb-3 size-7 text-soft" strokeWidth={1.5} />
        <span className="font-semibold">{t.choose}</span>
        <span className="text-soft">{t.drop}</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="sr-only"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      {problem && (
        <p role="alert" className="mt-3 text-bad">
          {problem}
        </p>
      )}
    </>
  );
}

interface MappingFormProps {
  book: ContactBook;
  chosen: Chosen;
  onStarted(importId: string): void;
  onBack(): void;
}

function MappingForm({ book, chosen: { file, head }, onStarted, onBack }: MappingFormProps) {
  const [targets, setTargets] = useState(() => guessTargets(head.columns));
  const [chosenConsent, setChosenConsent] = useState<ChosenConsent>({ consent: null, note: '' });
  const [sent, setSent] = useState(0);
  const { consent, note } = chosenConsent;
  const { busy, error, onSubmit } = useSubmission(async () => {
    const input = {
      mapping: toMapping(head.columns, targets, book.variables),
      consent: consent ?? undefined,
      consentNote: consent === 'confirmed' ? note.trim() : undefined,
    };
    const started = await uploadCsv(book.id, file, input, setSent);
    onStarted(started.id);
  });
  const doubled = findDoubled(head.columns, targets);
  const problem =
    doubled === undefined ? (targets.includes('email') ? null : t.needsEmail) : t.doubled(doubled);
  const needsConsent = book.doubleOptInEnabled && isConsentMissing(chosenConsent);
  if (busy) return <ProgressBar label={t.uploading} share={sent} />;
  return (
    <form onSubmit={onSubmit}>
      <h2 ref={focusHeading} tabIndex={-1} className="mb-3 font-semibold outline-none">
        {t.mapping} <span className="font-normal text-soft">({file.name})</span>
      </h2>
      <table className="w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-xl border border-line text-left">
        <thead className="text-xs text-soft">
          <tr>
            <th scope="col" className="px-4 py-2 font-normal">
              {t.column}
            </th>
            <th scope="col" className="px-4 py-2 font-normal max-sm:hidden">
              {t.example}
            </th>
            <th scope="col" className="px-4 py-2 font-normal">
              {t.holds}
            </th>
          </tr>
        </thead>
        <tbody>
          {head.columns.map((column, index) => (
            <tr key={index}>
              <th scope="row" className="truncate border-t border-line px-4 py-2 font-medium">
                {column}
              </th>
              <td className="truncate border-t border-line px-4 py-2 text-soft max-sm:hidden">
                {head.first[index] ?? ''}
              </td>
              <td className="border-t border-line px-4 py-2">
                <select
                  aria-label={`${t.holds}: ${column}`}
                  value={targets[index]}
                  disabled={column === ''}
                  onChange={({ target: { value } }) => setTargets(place(targets, index, value as Target))}
                  className="h-8 w-full rounded-lg border border-edge/60 bg-raised px-2"
                >
                  {TARGETS.map((target) => (
                    <option key={target} value={target}>
                      {t.fields[target]}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {problem && <p className="mt-3 text-bad">{problem}</p>}
      {book.doubleOptInEnabled && <ConsentChoice chosen={chosenConsent} onChange={setChosenConsent} />}
      <FormError error={error} />
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={problem !== null || needsConsent}>
          {t.start}
        </Button>
        <Button onClick={onBack}>{t.another}</Button>
      </div>
    </form>
  );
}

/** A field of a contact comes from one column: whoever had it before becomes a property. */
function place(targets: Target[], at: number, target: Target): Target[] {
  const isField = target !== 'property' && target !== 'skip';
  return targets.map((each, index) =>
    index === at ? target : isField && each === target ? 'property' : each,
  );
}
