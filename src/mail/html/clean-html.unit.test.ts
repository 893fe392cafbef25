import { expect, test } from 'vitest';
import { HOSTILE_HTML } from '../../testing/hostile-html.ts';
import { cleanHtml, blockRemoteImages, pointCidImages } from './clean-html.ts';

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

test.each([
  'Just words, "quotes" and all.',
  '<p>Hello <b>Ada</b>,<br>thank you.</p>',
  '<h1>One</h1><h2 dir="rtl">Two</h2><hr><pre>  x\n y</pre>',
  '<ul><li>a</li><li>b<ol start="3" type="a"><li value="7">c</li></ol></li></ul>',
  '<table border="0" cellpadding="4" width="600" bgcolor="#ffffff"><tbody><tr><td colspan="2" align="center" valign="top">x</td></tr></tbody></table>',
  '<blockquote type="cite"><div class="gmail_quote">On Monday Ada wrote:</div></blockquote>',
  '<a href="https://example.com/?a=1&amp;b=2#c">x</a> <a href="mailto:ada@example.com">y</a> <a href="tel:+4912345">z</a>',
  '<a href="https://example.com" target="_blank" rel="noopener noreferrer">x</a>',
  '<img src="https://example.com/a.png" alt="" width="20" height="10">',
  '<img src="cid:part1@example.com" alt="A &amp; B">',
  `<img src="${PIXEL}">`,
  '<p style="color: red; font-family: &quot;Open Sans&quot;, Arial; margin: 0 auto !important;">x</p>',
  '<p style="background-color:rgb(255, 0, 10);border:1px solid rgba(0,0,0,.5)">x</p>',
  '<p style="background: linear-gradient(90deg, #fff, rgba(0,0,0,.5));color:hsl(120deg 50% 50%)">x</p>',
  '<font color="red" face="Arial" size="2">x</font><center>y</center>',
  'a&nbsp;b &lt; c &amp;amp; d',
  'a\u00a0b > c & d && "e" &gt; &amp; f &quot; &',
  '\uf8ff > a\u00a0b',
  '<p>Dear {{contact.firstName}}, {{mailbox.name}}</p>',
])('clean HTML stays unchanged: %s', (html) => {
  expect(cleanHtml(html)).toBe(html);
});

test.each([
  ['<P ONCLICK=x()>Hi', '<p>Hi</p>'],
  ['<p id="x" class="btn gmail_quote" name=y>x</p>', '<p class="gmail_quote">x</p>'],
  ['a<script>b</script>c<style>d</style>e<title>f</title>', 'ace'],
  [
    '<html><head><title>t</title></head><body bgcolor="#eee" style="margin:0">x</body></html>',
    '<div style="background-color: #eee;margin:0">x</div>',
  ],
  ['<svg/onload=x><p>new</p>', '<p>new</p>'],
  ['<p>a<svg></p>b', '<p>a</p>b'],
  ['<div><svg/onload=x></div>new text', '<div></div>new text'],
  ['<b>x<svg></b>new', '<b>x</b>new'],
  ['<math><annotation-xml encoding="x"><p>new</p>', '<p>new</p>'],
  ['<svg viewBox="0 0 1 1"><title>t</title><path d="M0"/><text>gone</text></svg>kept', 'kept'],
  ['<svg/>kept<math/>too', 'kepttoo'],
  ['<svg><g><desc>gone<p>gone</p></desc></g><b>kept</b></svg>', '<b>kept</b>'],
  ['<svg><style>gone<p>kept</p></style>', '<p>kept</p>'],
  ['<svg><script>gone<div>kept', '<div>kept</div>'],
  ['<svg><![CDATA[<p>gone</p>]]><i>kept</i>', '<i>kept</i>'],
  ['<svg><!-- <p>gone</p> --><i>kept</i>', '<i>kept</i>'],
  ['<math><mi>x<p>gone</p></mi><mo>+</mo><span>kept</span>', '<span>kept</span>'],
  ['<svg><font>gone</font><font color="red">kept</font>', '<font color="red">kept</font>'],
  ['<style><svg></style><p>kept</p>', '<p>kept</p>'],
  ['<p title="<svg>">kept</p>', '<p title="&lt;svg&gt;">kept</p>'],
  ['<object data="x"><p>kept</p></object>', '<p>kept</p>'],
  ['<o:p>kept</o:p><button>too</button>', 'kepttoo'],
  ['<!-- gone --><p>x<!-- gone --></p>', '<p>x</p>'],
  ['<br/><img src="cid:a" />', '<br><img src="cid:a">'],
  ['<a href=" HTTPS://example.com/\n x ">x</a>', '<a href="HTTPS://example.com/ x">x</a>'],
  ['<a href="//example.com">x</a>', '<a href="https://example.com">x</a>'],
  ['<a href="/local">x</a><a href="#top">y</a><a href="x.html">z</a>', '<a>x</a><a>y</a><a>z</a>'],
  ['<a href="https://example.com" target="_top" rel="opener">x</a>', '<a href="https://example.com">x</a>'],
  [
    '<a href="https://example.com" target="_blank">x</a>',
    '<a href="https://example.com" target="_blank" rel="noopener noreferrer">x</a>',
  ],
  ['<img alt="x">', ''],
  ['<img src="logo.png">', ''],
  ['<img src="x"><table><tr><td>a</td></tr></table><p>b</p>', '<table><tr><td>a</td></tr></table><p>b</p>'],
  [`<img alt=' src="https://x.test/"'><i>a</i><b>c</b>`, '<i>a</i><b>c</b>'],
  [`<img src="${PIXEL.slice(0, 30)}\n ${PIXEL.slice(30)}">`, `<img src="${PIXEL}">`],
  ['<img src="data:image/svg+xml;base64,AAAA">', ''],
  ['<p style="color:red;position:fixed;font-size:12px">x</p>', '<p style="color:red;font-size:12px">x</p>'],
  ['<p style="background:url(x)">x</p>', '<p>x</p>'],
  ['<p style="background: #033fff url(x) no-repeat">x</p>', '<p style="background: #033fff">x</p>'],
  [
    '<p style="background:url(x?a;b)rgb(1, 2, 3)!important">x</p>',
    '<p style="background: rgb(1, 2, 3) !important">x</p>',
  ],
  [
    '<p style="background:no-repeat url(data:image/png;base64,AA) white">x</p>',
    '<p style="background: white">x</p>',
  ],
  ['<ul style="list-style: square url(x)">x</ul>', '<ul style="list-style: square">x</ul>'],
  ['<p style="margin: 0 -10px 20px">x</p>', '<p style="margin: 0 0 20px">x</p>'],
  ['<p style="color:red/* ; */;font-size:12px">x</p>', '<p style="color:red;font-size:12px">x</p>'],
  ['<td background="https://example.com/a.png">x</td>', '<td background="https://example.com/a.png">x</td>'],
  ['<td background="cid:x">x</td>', '<td>x</td>'],
  ['&#0;\0&#xD800;\ud800', '\uFFFD\uFFFD\uFFFD\uFFFD'],
  ['<p>a<p>b', '<p>a</p><p>b</p>'],
  ['x < y', 'x &lt; y'],
  ['&#62;&#160;&#34;&copy;', '>\u00a0"©'],
  ['&<x>lt; &<img>gt; AT&T &#38;lt;', '&amp;lt; &amp;gt; AT&amp;T &amp;lt;'],
  ['&#xf8ff;&nbsp;&gt;', '\uf8ff\u00a0>'],
  [`<p style='font-family:"A B"' title='">'>x</p>`, `<p style="font-family:'A B'" title="&quot;&gt;">x</p>`],
])('%s becomes %s', (html, expected) => {
  expect(cleanHtml(html)).toBe(expected);
});

test('cleaning twice changes nothing, and no active content is left', () => {
  for (const html of [...HOSTILE_HTML, HOSTILE_HTML.join('\n'), HOSTILE_HTML.toReversed().join('')]) {
    const cleaned = cleanHtml(html);
    expect(cleanHtml(cleaned)).toBe(cleaned);
    // Text and values contain no "<", so anything that looks like a tag is one.
    expect(cleaned).not.toMatch(/<(?!\/?[a-z][a-z0-9]*(?: [a-z]+(?:="[^"<>]*")?)*>)/);
    for (const tag of cleaned.match(/<[^>]*>/g) ?? []) {
      expect(tag.replaceAll(/ title="[^"]*"|="https:\/\/good[^"]*"/g, '')).not.toMatch(
        / on\w+=|evil|script|svg|url|position|name=|id=/i,
      );
    }
  }
});

test('cleaning random markup twice changes nothing', () => {
  const pieces = [
    '<',
    '>',
    '"',
    "'",
    '&',
    '=',
    '/',
    ' ',
    '!',
    '--',
    'style',
    'svg',
    'math',
    'p',
    'td',
    'table',
    'a href=',
    'img src=cid:',
    'title',
    '&lt;',
    '&quot;',
    '\0',
    '<!--',
    '-->',
    ']]>',
    'onerror=ran()',
    'x',
    '\u00a0',
  ];
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 2_000; round += 1) {
    const html = Array.from({ length: 1 + next(30) }, () => pieces[next(pieces.length)]!).join('');
    const cleaned = cleanHtml(html);
    expect(cleanHtml(cleaned), html).toBe(cleaned);
    expect(cleaned.replaceAll(/="[^"]*"/g, ''), html).not.toMatch(/<[^>]*(?:onerror|svg|math|style)/);
  }
});

test('HTML far beyond normal mail becomes text', () => {
  const beyond = {
    deep: `${'<div>'.repeat(100_000)}x`,
    many: '<b>x</b>'.repeat(200_000),
    closers: '<b>'.repeat(900) + '</i>'.repeat(1_000_000),
    references: '&'.repeat(5_000_000),
    brackets: '<'.repeat(5_000_000),
  };
  for (const html of Object.values(beyond)) {
    const cleaned = cleanHtml(html);
    expect(cleaned).toMatch(/^<pre>[^<>]*<\/pre>$/);
    expect(cleanHtml(cleaned)).toBe(cleaned);
  }
});

test('large but simple mail is kept whole', () => {
  const attributes = Array.from({ length: 100_000 }, (_, at) => `a${at}=b`).join(' ');
  expect(cleanHtml(`<div ${attributes}>x</div>`)).toBe('<div>x</div>');
  const long = `<p>${'lorem ipsum '.repeat(400_000)}</p>`;
  expect(cleanHtml(long)).toBe(long);
  const nested = cleanHtml(`${'<blockquote>'.repeat(500)}x`);
  expect(nested).toMatch(/^(<blockquote>){200}x(<\/blockquote>){200}$/);
});

test('remote images are blocked only for display', () => {
  const html = cleanHtml(
    `<img src="https://a.test/1.png" alt='src="https://a.test/no"'><table background="http://a.test/2.png"><tr><td>src="https://x"</td></tr></table><img src="cid:x"><img src="${PIXEL}">`,
  );
  const { html: shown, held } = blockRemoteImages(html);
  expect(held).toBe(2);
  expect(shown).toContain('data-held-src="https://a.test/1.png"');
  expect(shown).toContain('<table data-held-background="http://a.test/2.png">');
  expect(shown).toContain('<img src="cid:x">');
  expect(shown).not.toMatch(/ (src|background)="http/);
  expect(blockRemoteImages(shown).held).toBe(0);
});

test('images of the message point to the URLs of its parts', () => {
  const seen: string[] = [];
  const html = cleanHtml(
    '<img src="CID:a%40b&amp;c" alt="x"><img src="cid:unknown"><img src="https://a.test/">',
  );
  const pointed = pointCidImages(html, (contentId) => {
    seen.push(contentId);
    return contentId === 'a@b&c' ? '/part?a=1&b="2"' : null;
  });
  expect(seen).toEqual(['a@b&c', 'unknown']);
  expect(pointed).toBe(
    '<img src="/part?a=1&amp;b=&quot;2&quot;" alt="x"><img src="cid:unknown"><img src="https://a.test/">',
  );
});
