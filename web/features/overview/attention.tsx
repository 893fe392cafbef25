/** What someone should look at now, and what is sent next. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CampaignListItem } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { Badge } from '../../ui/badge.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { CAMPAIGN_TONES, campaignsQuery } from '../campaigns/campaigns-api.ts';
import { domainsQuery } from '../domains/domains-api.ts';
import { reputationQuery } from './analytics-api.ts';

const t = overviewTexts;
const SHOWN = 4;

export function Today() {
  return (
    <div className="mb-10 grid grid-cols-1 gap-x-8 gap-y-8 lg:grid-cols-2">
      <Panel title={t.attention}>
        <Attention />
      </Panel>
      <Panel title={t.next}>
        <NextCampaigns />
      </Panel>
    </div>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-2 text-base font-semibold tracking-tight">{title}</h2>
      <div className="min-h-22">{children}</div>
    </section>
  );
}

interface Matter {
  key: string;
  text: string;
  action: string;
  link: Pick<LinkProps, 'to' | 'hash'> & { params?: Record<string, string>; search?: object };
}

function Attention() {
  const domains = useQuery(domainsQuery);
  const reputation = useQuery(reputationQuery(undefined));
  const paused = useQuery(campaignsQuery({ page: 1, status: 'PAUSED' }));
  if (domains.isPending || reputation.isPending || paused.isPending) return <Skeleton className="h-22" />;
  const matters: Matter[] = [
    ...(domains.data ?? [])
      .filter(({ status }) => status !== 'SUCCESS')
      .map(({ id, name, status }) => ({
        key: `domain ${id}`,
        text: status === 'NOT_STARTED' || status === 'PENDING' ? t.domainWaits(name) : t.domainFails(name),
        action: t.look,
        link: { to: '/domains/$domainId' as const, params: { domainId: String(id) } },
      })),
    ...(paused.data?.campaigns ?? []).map(({ id, name }) => ({
      key: `campaign ${id}`,
      text: t.campaignPaused(name),
      action: t.look,
      link: { to: '/campaigns/$campaignId' as const, params: { campaignId: id } },
    })),
    ...reputationMatters(reputation.data),
  ];
  if (matters.length === 0)
    return (
      <p className="flex items-center gap-2 text-soft">
        <CircleCheck aria-hidden className="size-4 text-good" />
        {t.nothing}
      </p>
    );
  return (
    <ul className="space-y-2">
      {matters.slice(0, SHOWN).map(({ key, text, action, link }) => (
        <li key={key} className="flex items-start gap-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span className="min-w-0 flex-1">{text}</span>
          <Link
            {...(link as LinkProps)}
            aria-label={`${action}: ${text}`}
            className="rounded font-medium underline underline-offset-3"
          >
            {action}
          </Link>
        </li>
      ))}
      {matters.length > SHOWN && <li className="text-note text-soft">{t.more(matters.length - SHOWN)}</li>}
    </ul>
  );
}

function reputationMatters(rates: { bounceRate: number; complaintRate: number } | undefined): Matter[] {
  const of = (key: string, text: string, search: object): Matter => ({
    key,
    text,
    action: t.look,
    link: { to: '/emails', search },
  });
  if (!rates) return [];
  const { bounceRate, complaintRate } = rates;
  return [
    ...(bounceRate >= 2
      ? [of('bounces', t.manyBounces(texts.common.percent(bounceRate)), { status: 'BOUNCED' })]
      : []),
    ...(complaintRate >= 0.1
      ? [of('complaints', t.manyComplaints(texts.common.percent(complaintRate)), { status: 'COMPLAINED' })]
      : []),
  ];
}

function NextCampaigns() {
  const scheduled = useQuery(campaignsQuery({ page: 1, status: 'SCHEDULED' }));
  const drafts = useQuery(campaignsQuery({ page: 1, status: 'DRAFT' }));
  if (scheduled.isPending || drafts.isPending) return <Skeleton className="h-22" />;
  const soonest = (scheduled.data?.campaigns ?? []).toSorted((one, other) =>
    (one.scheduledAt ?? '').localeCompare(other.scheduledAt ?? ''),
  );
  const campaigns = [...soonest, ...(drafts.data?.campaigns ?? [])].slice(0, SHOWN);
  if (campaigns.length === 0)
    return (
      <p className="text-soft">
        {t.noNext}{' '}
        <Link to="/campaigns" hash="new" className="rounded text-ink underline underline-offset-3">
          {t.writeNext}
        </Link>
      </p>
    );
  return (
    <ul className="divide-y divide-line border-y border-line">
      {campaigns.map((campaign) => (
        <NextCampaign key={campaign.id} campaign={campaign} />
      ))}
    </ul>
  );
}

function NextCampaign({ campaign }: { campaign: CampaignListItem }) {
  const { id, name, status, scheduledAt, updatedAt } = campaign;
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="min-w-0 flex-1 truncate font-medium">
        <TextLink to="/campaigns/$campaignId" params={{ campaignId: id }}>
          {name}
        </TextLink>
      </span>
      <span className="text-note text-soft">
        <Time at={scheduledAt ?? updatedAt} />
      </span>
      <Badge tone={CAMPAIGN_TONES[status]}>{campaignTexts.statuses[status]}</Badge>
    </li>
  );
}
