/** A campaign compiled: from it and one contact come the bytes of one letter, or what is shown of it. */
import { parseMailbox, type Address, type Mailbox } from '../../mail/address.ts';
import { compileLetter, compileText, type Resolve } from '../../mail/letter-template.ts';
import { PREFERENCES_TAG, UNSUBSCRIBE_TAGS } from '../../mail/tag-names.ts';
import { contactField } from '../contacts/contact-tags.ts';
import type { PublicLinks } from '../tracking/links.ts';
import type { CampaignRow } from './campaign-row.ts';
import { CLICK_TAG, OPEN_TAG, prepareContent, trackContent } from './content.ts';

export interface LetterRecipient {
  teamId: number;
  emailId: string;
  messageId: string;
  date: Date;
  contactBookId: string;
  contactId: string;
  address: Address;
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, unknown>;
}

export interface CompiledCampaign {
  render(recipient: LetterRecipient): Buffer;
  /** Without anything that counts its reader. */
  show(recipient: LetterRecipient): { subject: string; html: string; text: string };
}

export interface SendingDomain {
  name: string;
  openTracking: boolean;
  clickTracking: boolean;
}

export type Compilable = Pick<
  CampaignRow,
  | 'teamId'
  | 'id'
  | 'sender'
  | 'subject'
  | 'previewText'
  | 'html'
  | 'content'
  | 'cc'
  | 'replyTo'
  | 'topicId'
  | 'trackOpens'
  | 'trackClicks'
>;

/** Null when its content cannot be made into mail. */
export async function compileCampaign(
  campaign: Compilable,
  domain: SendingDomain,
  links: PublicLinks,
): Promise<CompiledCampaign | null> {
  const prepared = await prepareContent(campaign);
  const from = parseMailbox(campaign.sender);
  if (!prepared || !from) return null;
  const tracked = trackContent(prepared.html, {
    opens: campaign.trackOpens ?? domain.openTracking,
    clicks: campaign.trackClicks ?? domain.clickTracking,
  });
  // In a letter it stands in the header and in both parts: signed once.
  let last: { recipient: LetterRecipient; link: string } | null = null;
  const unsubscribe = (recipient: LetterRecipient): string => {
    if (last?.recipient !== recipient) {
      const { teamId, contactBookId, contactId, emailId } = recipient;
      const { id: campaignId, topicId } = campaign;
      const link = links.unsubscribe({ teamId, contactBookId, contactId, emailId, campaignId, topicId });
      last = { recipient, link };
    }
    return last.link;
  };
  const resolve: Resolve<LetterRecipient> = (name) => {
    if (UNSUBSCRIBE_TAGS.has(name)) return unsubscribe;
    if (name === OPEN_TAG) return (recipient) => links.open(recipient);
    if (name.startsWith(CLICK_TAG)) {
      const target = tracked.targets[Number(name.slice(CLICK_TAG.length))];
      return (recipient) => (target === undefined ? null : links.click(recipient, target));
    }
    if (name === PREFERENCES_TAG) return (recipient) => links.preferences(recipient);
    return contactField(name, ({ address }) => address.email);
  };
  // Each is made when it is first asked for: a preview needs no letter, and a letter no preview.
  const letter = once(() =>
    compileLetter(
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
  const shown = once(() => ({
    subject: compileText(campaign.subject, 'plain', resolve),
    html: compileText(prepared.html, 'html', resolve),
    text: compileText(prepared.text, 'plain', resolve),
  }));

  return {
    render: (recipient) =>
      letter().render(recipient, {
        to: recipient.address,
        messageId: recipient.messageId,
        date: recipient.date,
        // RFC 8058 section 3.1; RFC 2369 section 3.2 lets several ways stand beside each other.
        headers: [
          [
            'List-Unsubscribe',
            `<${unsubscribe(recipient)}>, <mailto:${links.unsubscribeAddress(recipient.emailId, domain.name)}?subject=unsubscribe>`,
          ],
          ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
        ],
      }),
    show(recipient) {
      const { subject, html, text } = shown();
      return { subject: subject(recipient), html: html(recipient), text: text(recipient) };
    },
  };
}

function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | null = null;
  return () => (made ??= { value: make() }).value;
}

function readMailboxes(texts: string[]): Mailbox[] {
  return texts.map((text) => parseMailbox(text)!);
}
