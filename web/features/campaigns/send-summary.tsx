/** Shows the number of recipients, the email and its sender before the user confirms. */
import { useQuery } from '@tanstack/react-query';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { CampaignCheck } from '../../../src/features/campaigns/check/check.schema.ts';
import type { Segment } from '../../../src/features/audience/segments/segments.schema.ts';
import type { Topic } from '../../../src/features/audience/topics/topics.schema.ts';
import { getJson } from '../../api/client.ts';
import { isBlankDocument, isBlankHtml } from '../../editor/blank.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { campaignQuery } from './campaigns-api.ts';
import { AudienceCount } from './check/audience-count.tsx';
import { SandboxNotice } from '../../shell/sandbox-notice.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';

const t = campaignTexts;

export function RecipientStep({ campaign, check }: { campaign: Campaign; check: CampaignCheck | undefined }) {
  const { contactBookIds, segmentId, topicId, excludeCampaignId, notOpened } = campaign;
  const { data: books } = useQuery(contactBooksQuery);
  const { data: segment } = useQuery({
    queryKey: ['segments', segmentId],
    queryFn: () => getJson<Segment>(`/segments/${segmentId}`),
    enabled: segmentId !== null,
  });
  const { data: topic } = useQuery({
    queryKey: ['topics', 'one', topicId],
    queryFn: () => getJson<Topic>(`/topics/${topicId}`),
    enabled: topicId !== null,
  });
  const { data: other } = useQuery({
    ...campaignQuery(excludeCampaignId ?? ''),
    enabled: excludeCampaignId !== null,
  });
  const facts = [
    [t.subject, campaign.subject],
    [t.from, campaign.from],
    [t.book, books?.flatMap(({ id, name }) => (contactBookIds.includes(id) ? [name] : [])).join(', ')],
    [t.segment, segmentId === null ? t.everyone : segment?.name],
    ...(topicId === null ? [] : [[t.topic, topic?.name] as const]),
    ...(excludeCampaignId === null
      ? []
      : [
          [reportTexts.otherCampaign, other?.name] as const,
          ['', notOpened ? reportTexts.onlyNotOpened : reportTexts.notSent] as const,
        ]),
    ...(campaign.variants === null
      ? []
      : [[abTestTexts.title, abTestTexts.summary(campaign.variants.length, campaign.testPercent)] as const]),
  ] as const;
  const { content, html } = campaign;
  const isBlank = content === null ? isBlankHtml(html ?? '') : isBlankDocument(content);
  return (
    <>
      {isBlank && (
        <p role="alert" className="rounded-lg bg-warn-tint px-4 py-3 text-warn">
          {t.blank}
        </p>
      )}
      <div className="min-h-14 text-lg">{check ? <AudienceCount audience={check.audience} /> : '…'}</div>
      <SandboxNotice>{t.sandboxSend}</SandboxNotice>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 sm:grid-cols-[6.5rem_minmax(0,1fr)] rounded-lg bg-panel px-4 py-3">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
