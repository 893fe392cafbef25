/** Compiles a campaign once, and then renders it for each contact. */
import { parseMailbox, type Address, type NamedAddress } from '../../mail/mime/address.ts';
import {
  compileMessageTemplate,
  compileText,
  type Resolve,
} from '../../mail/mime/compose/message-template.ts';
import { PREFERENCES_TAG, REFERRAL_TAG, UNSUBSCRIBE_TAGS } from '../../mail/html/tag-names.ts';
import { encodeId } from '../../platform/ids.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import { contactField } from '../audience/own-fields/contact-tags.ts';
import type { TaggedContact } from '../audience/own-fields/own-columns.ts';
import type { PublicLinks } from '../content/links/links.ts';
import type { CampaignRow } from './campaign-row.ts';
import { CLICK_TAG, OPEN_TAG, prepareContent, trackContent } from '../content/rendering/prepare-content.ts';
import { isFeedName, readFeedValue, type FeedValues } from './feed-values.ts';

export interface CampaignRecipient extends CamelRow<'emails', 'team_id' | 'message_id'>, TaggedContact {
  emailId: Row<'emails'>['id'];
  date: Row<'emails'>['created_at'];
  contactBookId: Row<'contacts'>['contact_book_id'];
  contactId: Row<'contacts'>['id'];
  address: Address;
  /** The variant of an A/B test. */
  variant: Row<'campaign_recipients'>['variant'];
}

export interface CompiledCampaign {
  render(recipient: CampaignRecipient): Buffer;
  /** Renders without tracking links and the tracking pixel. */
  show(recipient: CampaignRecipient): { subject: string; html: string; text: string };
  /** The size of the HTML as it is sent, with tracking. */
  countHtmlBytes(recipient: CampaignRecipient): number;
}

export interface SendingDomain {
  name: string;
  openTracking: boolean;
  clickTracking: boolean;
  /** The host of its links. Null for that of BASE_URL. */
  linkHost: string | null;
}

export type Compilable = Pick<
  CampaignRow,
  | 'teamId'
  | 'id'
  | 'sender'
  | 'subject'
  | 'previewText'
  | 'html'
  | 'plain'
  | 'content'
  | 'cc'
  | 'replyTo'
  | 'topicId'
  | 'trackOpens'
  | 'trackClicks'
  | 'feed'
>;

/** Returns null when the campaign has no usable content or sender. */
export async function compileCampaign(
  campaign: Compilable,
  domain: SendingDomain,
  allLinks: PublicLinks,
): Promise<CompiledCampaign | null> {
  const links = allLinks.under(domain.linkHost);
  const prepared = await prepareContent(campaign);
  const from = parseMailbox(campaign.sender);
  if (!prepared || !from) return null;
  const tracked = trackContent(prepared.html, {
    opens: campaign.trackOpens ?? domain.openTracking,
    clicks: campaign.trackClicks ?? domain.clickTracking,
  });
  const unsubscribeLink = createUnsubscribeLinks(campaign, links);
  const resolve = createResolve(tracked.targets, { links, unsubscribeLink, feed: campaign.feed });
  // Gmail reports complaints by each of the first three fields; the last one names the sending system.
  const feedbackId = `${encodeId('cmp', campaign.id)}:${campaign.teamId}:${domain.name}:posthorn`;
  // Both are compiled on first use: a preview needs no message template, and sending needs no preview.
  const message = lazy(() =>
    compileMessageTemplate(
      {
        from,
        cc: readMailboxes(campaign.cc),
        replyTo: readMailboxes(campaign.replyTo),
        subject: campaign.subject,
        html: tracked.html,
        text: prepared.text,
      },
      resolve,
    ),
  );
  const shown = lazy(() => ({
    subject: compileText(campaign.subject, 'plain', resolve),
    html: compileText(prepared.html, 'html', resolve),
    text: compileText(prepared.text, 'plain', resolve),
  }));

  return {
    render: (recipient) =>
      message().render(recipient, {
        to: recipient.address,
        messageId: recipient.messageId,
        date: recipient.date,
        headers: listHeaders(recipient, {
          domain: domain.name,
          feedbackId,
          unsubscribe: unsubscribeLink(recipient),
          unsubscribeAddress: links.unsubscribeAddress(recipient.emailId, domain.name),
        }),
      }),
    show(recipient) {
      const { subject, html, text } = shown();
      return { subject: subject(recipient), html: html(recipient), text: text(recipient) };
    },
    countHtmlBytes: (recipient) => Buffer.byteLength(compileText(tracked.html, 'html', resolve)(recipient)),
  };
}

/** The link appears in the header and in both parts of an email, but is signed only once. */
function createUnsubscribeLinks(
  { id: campaignId, topicId }: Compilable,
  links: PublicLinks,
): (recipient: CampaignRecipient) => string {
  let last: { recipient: CampaignRecipient; link: string } | null = null;
  return (recipient) => {
    if (last?.recipient !== recipient) {
      const { teamId, contactBookId, contactId, emailId } = recipient;
      const link = links.unsubscribe({ teamId, contactBookId, contactId, emailId, campaignId, topicId });
      last = { recipient, link };
    }
    return last.link;
  };
}

/** The values of merge tags and of the tags for tracking. `targets` are the tracked links, by number. */
function createResolve(
  targets: string[],
  {
    links,
    unsubscribeLink,
    feed,
  }: {
    links: PublicLinks;
    unsubscribeLink: (recipient: CampaignRecipient) => string;
    feed: FeedValues | null;
  },
): Resolve<CampaignRecipient> {
  return (name) => {
    if (UNSUBSCRIBE_TAGS.has(name)) return unsubscribeLink;
    if (name === OPEN_TAG) return (recipient) => links.open(recipient);
    if (name.startsWith(CLICK_TAG)) {
      const target = targets[Number(name.slice(CLICK_TAG.length))];
      return (recipient) => (target === undefined ? null : links.click(recipient, target));
    }
    if (name === REFERRAL_TAG) return (recipient) => links.referral(recipient);
    if (name === PREFERENCES_TAG) return (recipient) => links.preferences(recipient);
    if (feed && isFeedName(name)) return () => readFeedValue(feed, name);
    return contactField(name, ({ address }) => address.email);
  };
}

/** One-click unsubscribe (RFC 8058 section 3.1). RFC 2369 section 3.2 allows several URLs in the header. */
function listHeaders(
  { contactBookId }: CampaignRecipient,
  list: { domain: string; feedbackId: string; unsubscribe: string; unsubscribeAddress: string },
): [string, string][] {
  const { domain, feedbackId, unsubscribe, unsubscribeAddress } = list;
  return [
    ['List-Unsubscribe', `<${unsubscribe}>, <mailto:${unsubscribeAddress}?subject=unsubscribe>`],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['List-Id', `<${encodeId('cbk', contactBookId)}.${domain}>`],
    ['Feedback-ID', feedbackId],
  ];
}

function lazy<Value>(create: () => Value): () => Value {
  let cached: { value: Value } | null = null;
  return () => (cached ??= { value: create() }).value;
}

function readMailboxes(texts: string[]): NamedAddress[] {
  return texts.map((text) => parseMailbox(text)!);
}
