/** Renders the archive of a contact book: the list of emails, and the page of one email. */
import type { Archive, ArchivedCampaign } from '../../features/campaigns/archive/archive.ts';
import { Markup, markup } from '../pages/markup.ts';
import { archiveTextsIn } from './archive-texts.ts';
import { PLAIN, type Look } from './look.ts';
import { publicHeaders, renderPage } from './page.ts';
import type { View } from './pages.ts';
import type { Language } from './texts.ts';

const LIST_STYLE = `
body { align-content: start; padding-block: max(1.5rem, 6vh); }
main { width: min(42rem, 100vw - 3rem); padding: clamp(1.5rem, 5vw, 3rem); }
.about { color: var(--soft); white-space: pre-line; }
.emails { margin: 0; padding: 0; list-style: none; }
.emails li { padding: 1.1rem 0; border-top: 1px solid var(--line); }
.emails a { font-size: 1.15rem; font-weight: 600; overflow-wrap: anywhere; }
.emails p { margin: .2rem 0 0; color: var(--soft); }
.date { display: block; color: var(--soft); font-size: .875rem; }
.more { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 0; padding-top: 1.1rem; border-top: 1px solid var(--line); }
`;

/**
 * Emails are designed for a light background, unless they set their own. The rules apply to elements of the page alone, or
 * have no specificity, because the email brings classes and rules of its own.
 */
const EMAIL_STYLE = `
body { align-content: start; padding-block: max(1.5rem, 4vh); }
main { width: min(48rem, 100vw - 3rem); padding: clamp(1.25rem, 4vw, 2.5rem); }
main > .about { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; color: var(--soft); }
main > .email { color-scheme: light; overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; color: #1f2328; overflow-wrap: anywhere; }
:where(main > .email) a { color: #0a557f; }
:where(main > .email) img { max-width: 100%; height: auto; }
@media (max-width: 40rem) {
  body { padding-inline: 0; }
  main { width: 100vw; border-inline: 0; border-radius: 0; }
  main > .email { margin-inline: calc(-1 * clamp(1.25rem, 4vw, 2.5rem)); padding: .75rem; border-inline: 0; border-radius: 0; }
}
`;

export function archiveHeaders(archive: Archive, look: Look): Record<string, string> {
  return { ...publicHeaders({ look: withStyle(look, LIST_STYLE) }), ...sharedHeaders(archive) };
}

/**
 * The email has inline styles and images from any site. It is sanitised, and the policy ensures that nothing in it runs
 * or acts on behalf of this site: the sandbox gives the page its own origin.
 */
export function emailPageHeaders(archive: Archive): Record<string, string> {
  return {
    ...publicHeaders({}),
    ...sharedHeaders(archive),
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
  };
}

export function sharedHeaders({ isIndexed }: Archive): Record<string, string> {
  return {
    // An archive that is turned off disappears immediately.
    'cache-control': 'no-cache',
    vary: 'accept-language',
    'x-robots-tag': isIndexed ? 'all' : 'noindex',
  };
}

interface ListPage {
  archive: Archive;
  /** Without a trailing slash. */
  url: string;
  campaigns: ArchivedCampaign[];
  hasMore: boolean;
  isFirst: boolean;
}

export function renderArchive({ language, look }: View, page: ListPage): string {
  const { archive, url, campaigns, hasMore, isFirst } = page;
  const texts = archiveTextsIn(language);
  const rows = campaigns.map(
    (campaign) => markup`<li>${renderDate(campaign, archive, language)}
<a href="${url}/${campaign.id}">${campaign.subject}</a>
${campaign.previewText && markup`<p>${campaign.previewText}</p>`}</li>
`,
  );
  const older = hasMore && markup`<a href="${url}?before=${campaigns.at(-1)!.id}">${texts.older}</a>`;
  const body = markup`${archive.description && markup`<p class="about">${archive.description}</p>`}
${rows.length > 0 ? markup`<ol class="emails">${rows}</ol>` : markup`<p>${texts.empty}</p>`}
<p class="more">${older || null}${isFirst ? null : markup`<a href="${url}">${texts.newest}</a>`}<a href="${url}/feed.xml">${texts.feed}</a></p>`;
  return renderPage(language, archive.title, body, withStyle(look, LIST_STYLE), headOf(archive, url));
}

interface EmailPage {
  archive: Archive;
  url: string;
  campaign: ArchivedCampaign;
  /** Sanitised HTML. */
  content: string;
}

export function renderEmailPage(
  { language, look }: View,
  { archive, url, campaign, content }: EmailPage,
): string {
  const texts = archiveTextsIn(language);
  const body = markup`<p class="about"><span>${archive.title}</span>${renderDate(campaign, archive, language)}<a href="${url}">${texts.all}</a></p>
<article class="email">${new Markup(content)}</article>`;
  return renderPage(
    language,
    campaign.subject,
    body,
    withStyle(look, EMAIL_STYLE),
    headOf(archive, url, campaign),
  );
}

export function renderArchiveGone(language: Language): string {
  const { goneTitle, gone } = archiveTextsIn(language);
  return renderPage(language, goneTitle, markup`<p>${gone}</p>`, PLAIN);
}

function headOf(archive: Archive, url: string, campaign?: ArchivedCampaign): Markup {
  const description = campaign ? campaign.previewText : archive.description;
  return markup`<link rel="alternate" type="application/rss+xml" title="${archive.title}" href="${url}/feed.xml">
<link rel="canonical" href="${campaign ? `${url}/${campaign.id}` : url}">
${description && markup`<meta name="description" content="${description}">`}`;
}

function renderDate({ sentAt }: ArchivedCampaign, { timeZone }: Archive, language: Language): Markup {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(sentAt);
  return markup`<time class="date" datetime="${sentAt.toISOString()}">${day}</time>`;
}

/** The colours of the brand come after the layout of the page. */
function withStyle(look: Look, style: string): Look {
  return { ...look, styles: [style, ...look.styles] };
}
