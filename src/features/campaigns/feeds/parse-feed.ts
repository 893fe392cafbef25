/**
 * Reads RSS 2 (and 0.9x and 1.0), Atom and JSON Feed. Input comes from strangers: document types are rejected, entities of a document
 * are never expanded, and depth, items and texts are limited. Parsing is done in pieces.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { decodeEntities } from '../../../mail/html/entities.ts';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { ShownItem } from '../feed-values.ts';

/** The message is the end of a sentence. */
export class FeedProblem extends Error {}

interface ParsedItem extends ShownItem {
  /** The guid, or else the link, or else what the item says. */
  key: string;
}

export interface ParsedFeed {
  title: string | null;
  /** In the order of the feed, each key once. */
  items: ParsedItem[];
}

const MAX_ITEMS = 500;
const MAX_DEPTH = 100;
const MAX_TITLE = 500;
const MAX_SUMMARY = 1_000;
const MAX_URL = 2_000;
const MAX_FIELD = 200_000;
/** How much of the HTML of an item is read for its summary. */
const MAX_READ = 40_000;
const PIECE = 64 * 1024;
const NOT_A_FEED = 'it is not an RSS, Atom or JSON feed';

/** The fields of an item as the feed has them. */
interface RawItem {
  guid: string;
  link: string;
  title: string;
  summary: string;
  content: string;
  image: string;
  date: string;
}

interface RawFeed {
  title: string;
  items: RawItem[];
}

export async function parseFeed(
  body: Buffer,
  { contentType, url }: { contentType: string; url: string },
): Promise<ParsedFeed> {
  const text = decode(body, contentType).trimStart();
  const raw = text.startsWith('{') ? readJson(text) : await readXml(text);
  const items: ParsedItem[] = [];
  const seen = new Set<string>();
  for (const [no, one] of raw.items.entries()) {
    if (no % 20 === 19) await nextTurn();
    const item = toItem(one, url);
    if (item && !seen.has(item.key)) items.push(item);
    if (item) seen.add(item.key);
  }
  return { title: shorten(plain(raw.title), MAX_TITLE) || null, items };
}

/** The byte order mark, the header and the XML declaration name the encoding, in this order. */
function decode(body: Buffer, contentType: string): string {
  const declared = /^[^<]{0,10}<\?xml[^>]{0,100}\sencoding\s*=\s*["']([\w-]{1,40})["']/.exec(
    body.subarray(0, 200).toString('latin1'),
  );
  const header = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType);
  const mark =
    body[0] === 0xff && body[1] === 0xfe
      ? 'utf-16le'
      : body[0] === 0xfe && body[1] === 0xff
        ? 'utf-16be'
        : null;
  for (const label of [mark, header?.[1], declared?.[1], 'utf-8']) {
    if (!label) continue;
    try {
      return new TextDecoder(label).decode(body).replaceAll('\0', '');
    } catch {
      // An unknown encoding: the next one is tried.
    }
  }
  return '';
}

function toItem(raw: RawItem, base: string): ParsedItem | null {
  const url = webUrl(raw.link, base) || webUrl(raw.guid, base, true);
  const title = shorten(plain(raw.title), MAX_TITLE);
  const summary = shorten(plain(raw.summary || raw.content), MAX_SUMMARY);
  const guid = raw.guid.toWellFormed().trim();
  const key = guid ? `guid ${guid}` : url ? `link ${url}` : `text ${title}\n${summary}`;
  if (!guid && !url && !title && !summary) return null;
  const image = webUrl(raw.image, base) || webUrl(firstImage(raw.content || raw.summary), base);
  return { key, title, url, summary, image, date: toDay(raw.date) };
}

function plain(html: string): string {
  const withoutLinks = html.slice(0, MAX_READ).replaceAll(/<\/?a\b[^<>]{0,2000}>/gi, '');
  return htmlToPlainText(withoutLinks, MAX_SUMMARY * 4)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = [...text].slice(0, max).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`;
}

/** Returns an empty text for anything that is not on the web. */
function webUrl(given: string, base: string, mustBeWhole = false): string {
  const text = given.trim();
  if (text === '' || text.length > MAX_URL || (mustBeWhole && !/^https?:\/\//i.test(text))) return '';
  if (!URL.canParse(text, base)) return '';
  const url = new URL(text, base);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : '';
}

function firstImage(html: string): string {
  const start = html.slice(0, MAX_FIELD).search(/<img\s/i);
  if (start === -1) return '';
  const end = html.indexOf('>', start);
  const source = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(html.slice(start, end === -1 ? start : end));
  return source ? decodeEntities(source[1] ?? source[2] ?? '') : '';
}

function toDay(text: string): string {
  const time = Date.parse(text.trim());
  return Number.isNaN(time) || Math.abs(time) > 8e14 ? '' : new Date(time).toISOString().slice(0, 10);
}

function readJson(text: string): RawFeed {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new FeedProblem('its JSON is not complete');
  }
  const feed = objectOf(parsed);
  if (!Array.isArray(feed['items']) || !textOf(feed['version']).includes('jsonfeed.org'))
    throw new FeedProblem(NOT_A_FEED);
  return {
    title: escapeTags(textOf(feed['title'])),
    items: feed['items'].slice(0, MAX_ITEMS).map((given): RawItem => {
      const item = objectOf(given);
      return {
        guid: textOf(item['id']),
        link: textOf(item['url']) || textOf(item['external_url']),
        title: escapeTags(textOf(item['title'])),
        summary: escapeTags(textOf(item['summary'])),
        content: textOf(item['content_html']) || escapeTags(textOf(item['content_text'])),
        image: textOf(item['image']) || textOf(item['banner_image']),
        date: textOf(item['date_published']),
      };
    }),
  };
}

const escapeTags = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, MAX_FIELD).replaceAll('\0', '')
    : '';
}

const ATOM = 'http://www.w3.org/2005/Atom';
const MEDIA = 'http://search.yahoo.com/mrss/';
const DUBLIN_CORE = 'http://purl.org/dc/elements/1.1/';
const CONTENT = 'http://purl.org/rss/1.0/modules/content/';
const ITUNES = 'http://www.itunes.com/dtds/podcast-1.0.dtd';

/** The field that the text of an element belongs to, by namespace and name. RSS elements may have any namespace. */
const FIELDS: Record<string, keyof RawItem> = {
  title: 'title',
  guid: 'guid',
  link: 'link',
  description: 'summary',
  pubDate: 'date',
  [`${DUBLIN_CORE} date`]: 'date',
  [`${CONTENT} encoded`]: 'content',
  [`${ATOM} title`]: 'title',
  [`${ATOM} id`]: 'guid',
  [`${ATOM} summary`]: 'summary',
  [`${ATOM} content`]: 'content',
  [`${ATOM} published`]: 'date',
  [`${ATOM} updated`]: 'date',
};
const RSS_NAMESPACES = new Set(['', 'http://purl.org/rss/1.0/', 'http://my.netscape.com/rdf/simple/0.9/']);

class FeedReader {
  readonly feed: RawFeed = { title: '', items: [] };
  isFeed = false;
  private path: string[] = [];
  private item: RawItem | null = null;
  private itemDepth = 0;
  private field: keyof RawItem | 'feedTitle' | null = null;
  private fieldDepth = 0;
  private text = '';

  open(tag: SaxesTagNS): void {
    this.path.push(tag.local);
    const depth = this.path.length;
    if (depth > MAX_DEPTH) throw new FeedProblem('its elements are nested too deep');
    if (depth === 1)
      this.isFeed = /^(?:rss|RDF)$/.test(tag.local) || (tag.local === 'feed' && tag.uri === ATOM);
    if (this.field !== null) return this.openInText(tag);
    if (this.item === null && (tag.local === 'item' || tag.local === 'entry')) {
      this.item = { guid: '', link: '', title: '', summary: '', content: '', image: '', date: '' };
      this.itemDepth = depth;
      return;
    }
    const name = RSS_NAMESPACES.has(tag.uri) ? tag.local : `${tag.uri} ${tag.local}`;
    if (this.item) this.openInItem(tag, name, depth);
    else if (FIELDS[name] === 'title' && depth === (this.path[0] === 'feed' ? 2 : 3))
      this.begin('feedTitle', depth);
  }

  /** XHTML in an Atom text: its markup is kept, so that words do not run together. */
  private openInText(tag: SaxesTagNS): void {
    const source = tag.local === 'img' ? attribute(tag, 'src') : '';
    this.append(source ? `<img src="${source.replaceAll('"', '&quot;')}">` : ' ');
  }

  private openInItem(tag: SaxesTagNS, name: string, depth: number): void {
    const item = this.item!;
    const isImage = attribute(tag, 'medium') === 'image' || attribute(tag, 'type').startsWith('image/');
    if (tag.uri === MEDIA && (tag.local === 'thumbnail' || (tag.local === 'content' && isImage)))
      item.image ||= attribute(tag, 'url');
    else if (tag.local === 'enclosure' && isImage) item.image ||= attribute(tag, 'url');
    else if (tag.uri === ITUNES && tag.local === 'image') item.image ||= attribute(tag, 'href');
    if (depth !== this.itemDepth + 1) return;
    if (name === `${ATOM} link`) this.readAtomLink(item, tag);
    else if (FIELDS[name]) this.begin(FIELDS[name], depth);
  }

  private readAtomLink(item: RawItem, tag: SaxesTagNS): void {
    const rel = attribute(tag, 'rel') || 'alternate';
    if (rel === 'alternate') item.link ||= attribute(tag, 'href');
    if (rel === 'enclosure' && attribute(tag, 'type').startsWith('image/'))
      item.image ||= attribute(tag, 'href');
  }

  private begin(field: keyof RawItem | 'feedTitle', depth: number): void {
    this.field = field;
    this.fieldDepth = depth;
    this.text = '';
  }

  append(text: string): void {
    if (this.field !== null && this.text.length < MAX_FIELD) this.text += text;
  }

  close(): void {
    const depth = this.path.length;
    if (this.field !== null && depth === this.fieldDepth) this.endField(this.field);
    if (this.item && depth === this.itemDepth) {
      if (this.feed.items.length < MAX_ITEMS) this.feed.items.push(this.item);
      this.item = null;
    }
    this.path.pop();
  }

  private endField(field: keyof RawItem | 'feedTitle'): void {
    if (field === 'feedTitle') this.feed.title ||= this.text;
    // The date of publication takes precedence over that of a change, in either order.
    else if (field === 'date' && this.path.at(-1) !== 'updated') this.item!.date = this.text;
    else this.item![field] ||= this.text;
    this.field = null;
  }
}

function attribute(tag: SaxesTagNS, name: string): string {
  return tag.attributes[name]?.value ?? '';
}

async function readXml(text: string): Promise<RawFeed> {
  const reader = new FeedReader();
  const parser = new SaxesParser({ xmlns: true });
  let problem: FeedProblem | null = null;
  parser.on('doctype', () => {
    throw new FeedProblem('it has a document type, which feeds do not need');
  });
  // Unknown entities such as &nbsp; stay as they are written, and are read with the HTML of the texts.
  parser.on('error', (error) => {
    if (!/undefined entity/i.test(error.message)) problem ??= new FeedProblem('its XML is not well-formed');
  });
  parser.on('opentag', (tag) => reader.open(tag));
  parser.on('text', (piece) => reader.append(piece));
  parser.on('cdata', (piece) => reader.append(piece));
  parser.on('closetag', () => reader.close());
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
    if (problem) break;
    await nextTurn();
  }
  if (!problem) parser.close();
  if (!reader.isFeed) throw new FeedProblem(NOT_A_FEED);
  if (problem) throw problem as FeedProblem;
  return reader.feed;
}
