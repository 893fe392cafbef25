/** Checks what filters of receivers look at: the spam score, domains of links on blocklists, and text beside images. */
import { getDomain } from 'tldts';
import { findListings } from '../../../mail/auth/blocklists.ts';
import type { References } from '../../../mail/html/find-references.ts';
import { visibleText } from '../../../mail/html/visible-text.ts';
import type { Db } from '../../../platform/database/database.ts';
import { leadsToThisMachine } from '../../../platform/network/local-address.ts';
import type { ContentScore, Facts } from '../../instance/facts.ts';
import { advise, count, warn } from './check-content.ts';
import type { CampaignFinding } from './check.schema.ts';

const MAX_DOMAINS = 20;
const CLOSE_TO_SPAM = 0.66;
/** Filters distrust images that carry the message. Fewer letters than these are hardly a text. */
const LEAST_LETTERS = 200;

export interface RenderedVariant {
  render(): Buffer;
  from: string;
  to: string;
}

/** Returns the score of the worst variant. Null if the filter did not answer. */
export async function scoreVariants(
  db: Db,
  teamId: number,
  variants: RenderedVariant[],
  { scoreContent }: Pick<Facts, 'scoreContent'>,
): Promise<{ spam: ContentScore | null; findings: CampaignFinding[] }> {
  let spam: ContentScore | null = null;
  for (const { render, from, to } of variants) {
    const score = await scoreContent(db, teamId, { raw: render(), from, to });
    if (score && (spam === null || score.score > spam.score)) spam = score;
  }
  if (spam === null) return { spam, findings: [] };
  const figure = `${spam.score} points, and mail is spam from ${spam.spamFrom}`;
  const found = spam.isSpam
    ? warn('spam_score', `A spam filter takes this email for spam (${figure}).`, spam.reasons)
    : spam.score >= spam.spamFrom * CLOSE_TO_SPAM
      ? advise('spam_score', `This email comes close to spam (${figure}).`, spam.reasons)
      : null;
  return { spam, findings: found ? [{ ...found, variant: null }] : [] };
}

/** Asks the blocklists of DNSBL_ZONES that list domains about the domains of links and images. */
export async function checkListedLinks(
  references: References[],
  { dns, blocklistZones }: Pick<Facts, 'dns' | 'blocklistZones'>,
): Promise<CampaignFinding[]> {
  const domains = [...new Set(references.flatMap(domainsOf))].slice(0, MAX_DOMAINS);
  const listed = await Promise.all(
    domains.map(async (domain) => {
      const found = await findListings(dns, blocklistZones, 'domains', domain);
      return found.map((zone) => `${domain} (${zone})`);
    }),
  );
  const places = listed.flat();
  if (places.length === 0) return [];
  const message = `${count(places.length, 'domain of a link is', 'domains of links are')} on a blocklist, so filters will take the email for spam. Remove the links, or ask the list to remove the domain.`;
  return [{ ...warn('listed_links', message, places), variant: null }];
}

/** The hosts, and the registrable domains above them, because most lists name those. */
function domainsOf({ links, images }: References): string[] {
  return [...links, ...images].flatMap(({ url }) => {
    if (!/^https?:\/\/[^/?#]/i.test(url) || url.includes('{{') || !URL.canParse(url)) return [];
    const host = new URL(url).hostname.replace(/\.$/, '');
    const domain = getDomain(host);
    return domain === null ? [] : [...new Set([host, domain])];
  });
}

export function checkImageRatio(
  html: string,
  { images: all }: References,
  variant: number | null,
): CampaignFinding[] {
  const images = all.filter(({ isDecoration }) => !isDecoration);
  if (images.length === 0 || visibleText(html).text.replace(/\s+/g, '').length >= LEAST_LETTERS) return [];
  const message = `There are ${count(images.length, 'image', 'images')} and hardly any text. Spam filters distrust such emails, and many people do not see images. Write what the images show.`;
  return [{ ...advise('mostly_images', message), variant }];
}

/** Every campaign has the fields of RFC 8058, but providers offer them only where they lead to an https URL. */
export function checkOneClick({ baseUrl, mailTransport }: Pick<Facts, 'baseUrl' | 'mailTransport'>): {
  oneClick: boolean;
  findings: CampaignFinding[];
} {
  const oneClick = baseUrl.startsWith('https:') && !leadsToThisMachine(baseUrl);
  if (oneClick || mailTransport === 'sandbox') return { oneClick, findings: [] };
  const message =
    'Gmail and Yahoo require unsubscribing with one click from senders of newsletters, and offer it only where BASE_URL begins with https and can be reached.';
  return { oneClick, findings: [{ ...warn('no_one_click', message), variant: null }] };
}
