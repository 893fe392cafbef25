import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Email } from '../../../src/features/sending/emails/emails.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { Attachments } from './attachments.tsx';
import { EmailActions } from './email-actions.tsx';
import { toneOf } from './email-statuses.ts';
import { EventTimeline } from './event-timeline.tsx';
import { MessageFrame } from '../../ui/message-frame.tsx';
import { MessageSource } from './message-source.tsx';

const t = emailTexts;
/** The path of the image that tracks opens. */
const PIXEL = /\/t\/o\/[\w-]{40}/;
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
      {(data) => <EmailDetail key={emailId} email={data} />}
    </PageOf>
  );
}

function EmailDetail({ email }: { email: Email }) {
  return (
    <Page
      wide
      title={email.subject || t.noSubject}
      mark={<Badge tone={toneOf(email.status)}>{t.statuses[email.status]}</Badge>}
      back={back}
      actions={<EmailActions email={email} />}
    >
      <dl className="mb-8 grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 sm:grid-cols-[7rem_minmax(0,1fr)] sm:gap-x-6">
        <Fact name={t.from}>{email.from}</Fact>
        <Fact name={t.to}>{email.to.join(', ')}</Fact>
        {email.cc.length > 0 && <Fact name={t.cc}>{email.cc.join(', ')}</Fact>}
        {email.bcc.length > 0 && <Fact name={t.bcc}>{email.bcc.join(', ')}</Fact>}
        {email.replyTo.length > 0 && <Fact name={t.replyTo}>{email.replyTo.join(', ')}</Fact>}
        {email.campaignId && (
          <Fact name={t.campaign}>
            <CampaignLink campaignId={email.campaignId} />
          </Fact>
        )}
        {email.attachments.length > 0 && (
          <Fact name={t.attachments}>
            <Attachments email={email} />
          </Fact>
        )}
        {email.tags.length > 0 && (
          <Fact name={t.tags}>{email.tags.map(({ name, value }) => `${name}: ${value}`).join(', ')}</Fact>
        )}
        {Object.keys(email.metadata).length > 0 && (
          <Fact name={t.metadata}>
            {Object.entries(email.metadata)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', ')}
          </Fact>
        )}
        <Fact name={texts.common.created}>
          <Time at={email.createdAt} precise />
        </Fact>
        {email.scheduledAt && (
          <Fact name={email.status === 'SCHEDULED' ? t.leavesAt : t.plannedFor}>
            <Time at={email.scheduledAt} precise />
          </Fact>
        )}
        <Fact name={t.id}>
          <CopyId id={email.id} label={t.copyId} />
        </Fact>
      </dl>
      <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <div className="mb-8 min-w-0">
          <Tabs
            label={t.views}
            tabs={[
              { id: 'preview', name: t.preview, content: <Preview email={email} /> },
              { id: 'text', name: t.plain, content: <PlainText text={email.text} /> },
              { id: 'source', name: t.source, content: <MessageSource emailId={email.id} /> },
            ]}
          />
        </div>
        <Section title={t.timeline}>
          <EventTimeline events={email.emailEvents} />
        </Section>
      </div>
    </Page>
  );
}

/** Shows the name of the campaign, unless it was deleted. */
function CampaignLink({ campaignId }: { campaignId: string }) {
  const { data, error } = useQuery({
    queryKey: ['chosen', '/campaigns', campaignId],
    queryFn: () => getJson<{ name: string }>(`/campaigns/${campaignId}`),
    retry: false,
  });
  if (error instanceof ApiError && error.status === 404) {
    return <span className="text-soft">{t.deletedCampaign}</span>;
  }
  return (
    <TextLink to="/campaigns/$campaignId" params={{ campaignId }}>
      {data?.name ?? t.viewCampaign}
    </TextLink>
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

function Preview({ email: { html, text, contentDeletedAt } }: { email: Email }) {
  if (contentDeletedAt)
    return (
      <p className="text-soft">
        {t.contentDeleted} <Time at={contentDeletedAt} precise />
      </p>
    );
  if (html === null)
    return text === null ? <p className="text-soft">{t.noHtml}</p> : <PlainText text={text} />;
  return <MessageFrame html={withoutPixel(html)} title={t.previewTitle} />;
}

/** Viewing the email here must not count as an open. */
function withoutPixel(html: string): string {
  return html
    .split(/(?=<img\b)/i)
    .map((part) => {
      const end = part.indexOf('>') + 1;
      return /^<img\b/i.test(part) && PIXEL.test(part.slice(0, end)) ? part.slice(end) : part;
    })
    .join('');
}

function PlainText({ text }: { text: string | null }) {
  if (text === null) return <p className="text-soft">{t.noText}</p>;
  return (
    <pre className="rounded-xl border border-line bg-raised p-4 font-sans break-words whitespace-pre-wrap">
      {text}
    </pre>
  );
}
