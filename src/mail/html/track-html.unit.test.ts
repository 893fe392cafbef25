import { describe, expect, test } from 'vitest';
import { trackHtml } from './track-html.ts';
import { untrackHtml } from './untrack-html.ts';

const click = (url: string) => `https://t.test/?${encodeURIComponent(url)}`;
const seen = (html: string): string[] => {
  const urls: string[] = [];
  trackHtml(html, { click: (url) => (urls.push(url), url), pixel: null });
  return urls;
};

const button = (to: string) =>
  `<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="${to}"><![endif]--><a href="${to}">Shop</a><!--[if mso]></v:roundrect><![endif]-->`;

const pixel = (html: string) =>
  trackHtml(html, { click: null, pixel: 'https://t.test/o' }).replace(/<img [^>]*>/, '●');

describe('links', () => {
  test.each([
    ['<a href="https://a.test/?x=1&amp;y=2#z">', 'https://a.test/?x=1&y=2#z'],
    ["<A class=b HREF = 'http://a.test/%20%zz?q=%2B+&#38;'>", 'http://a.test/%20%zz?q=%2B+&'],
    ['<a href=https://a.test/b?c=d>', 'https://a.test/b?c=d'],
    ['<a href=https://a.test/b/>', 'https://a.test/b/'],
    ['<a href="https://a.test/?a=1&copy=2&reg=3">', 'https://a.test/?a=1&copy=2&reg=3'],
    ['<a title="a > b" href="https://a.test">', 'https://a.test'],
    ['<a title= "a > b" href="https://a.test">', 'https://a.test'],
    ['<area shape=rect href="https://a.test/">', 'https://a.test/'],
    ['<a href=" https://a.test/\n b ">', 'https://a.test/ b'],
    ['<a href="https://a.test/1" href="https://a.test/2">', 'https://a.test/1'],
    ['<a data-x href="https://a.test/ü/📯">', 'https://a.test/ü/📯'],
    ['<a href="https://a.test/{{id}}">', 'https://a.test/{{id}}'],
    ['<noscript><a href="https://a.test/"></noscript>', 'https://a.test/'],
    ['<p <a href="https://a.test/">', undefined],
    ['<a href="HTTPS://A.test/X">', 'HTTPS://A.test/X'],
    ['<!--[if mso]><v:roundrect href="https://a.test/" arcsize="8%"><![endif]-->', 'https://a.test/'],
    ['<!--[IF (gte mso 9)|(IE)]><table><a href=https://a.test/b></table><![endif]-->', 'https://a.test/b'],
    ['<!--[if mso]><style>a<![endif]--><a href="https://a.test/">', 'https://a.test/'],
    ['<!--[if !mso]><!--><a href="https://a.test/"><!--<![endif]-->', 'https://a.test/'],
    ['<v:rect href="https://a.test/">', 'https://a.test/'],
  ])('%s leads to %s', (html, url) => {
    expect(seen(html)[0]).toBe(url);
  });

  test.each([
    'mailto:a@a.test',
    'tel:+123',
    '#part',
    '/relative',
    '{{unsubscribeUrl}}',
    'javascript:alert(1)',
    'cid:a',
    'https://',
    '',
  ])('%j stays', (url) => {
    const html = `<p><a href="${url}">x</a></p>`;
    expect(trackHtml(html, { click, pixel: null })).toBe(html);
  });

  test.each([
    '<a data-no-track href="https://a.test">x</a>',
    '<a href="https://a.test" data-no-track="">x</a>',
    '<img src="https://a.test/i.png"><link href="https://a.test/s.css">',
    '<!-- <a href="https://a.test"> -->',
    '<!-- [if mso]><a href="https://a.test"><![endif]-->',
    '<!--[if mso <a href="https://a.test">-->',
    '<!--[if mso]><a href="https://a.test">',
    '<!--[if mso]><!--<a href="https://a.test"><![endif]-->',
    '<!--[if mso]><a href="https://a.test<![endif]-->',
    '<!--[if mso]><v:roundrect data-no-track href="https://a.test"></v:roundrect><![endif]-->',
    '<!--[if mso]><v:fill src="https://a.test/i.png"></v:fill><![endif]-->',
    '<!--[if-->',
    '<!--[if->',
    '<style>a[href="<a href=https://a.test>"] {}</style>',
    '<script>"<a href=https://a.test>"</script>',
    '<a href="https://a.test',
    '<abbr href="https://a.test">',
    'a < b <a',
    '',
  ])('%s stays', (html) => {
    expect(trackHtml(html, { click, pixel: null })).toBe(html);
  });

  test('only the URL changes, and its replacement is escaped', () => {
    const html = `<p>A&nbsp;<a class='x' href='https://a.test/?b&amp;c' >ü</a><br/><A HREF=https://b.test>`;
    expect(trackHtml(html, { click: () => '{{link "1"}}&', pixel: null })).toBe(
      `<p>A&nbsp;<a class='x' href="{{link &quot;1&quot;}}&amp;" >ü</a><br/><A HREF="{{link &quot;1&quot;}}&amp;">`,
    );
  });

  test('a button that Outlook draws leads where the button of other email apps leads', () => {
    const tracked = trackHtml(button('https://a.test'), { click, pixel: null });
    expect(tracked).toBe(button(click('https://a.test')));
    expect(untrackHtml(tracked, { original: () => 'https://a.test', pixels: ['https://t.test/o'] })).toBe(
      button('https://a.test'),
    );
  });
});

describe('the pixel', () => {
  test.each([
    ['<html><body><p>Hi</p></body></html>', '<html><body><p>Hi</p>●</body></html>'],
    ['<p>Hi</BODY >', '<p>Hi●</BODY >'],
    ['<html><p>Hi</html>', '<html><p>Hi●</html>'],
    ['<p>Hi</p>', '<p>Hi</p>●'],
    ['<!-- </body> --><p>Hi', '<!-- </body> --><p>Hi●'],
    ['<!--[if mso]></body><![endif]--><p>Hi', '<!--[if mso]></body><![endif]--><p>Hi●'],
    ['', '●'],
  ])('%s becomes %s', (html, expected) => {
    expect(pixel(html)).toBe(expected);
  });
});

test('hostile markup takes linear time', () => {
  for (const part of [
    '<a ',
    '<a href="',
    '<a href=',
    '<style>',
    '<!--',
    '<!--[if mso]>',
    '<!--[if-->',
    '<!--[if mso]><style><![endif]-->',
    '<a href="https://a.test">',
    '<',
  ]) {
    trackHtml(part.repeat(200_000), { click: (url) => url, pixel: 'https://t.test/o' });
  }
});
