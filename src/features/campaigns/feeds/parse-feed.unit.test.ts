import { describe, expect, test } from 'vitest';
import { FeedProblem, parseFeed } from './parse-feed.ts';

const url = 'https://blog.example/feed.xml';

function parse(text: string | Buffer, contentType = 'application/xml') {
  return parseFeed(Buffer.from(text as string), { contentType, url });
}

const rss = (items: string, more = '') =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
  <channel><title>Harbour &amp; Sea</title><link>https://blog.example/</link>
  <image><title>Logo</title><url>https://blog.example/logo.png</url></image>${more}${items}</channel></rss>`;

describe('RSS', () => {
  test('has title, link, plain summary, image and day, in the order of the feed', async () => {
    const feed = await parse(
      rss(`<item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/one</link><guid isPermaLink="false">id-1</guid>
        <description><![CDATA[<p>Hello&nbsp;<a href="https://x.example">there</a></p><img src="/pic.jpg">]]></description>
        <pubDate>Sun, 15 Nov 2026 09:30:00 GMT</pubDate></item>
        <item><title>Two</title><link>https://blog.example/two</link>
        <media:group><media:content url="https://cdn.example/2.jpg" medium="image"/></media:group></item>`),
    );
    expect(feed.title).toBe('Harbour & Sea');
    expect(feed.items).toEqual([
      {
        key: 'guid id-1',
        title: 'One bold',
        url: 'https://blog.example/one',
        summary: 'Hello there',
        image: 'https://blog.example/pic.jpg',
        date: '2026-11-15',
      },
      {
        key: 'link https://blog.example/two',
        title: 'Two',
        url: 'https://blog.example/two',
        summary: '',
        image: 'https://cdn.example/2.jpg',
        date: '',
      },
    ]);
  });

  test('knows an item by its guid once, and leaves links out that are not on the web', async () => {
    const item = '<item><title>x</title><link>javascript:alert(1)</link><guid>same</guid></item>';
    const { items } = await parse(rss(item + item));
    expect(items).toMatchObject([{ key: 'guid same', url: '' }]);
  });

  test('is read in the encoding that it declares', async () => {
    const text = rss('<item><title>Größe</title></item>').replace(
      'version="1.0"',
      'version="1.0" encoding="ISO-8859-1"',
    );
    expect((await parse(Buffer.from(text, 'latin1'), 'text/xml')).items[0]!.title).toBe('Größe');
  });
});

test('Atom has links, XHTML content and the date of publication', async () => {
  const feed = await parse(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title>
    <entry><id>urn:1</id><title type="html">A &amp;amp; B</title><updated>2026-11-16T00:00:00Z</updated>
    <published>2026-11-15T23:00:00Z</published>
    <link rel="self" href="/api/1"/><link href="/a"/>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>two</p><img src="a.png"/></div></content>
    </entry></feed>`);
  expect(feed).toMatchObject({
    title: 'Notes',
    items: [
      {
        key: 'guid urn:1',
        title: 'A & B',
        url: 'https://blog.example/a',
        summary: 'One two',
        image: 'https://blog.example/a.png',
        date: '2026-11-15',
      },
    ],
  });
});

test('JSON Feed is read, with text that is not HTML', async () => {
  const text = JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Notes',
    items: [
      {
        id: 7,
        url: 'https://blog.example/7',
        title: 'a < b',
        content_text: 'x <y> \ud800z\0',
        image: '/7.png',
        date_published: '2026-11-15T01:00:00+02:00',
      },
      { nothing: true },
      null,
    ],
  });
  expect(await parse(text, 'application/feed+json')).toEqual({
    title: 'Notes',
    items: [
      {
        key: 'guid 7',
        title: 'a < b',
        url: 'https://blog.example/7',
        summary: 'x <y> \ufffdz',
        image: 'https://blog.example/7.png',
        date: '2026-11-14',
      },
    ],
  });
});

describe('hostile input', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`;
  test.each([
    ['a document type', bomb],
    ['deep nesting', `<rss>${'<a>'.repeat(2_000)}`],
    ['HTML', '<!doctype html><html><body>x</body></html>'],
    ['another XML document', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['XML that ends early', rss('').slice(0, -20)],
    ['nothing', ''],
    ['broken JSON', '{"version": "https://jsonfeed.org/version/1", "items": ['],
    ['other JSON', '{"items": []}'],
  ])('%s is rejected', async (_, text) => {
    await expect(parse(text)).rejects.toThrow(FeedProblem);
  });

  test('many items and long texts are cut', async () => {
    const long = `<title>${'t'.repeat(900)}</title><description>${'w '.repeat(1_000)}</description>`;
    const all = Array.from({ length: 700 }, (_, no) => `<item><guid>${no}</guid>${long}</item>`);
    const { items } = await parse(rss(all.join('')));
    expect(items).toHaveLength(500);
    expect(items[0]!.title.length).toBe(501);
    expect(items[0]!.summary.length).toBeLessThanOrEqual(1_001);
  });
});
