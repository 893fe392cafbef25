import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ContactImport } from '../../../src/features/contacts/imports.schema.ts';
import { texts } from '../../texts/en.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Time } from '../../ui/time.tsx';
import { importsQuery } from './imports-api.ts';
import { StopImport } from './stop-import.tsx';

const t = texts.contacts.import;
const TONES: Record<ContactImport['status'], Tone> = {
  PENDING: 'neutral',
  RUNNING: 'info',
  DONE: 'good',
  FAILED: 'bad',
  CANCELLED: 'warn',
};

/** Every import of the book, so that one can be found again after leaving the page. */
export function ImportList({ bookId }: { bookId: string }) {
  const imports = useInfiniteQuery(importsQuery(bookId));
  if (imports.data?.pages[0]?.items.length === 0) return null;
  return (
    <section className="mt-10">
      <h2 className="mb-3 font-semibold">{t.list}</h2>
      <CursorTable
        label={t.list}
        query={imports}
        keyOf={({ id }) => id}
        columns={[
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
            cell: (each) => <span className="tabular-nums">{texts.common.number(each.rows)}</span>,
          },
          {
            name: t.size,
            width: '5rem',
            wideOnly: true,
            cell: (each) => <span className="text-soft">{formatBytes(each.totalBytes)}</span>,
          },
          {
            name: t.consent.column,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: (each) => <span className="text-soft">{t.consent[each.consent].short}</span>,
          },
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
        ]}
        empty={null}
      />
    </section>
  );
}

/** On a phone the status and the number of rows stand below the time. */
function Started({ bookId, data }: { bookId: string; data: ContactImport }) {
  return (
    <>
      <Link
        to="/contact-books/$bookId/import"
        params={{ bookId }}
        search={{ importId: data.id }}
        className="rounded font-medium hover:underline"
      >
        <Time at={data.createdAt} precise />
      </Link>
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
