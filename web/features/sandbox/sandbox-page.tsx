import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { Fragment, useState } from 'react';
import type { SandboxMessage } from '../../../src/features/delivery/sandbox/sandbox.schema.ts';
import { getJson } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Button } from '../../ui/button.tsx';
import { actionColumn, timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { FirstTestEmail } from '../domains/test-email.tsx';
import { SourceText } from '../emails/message-source.tsx';

const t = emailTexts.sandbox;
function columnsOf(show: (message: SandboxMessage) => void): Column<SandboxMessage>[] {
  return [
    {
      name: t.recipient,
      width: 2,
      cell: ({ emailId, recipient, createdAt, subject }) => (
        <>
          <TextLink to="/emails/$emailId" params={{ emailId }}>
            {recipient}
          </TextLink>
          <div className="truncate text-xs text-soft sm:hidden">
            <Time at={createdAt} /> · {subject}
          </div>
        </>
      ),
    },
    { name: emailTexts.subject, width: 3, wideOnly: true, cell: ({ subject }) => subject },
    timeColumn(emailTexts.when, ({ createdAt }) => createdAt, { width: '6.5rem' }),
    actionColumn('5.5rem', (message) => (
      <Button size="small" look="quiet" onClick={() => show(message)}>
        {t.view}
      </Button>
    )),
  ];
}

function Simulator() {
  return (
    <details className="mb-6 rounded-xl border border-line bg-raised px-5 py-3.5">
      <summary className="w-fit cursor-pointer rounded font-medium">{t.simulator}</summary>
      <p className="mt-2 max-w-2xl text-soft">{t.simulatorLead}</p>
      <dl className="mt-3 grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]">
        {Object.entries(t.parts).map(([address, part]) => (
          <Fragment key={address}>
            <dt className="font-mono text-[0.8125rem] break-all">{address}</dt>
            <dd className="text-soft max-sm:mb-2">{part}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

/** Fetched on demand, because it contains the attachments. */
function Source({ id }: { id: string }) {
  const message = useQuery({
    queryKey: ['sandbox', 'message', id],
    queryFn: () => getJson<SandboxMessage>(`/sandbox/messages/${id}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (message.isPending) return <Skeleton className="h-72" />;
  if (message.isError) return <ErrorState error={message.error} retry={() => void message.refetch()} />;
  return <SourceText raw={message.data.raw ?? ''} label={t.view} />;
}

export function SandboxPage() {
  const messages = useInfiniteQuery(
    cursorList<SandboxMessage>(['sandbox', 'list'], '/sandbox/messages', { source: false }),
  );
  const [shown, setShown] = useState<SandboxMessage | null>(null);
  return (
    <Page title={t.title} description={t.lead} guide="guides/going-live" wide>
      <Simulator />
      <CursorTable
        label={t.title}
        query={messages}
        columns={columnsOf(setShown)}
        empty={
          <EmptyState
            icon={FlaskConical}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<FirstTestEmail />}
          />
        }
      />
      {shown && (
        <Dialog
          wide
          title={t.sourceOf(shown.recipient)}
          description={`${t.returnPath}: ${shown.mailFrom}`}
          onClose={() => setShown(null)}
        >
          <Source id={shown.id} />
        </Dialog>
      )}
    </Page>
  );
}
