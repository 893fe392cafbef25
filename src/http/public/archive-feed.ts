/** Renders the emails of an archive as RSS 2.0 (https://www.rssboard.org/rss-specification). */
import type { Archive, ArchivedLetter } from '../../features/campaigns/archive.ts';
import { escapeHtml } from '../../mail/html/entities.ts';
import { markup, type Markup } from '../pages/markup.ts';

// XML 1.0 section 2.2 does not allow these characters, not even as references.
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export function renderFeed(archive: Archive, url: string, letters: ArchivedLetter[]): string {
  const items = letters.map(
    (letter) => markup`<item>
<title>${inXml(letter.subject)}</title>
<link>${url}/${letter.id}</link>
<guid isPermaLink="true">${url}/${letter.id}</guid>
<pubDate>${letter.sentAt.toUTCString()}</pubDate>
${letter.previewText && markup`<description>${asHtml(letter.previewText)}</description>`}
</item>
`,
  );
  return feed(archive, url, letters[0], items);
}

function feed(archive: Archive, url: string, newest: ArchivedLetter | undefined, items: Markup[]): string {
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
