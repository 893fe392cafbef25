import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { focusHeading } from '../../ui/focus-heading.ts';
import { ErrorState } from '../../ui/states.tsx';
import { importQuery } from './imports-api.ts';
import { StopImport } from './stop-import.tsx';

const t = contactTexts.import;
const REFUSALS_SHOWN = 100;

interface ImportProgressProps {
  bookId: string;
  importId: string;
  /** Whether the book has double opt-in. Without it, everyone is subscribed and there is nothing to confirm. */
  asks: boolean;
  onAgain(): void;
}

export function ImportProgress({ bookId, importId, asks, onAgain }: ImportProgressProps) {
  const found = useQuery(importQuery(bookId, importId));
  const { data } = found;
  const isFinished = Boolean(data?.finishedAt);
  useEffect(() => {
    if (!isFinished) return;
    void refresh('contacts', bookId);
    void refresh('contact-books');
  }, [isFinished, bookId]);

  if (hasFailed(found)) return <ErrorState error={found.error} retry={() => void found.refetch()} />;
  return (
    <>
      <div role="status">
        <h2 ref={focusHeading} tabIndex={-1} className="font-semibold outline-none">
          {data?.finishedAt ? t.endings[endingOf(data)] : t.reading}
        </h2>
        {data?.error && <p className="mt-1 text-bad">{data.error}</p>}
      </div>
      {!isFinished && <ProgressBar label={t.progress} share={data?.progress ?? 0} />}
      {data && data.confirmationsWaiting > 0 && (
        <p role="status" className="mt-1 text-soft">
          {t.confirmationsWaiting(data.confirmationsWaiting)}
        </p>
      )}
      {data && <Counts data={data} />}
      {data && (asks || data.consent !== 'none') && <Consent data={data} />}
      {data && data.refusals.length > 0 && <Refusals data={data} />}
      <div className="flex flex-wrap items-center gap-2">
        {isFinished && (
          <Link
            to="/contact-books/$bookId"
            params={{ bookId }}
            search={{}}
            className={buttonClasses('primary')}
          >
            {t.toBook}
          </Link>
        )}
        <Button onClick={onAgain}>{isFinished ? t.another : t.allImports}</Button>
        {data && <StopImport bookId={bookId} data={data} />}
      </div>
    </>
  );
}

function endingOf({ status }: ContactImport): 'DONE' | 'FAILED' | 'CANCELLED' {
  return status === 'FAILED' || status === 'CANCELLED' ? status : 'DONE';
}

function Consent({ data: { status, consent, consentNote } }: { data: ContactImport }) {
  return (
    <p className="mb-5 max-w-lg break-words text-soft">
      {status === 'CANCELLED' && consent === 'ask' ? t.consent.stoppedAsking : t.consent[consent].done}
      {consentNote && ` ${t.consent.noted(consentNote)}`}
    </p>
  );
}

function Counts({ data }: { data: ContactImport }) {
  return (
    <dl className="my-5 grid max-w-2xl grid-cols-2 gap-px sm:grid-cols-4 overflow-hidden rounded-xl border border-line bg-line">
      {(['created', 'updated', 'unsubscribed', 'refused'] as const).map((name) => (
        <div key={name} className="bg-raised px-4 py-3">
          <dt className="text-soft">{t[name]}</dt>
          <dd className="text-xl font-semibold tabular-nums">{texts.common.number(data[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

function Refusals({ data }: { data: ContactImport }) {
  const shown = data.refusals.slice(0, REFUSALS_SHOWN);
  return (
    <section className="mb-6">
      <h2 className="mb-2 font-semibold">{t.refusals}</h2>
      <ul className="divide-y divide-line rounded-xl border border-line">
        {shown.map(({ line, email, reason }) => (
          <li key={line} className="flex flex-wrap gap-x-4 px-4 py-2">
            <span className="w-20 shrink-0 text-soft">{t.line(line)}</span>
            <span className="min-w-0 truncate">{email}</span>
            <span className="min-w-0 basis-full text-soft sm:basis-auto">{reason}</span>
          </li>
        ))}
      </ul>
      {data.refused > shown.length && (
        <p className="mt-2 text-soft">{t.andMore(data.refused - shown.length)}</p>
      )}
    </section>
  );
}
