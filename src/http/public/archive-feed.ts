/** Renders the emails of an archive as RSS 2.0 (https://www.rssboard.org/rss-specification). */
import type { Archive, ArchivedCampaign } from '../../features/campaigns/archive/archive.ts';
import { escapeHtml } from '../../mail/html/entities.ts';
import { markup, type Markup } from '../pages/markup.ts';

// XML 1.0 section 2.2 does not allow these characters, not even as references.
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export function renderFeed(archive: Archive, url: string, campaigns: ArchivedCampaign[]): string {
  const items = campaigns.map(
    (campaign) => markup`<item>
<title>${inXml(campaign.subject)}</title>
<link>${url}/${campaign.id}</link>
<guid isPermaLink="true">${url}/${campaign.id}</guid>
<pubDate>${campaign.sentAt.toUTCString()}</pubDate>
${campaign.previewText && markup`<description>${asHtml(campaign.previewText)}</description>`}
</item>
`,
  );
  return feed(archive, url, campaigns[0], items);
}

function feed(archive: Archive, url: string, newest: ArchivedCampaign | undefined, items: Markup[]): string {
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${inXml(archive.title)}</title>
<link>${url}</link>
<description>${asHtml(archive.description ?? archive.title)}</description>
<atom:link href="${url}/feed.xml" rel="self" type="application/rss+xml"/>
${newest ? markup`<lastBuildDate>${newest.sentAt.toUTCString()}</lastBuildDate>` : null}
${items}</channel>
</rss>
`.html;
}

function inXml(text: string): string {
  return text.replaceAll(NOT_IN_XML, '');
}

/** Feed readers treat a description as HTML, so the characters of plain text are escaped twice. */
function asHtml(text: string): string {
  return inXml(escapeHtml(text));
}
