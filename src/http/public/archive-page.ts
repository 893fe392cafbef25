/** Renders the archive of a contact book: the list of emails, and the page of one email, both with a sign-up. */
import { HONEYPOT_FIELD } from '../../features/audience/forms/embed-html.ts';
import { STAMP_FIELD } from '../../features/audience/forms/form-stamp.ts';
import { formTextsIn } from '../../features/audience/forms/form-texts.ts';
import type { Archive, ArchivedCampaign } from '../../features/campaigns/archive/archive.ts';
import { directionOfText } from '../../mail/html/text-direction.ts';
import { Markup, markup } from '../pages/markup.ts';
import { ISSUE_STYLE, LIST_STYLE } from './archive-style.ts';
import { archiveTextsIn } from './archive-texts.ts';
import { PLAIN, type Look } from './look.ts';
import { publicHeaders, renderDocument, renderPage } from './page.ts';
import type { View } from './pages.ts';
import type { Language } from './texts.ts';

/** The campaign on whose page someone signs up, and the contact whose link they followed. */
export const CAMPAIGN_FIELD = 'campaign';
export const REFERRER_FIELD = 'ref';

export function archiveHeaders(archive: Archive, look: Look): Record<string, string> {
  return { ...publicHeaders({ look, style: LIST_STYLE }), ...sharedHeaders(archive) };
}

/**
 * The email has inline styles and images from any site. It is sanitised, and the policy ensures that nothing in it runs
 * or acts on behalf of this site: the sandbox gives the page its own origin, and its only form is the sign-up.
 */
export function emailPageHeaders(archive: Archive, url: string): Record<string, string> {
  return {
    ...publicHeaders({}),
    ...sharedHeaders(archive),
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; form-action ${new URL(url).origin}; frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox allow-forms`,
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

/** What the sign-up form of a page carries along. */
interface SignUpState {
  stamp: string;
  referrer: string;
  /** After a sign-up that was rejected. */
  email?: string;
  problem?: string | null;
}

interface ListPage {
  archive: Archive;
  /** Without a trailing slash. */
  url: string;
  campaigns: ArchivedCampaign[];
  hasMore: boolean;
  isFirst: boolean;
  signUp: SignUpState;
}

export function renderArchive({ language, look }: View, page: ListPage): string {
  const { archive, url, campaigns, hasMore, isFirst, signUp } = page;
  const texts = archiveTextsIn(language);
  const rows = campaigns.map(
    (campaign) => markup`<li>${renderDate(campaign, archive, language)}
<a dir="auto" href="${url}/${campaign.id}">${campaign.subject}</a>
${campaign.previewText && markup`<p dir="auto">${campaign.previewText}</p>`}</li>
`,
  );
  const older = hasMore && markup`<a href="${url}?before=${campaigns.at(-1)!.id}">${texts.older}</a>`;
  const newest = isFirst ? null : markup`<a href="${url}">${texts.newest}</a>`;
  const body = markup`<header class="masthead wide">
${look.logo && markup`<img class="logo" src="${look.logo.url}" alt="">`}
<h1 dir="auto">${archive.title}</h1>
${archive.description && markup`<p class="about" dir="auto">${archive.description}</p>`}
${renderSignUp(language, url, signUp, null)}
</header>
<main class="wide">
${rows.length > 0 ? markup`<ol class="emails">${rows}</ol>` : markup`<p>${texts.empty}</p>`}
</main>
${renderFoot(look, markup`${older || null}${newest}<a href="${url}/feed.xml">${texts.feed}</a>`)}`;
  return renderDocument(language, {
    title: archive.title,
    look,
    body,
    head: headOf(archive, url),
    style: LIST_STYLE,
    direction: directionOfText(archive.title),
  });
}

interface EmailPage {
  archive: Archive;
  url: string;
  campaign: ArchivedCampaign;
  /** Sanitised HTML. */
  content: string;
  signUp: SignUpState;
}

export function renderEmailPage(
  { language, look }: View,
  { archive, url, campaign, content, signUp }: EmailPage,
): string {
  const texts = archiveTextsIn(language);
  // Without a heading of its own, a letter would begin without saying what it is.
  const title = /<h1[\s>]/i.test(content) ? 'title' : 'title shown';
  const body = markup`<header class="bar"><a class="home" href="${url}" dir="auto">${archive.title}</a>${renderDate(campaign, archive, language)}<a href="${url}">${texts.all}</a></header>
<main>
<h1 class="${title}" dir="auto">${campaign.subject}</h1>
<article class="email" dir="auto">${new Markup(content)}</article>
<section class="after"><h2 dir="auto">${formTextsIn(language).title.replace('{book}', () => archive.title)}</h2>
${renderSignUp(language, url, signUp, campaign.id)}</section>
</main>
${renderFoot(look, markup`<a href="${url}">${texts.all}</a><a href="${url}/feed.xml">${texts.feed}</a>`)}`;
  return renderDocument(language, {
    title: campaign.subject,
    look,
    body,
    head: headOf(archive, url, campaign),
    style: ISSUE_STYLE,
    direction: directionOfText(archive.title),
  });
}

function hidden(name: string, value: string): Markup {
  return markup`<input type="hidden" name="${name}" value="${value}">`;
}

function renderSignUp(
  language: Language,
  url: string,
  { stamp, referrer, email = '', problem = null }: SignUpState,
  campaignId: string | null,
): Markup {
  const texts = formTextsIn(language);
  const invalid = problem === null ? null : markup` aria-invalid="true" aria-describedby="sign-up-problem"`;
  return markup`<form class="sign-up" method="post" action="${url}" accept-charset="utf-8">
<label for="sign-up-email">${texts.email}</label>
<div class="row"><input id="sign-up-email" type="email" name="email" value="${email}" autocomplete="email" maxlength="320" required${invalid}><button type="submit">${texts.button}</button></div>
${problem && markup`<p class="problem" id="sign-up-problem" role="alert">${problem}</p>`}
<div class="trap" aria-hidden="true"><label>${texts.leaveEmpty} <input type="text" name="${HONEYPOT_FIELD}" tabindex="-1" autocomplete="off"></label></div>
${hidden(STAMP_FIELD, stamp)}${campaignId && hidden(CAMPAIGN_FIELD, campaignId)}${referrer ? hidden(REFERRER_FIELD, referrer) : null}
</form>`;
}

function renderFoot(look: Look, links: Markup): Markup {
  return markup`<footer class="foot">${look.address && markup`<p>${look.address}</p>`}<p class="links">${links}</p></footer>`;
}

export function renderArchiveGone(language: Language): string {
  const { goneTitle, gone } = archiveTextsIn(language);
  return renderPage(language, goneTitle, markup`<p>${gone}</p>`, PLAIN);
}

/** The answer to every sign-up that is not malformed, whoever the address belongs to. */
export function renderSignedUp({ language, look }: View, archive: Archive, url: string): string {
  const texts = formTextsIn(language);
  const text = archive.doubleOptInEnabled ? texts.confirmByMail : texts.subscribed;
  const body = markup`<p>${text}</p><p class="more"><a href="${url}">${archiveTextsIn(language).all}</a></p>`;
  return renderPage(language, texts.thankYouTitle, body, look);
}

function headOf(archive: Archive, url: string, campaign?: ArchivedCampaign): Markup {
  const description = campaign ? campaign.previewText : archive.description;
  const title = campaign ? campaign.subject : archive.title;
  return markup`<link rel="alternate" type="application/rss+xml" title="${archive.title}" href="${url}/feed.xml">
<link rel="canonical" href="${campaign ? `${url}/${campaign.id}` : url}">
<meta property="og:title" content="${title}"><meta property="og:type" content="${campaign ? 'article' : 'website'}">
${description && markup`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}`;
}

function renderDate({ sentAt }: ArchivedCampaign, { timeZone }: Archive, language: Language): Markup {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(sentAt);
  return markup`<time class="date" datetime="${sentAt.toISOString()}">${day}</time>`;
}
