import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { contactTexts } from '../../texts/en/contacts.ts';
import { classes } from '../../ui/classes.ts';
import { Page } from '../../ui/page.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { ImportList } from './import-list.tsx';
import { ImportProgress } from './import-progress.tsx';
import { MappingForm, type ChosenFile } from './mapping-form.tsx';
import { readHead } from './read-header.ts';

const t = contactTexts.import;

export function ImportPage() {
  const { bookId } = useParams({ from: '/app/contact-books/$bookId/import' });
  const { importId } = useSearch({ from: '/app/contact-books/$bookId/import' });
  const navigate = useNavigate({ from: '/contact-books/$bookId/import' });
  const { data: book } = useQuery(contactBookQuery(bookId));
  const asks = book?.doubleOptInEnabled ?? false;
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  // The URL contains the import, so that a reload shows it again.
  const show = (shown: string | undefined) => {
    setChosen(null);
    void navigate({ search: { importId: shown } });
  };
  const back = {
    to: '/contact-books/$bookId',
    params: { bookId },
    label: book?.name ?? contactTexts.books,
  } as const;
  return (
    <Page title={t.title} description={t.lead} guide="guides/moving-here" back={back}>
      {importId ? (
        <ImportProgress
          key={importId}
          bookId={bookId}
          importId={importId}
          asks={asks}
          onAgain={() => show(undefined)}
        />
      ) : chosen && book ? (
        <MappingForm book={book} chosen={chosen} onStarted={show} onBack={() => setChosen(null)} />
      ) : (
        <>
          <FileChoice onChosen={setChosen} />
          <ImportList bookId={bookId} asks={asks} />
        </>
      )}
    </Page>
  );
}

function FileChoice({ onChosen }: { onChosen(chosen: ChosenFile): void }) {
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
