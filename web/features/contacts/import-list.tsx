import { useInfiniteQuery } from '@tanstack/react-query';
import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { importsQuery } from './imports-api.ts';
import { StopImport } from './stop-import.tsx';

const t = contactTexts.import;
const TONES: Record<ContactImport['status'], Tone> = {
  PENDING: 'neutral',
  RUNNING: 'info',
  DONE: 'good',
  FAILED: 'bad',
  CANCELLED: 'warn',
};

/** All imports of the book, so that an import can be found again after leaving the page. */
export function ImportList({ bookId, asks }: { bookId: string; asks: boolean }) {
  const imports = useInfiniteQuery(importsQuery(bookId));
  const { pages = [] } = imports.data ?? {};
  if (pages[0]?.items.length === 0) return null;
  // Double opt-in may have been switched off since.
  const hasConsent = asks || pages.some(({ items }) => items.some(({ consent }) => consent !== 'none'));
  return (
    <section className="mt-10">
      <h2 className="mb-3 font-semibold">{t.list}</h2>
      <CursorTable label={t.list} query={imports} columns={columnsOf(bookId, hasConsent)} empty={null} />
    </section>
  );
}

function columnsOf(bookId: string, hasConsent: boolean): Column<ContactImport>[] {
  const consentColumn: Column<ContactImport> = {
    name: t.consent.column,
    width: 1,
    wideOnly: true,
    cell: ({ consent }) => <span className="text-soft">{t.consent[consent].short}</span>,
  };
  return [
    {
      name: t.started,
      width: 'minmax(13rem, 1.4fr)',
      narrowWidth: 'minmax(0, 1fr)',
      cell: (each) => <Started bookId={bookId} data={each} />,
    },
    {
      name: t.rowsRead,
      width: '5rem',
      wideOnly: true,
      cell: ({ rows }) => <span className="tabular-nums">{texts.common.number(rows)}</span>,
    },
    {
      name: t.size,
      width: '5rem',
      wideOnly: true,
      cell: ({ totalBytes }) => <span className="text-soft">{formatBytes(totalBytes)}</span>,
    },
    ...(hasConsent ? [consentColumn] : []),
    {
      name: t.status,
      width: 'minmax(7rem, 10.5rem)',
      wideOnly: true,
      cell: (each) => <Status data={each} />,
    },
    {
      name: t.stop,
      width: '4rem',
      forActions: true,
      cell: (each) => <StopImport bookId={bookId} data={each} />,
    },
  ];
}

/** On a phone the status and the number of rows stand below the time. */
function Started({ bookId, data }: { bookId: string; data: ContactImport }) {
  return (
    <>
      <TextLink to="/contact-books/$bookId/import" params={{ bookId }} search={{ importId: data.id }}>
        <Time at={data.createdAt} precise />
      </TextLink>
      <span className="flex items-center gap-2 text-xs text-soft sm:hidden">
        <Status data={data} />
        <span className="truncate">
          {t.summary(texts.common.number(data.rows), formatBytes(data.totalBytes))}
        </span>
      </span>
    </>
  );
}

function Status({ data: { status, progress, confirmationsWaiting } }: { data: ContactImport }) {
  const isAsking = status === 'DONE' && confirmationsWaiting > 0;
  return (
    <Badge tone={isAsking ? 'info' : TONES[status]}>
      {isAsking ? t.asking : status === 'RUNNING' ? t.runningAt(progress) : t.statuses[status]}
    </Badge>
  );
}
