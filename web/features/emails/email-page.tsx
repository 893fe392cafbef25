import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Email } from '../../../src/features/emails/emails.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { toneOf } from './email-statuses.ts';
import { EventTimeline } from './event-timeline.tsx';
import { MessageFrame } from './message-frame.tsx';
import { MessageSource } from './message-source.tsx';

const t = texts.emails;
const back = { to: '/emails', label: t.title } as const;
const UNFINISHED = new Set(['SCHEDULED', 'QUEUED', 'SENT', 'DELIVERY_DELAYED']);
const NEWS_EVERY_MS = 2_000;

export function EmailPage() {
  const { emailId } = useParams({ from: '/app/emails/$emailId' });
  const email = useQuery({
    queryKey: ['emails', 'one', emailId],
    queryFn: () => getJson<Email>(`/emails/${emailId}`),
    refetchInterval: ({ state }) => (state.data && UNFINISHED.has(state.data.status) ? NEWS_EVERY_MS : false),
  });
  return (
    <PageOf query={email} title={t.title} back={back}>
      {(data) => <EmailDetail email={data} />}
    </PageOf>
  );
}

function EmailDetail({ email }: { email: Email }) {
  const queryClient = useQueryClient();
  const [cancelling, setCancelling] = useState(false);
  return (
    <Page
      wide
      title={email.subject || t.noSubject}
      mark={<Badge tone={toneOf(email.status)}>{t.statuses[email.status]}</Badge>}
      back={back}
      actions={
        email.status === 'SCHEDULED' && <Button onClick={() => setCancelling(true)}>{t.cancel}</Button>
      }
    >
      <dl className="mb-8 grid gap-x-6 gap-y-1.5 sm:grid-cols-[6rem_minmax(0,1fr)]">
        <Fact name={t.from}>{email.from}</Fact>
        <Fact name={t.to}>{email.to.join(', ')}</Fact>
        {email.cc.length > 0 && <Fact name={t.cc}>{email.cc.join(', ')}</Fact>}
        {email.bcc.length > 0 && <Fact name={t.bcc}>{email.bcc.join(', ')}</Fact>}
        {email.replyTo.length > 0 && <Fact name={t.replyTo}>{email.replyTo.join(', ')}</Fact>}
        <Fact name={texts.common.created}>
          <Time at={email.createdAt} precise />
        </Fact>
        {email.scheduledAt && (
          <Fact name={email.status === 'SCHEDULED' ? t.leavesAt : t.plannedFor}>
            <Time at={email.scheduledAt} precise />
          </Fact>
        )}
        <Fact name={t.id}>
          <code className="text-[0.8125rem]">{email.id}</code> <CopyButton text={email.id} label={t.copyId} />
        </Fact>
      </dl>
      <div className="grid gap-x-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <div className="min-w-0">
          <Tabs
            label={t.views}
            tabs={[
              { id: 'preview', name: t.preview, content: <Preview html={email.html} text={email.text} /> },
              { id: 'text', name: t.plain, content: <PlainText text={email.text} /> },
              { id: 'source', name: t.source, content: <MessageSource emailId={email.id} /> },
            ]}
          />
        </div>
        <Section title={t.timeline}>
          <EventTimeline events={email.emailEvents} />
        </Section>
      </div>
      {cancelling && (
        <ConfirmDialog
          title={t.cancelTitle}
          action={t.cancel}
          onClose={() => setCancelling(false)}
          run={async () => {
            await sendJson('POST', `/emails/${email.id}/cancel`);
            await queryClient.invalidateQueries({ queryKey: ['emails'] });
            showToast(t.cancelled);
          }}
        >
          <p>{t.cancelText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1 break-words">{children}</dd>
    </>
  );
}

function Preview({ html, text }: { html: string | null; text: string | null }) {
  if (html === null)
    return text === null ? <p className="text-soft">{t.noHtml}</p> : <PlainText text={text} />;
  return <MessageFrame html={html} title={t.previewTitle} />;
}

function PlainText({ text }: { text: string | null }) {
  if (text === null) return <p className="text-soft">{t.noText}</p>;
  return (
    <pre className="rounded-xl border border-line bg-raised p-4 font-sans break-words whitespace-pre-wrap">
      {text}
    </pre>
  );
}
