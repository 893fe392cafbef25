import { expect, test } from 'vitest';
import { findBrokenRules } from '../../../testing/mail-client-rules.ts';
import { renderEditorDocument, renderEditorHtml } from './editor-html.ts';
import { inlineStyles } from '../inline-styles.ts';

const text = (value: string, ...marks: unknown[]) => ({ type: 'text', text: value, marks });
const paragraph = (value: string, attrs: object = {}) => ({
  type: 'paragraph',
  attrs,
  content: [text(value)],
});
const image = (width: number, attrs: object = {}) => ({
  type: 'image',
  attrs: { src: 'https://x.example/a.png', alt: 'A', width, height: width / 2, ...attrs },
});

const column = (...content: unknown[]) => ({ type: 'column', content });
const columns = (attrs: object, ...content: unknown[]) => ({ type: 'columns', attrs, content });
const block = (html: string) => ({ type: 'html', attrs: { html } });
const cell = (type: string, value: string, attrs: object = {}) => ({
  type,
  attrs,
  content: [paragraph(value)],
});

function render(content: unknown[], attrs: object = {}): string {
  return renderEditorHtml({ type: 'doc', attrs, content })!;
}

test('columns are cells that phones stack, and limit the width of their images', () => {
  const two = render([columns({}, column(image(800)), column(paragraph('b')))]);
  expect(two.match(/class="ph-column" width="48%"/g)).toHaveLength(2);
  expect(two).toContain('<img src="https://x.example/a.png" alt="A" width="288"');
  expect(two).not.toContain('height="400"');
  expect(two).toMatch(/@media \(max-width:600px\)\{\.ph-column\{display:block!important/);
  const uneven = render([
    columns(
      { layout: '1-2', stack: false, verticalAlign: 'middle' },
      column(paragraph('a')),
      column(image(100)),
    ),
  ]);
  expect(uneven).toContain('<td width="32%" valign="middle"');
  expect(uneven).toContain('<td width="64%" valign="middle"');
  expect(uneven).toContain('width="100" height="50"');
  const three = render([
    columns({ layout: '1-2-1' }, column(paragraph('a')), column(paragraph('b')), column(paragraph('c'))),
  ]);
  expect([...three.matchAll(/class="ph-column" width="(\d+)%"/g)].map(([, width]) => width)).toEqual([
    '23',
    '46',
    '23',
  ]);
  const many = render([
    columns({ layout: '1-2' }, ...Array.from({ length: 9 }, () => column(paragraph('a')))),
  ]);
  expect(many.match(/class="ph-column" width="22%"/g)).toHaveLength(4);
});

test('every block keeps the rules of email apps, with and without settings', () => {
  const settings = { backgroundColor: '#102030', textColor: '#fefefe', padding: 24, hideOnPhone: true };
  const list = (type: string) => ({ type, content: [{ type: 'listItem', content: [paragraph('a')] }] });
  const blocks = [
    paragraph('a'),
    { type: 'heading', attrs: { level: 2 }, content: [text('a', { type: 'bold' }, { type: 'link' })] },
    image(1200),
    {
      type: 'button',
      attrs: { url: 'https://x.example', text: 'Go', fullWidth: true },
      content: [text('Go')],
    },
    list('bulletList'),
    list('orderedList'),
    { type: 'blockquote', content: [paragraph('a')] },
    { type: 'codeBlock', content: [text('a')] },
    { type: 'horizontalRule' },
    { type: 'horizontalRule', attrs: { widthPercent: 40, alignment: 'right' } },
    { type: 'spacer', attrs: { height: 32 } },
    {
      type: 'table',
      content: [{ type: 'tableRow', content: [cell('tableHeader', 'a'), cell('tableCell', 'b')] }],
    },
    { type: 'social', attrs: { links: [{ network: 'mastodon', url: 'https://x.example' }] } },
    { type: 'footer', attrs: { text: 'Why', address: 'Street' } },
    columns({}, column(image(800)), column(paragraph('b')), column(paragraph('c'))),
    { type: 'section', content: [paragraph('a')] },
  ];
  const themes = [{}, { contentColor: '#ffffff', backgroundColor: '#eeeeee', fontFamily: 'mono' }];
  for (const node of blocks) {
    for (const attrs of [{}, settings]) {
      const block = { ...node, attrs: { ...('attrs' in node ? node.attrs : {}), ...attrs } };
      for (const theme of themes)
        expect([node.type, findBrokenRules(render([block], theme))]).toEqual([node.type, []]);
    }
  }
});

test('a block has its colour, padding and visibility from its settings', () => {
  const html = render([
    paragraph('dark', { backgroundColor: '#102030', padding: 24 }),
    paragraph('light', { backgroundColor: '#fefefe' }),
    paragraph('own', { textColor: '#ff0000' }),
    { ...image(300), attrs: { ...image(300).attrs, hideOnPhone: true } },
    paragraph('plain', { padding: 0 }),
    paragraph('hostile', { backgroundColor: 'red;x:y', padding: '9999', hideOnPhone: 'yes' }),
  ]);
  expect(html).toContain(
    'bgcolor="#102030" style="padding:24px 24px 24px;background-color:#102030;color:#ffffff"',
  );
  expect(html).toContain('background-color:#fefefe;color:#1f2328');
  expect(html).toContain('<td style="color:#ff0000"><p style="margin:0">own</p>');
  expect(html).toMatch(/<table [^>]*class="ph-hide"><tr><td><div[^>]*><img/);
  expect(html).toContain('<p style="margin:0 0 16px">plain</p>');
  expect(html).toContain('padding:80px 80px 80px');
  expect(html).not.toContain('x:y');
});

test('the email has the colours and the font of the document, and then ignores dark mode', () => {
  const plain = render([paragraph('a')]);
  expect(plain).toContain('content="light dark"');
  expect(plain).toContain('prefers-color-scheme:dark');
  const own = render([{ type: 'button', attrs: { text: 'Go', url: 'https://x.example' } }, paragraph('a')], {
    backgroundColor: '#eeeeee',
    contentColor: '#ffffff',
    buttonColor: '#ffcc00',
    fontFamily: 'serif',
    linkColor: '#0000aa',
  });
  expect(own).toContain('content="light"');
  expect(own).not.toContain('prefers-color-scheme');
  expect(own).toContain('bgcolor="#ffcc00"');
  expect(own).toContain('color:#1f2328;text-decoration:none');
  expect(own).toContain("font-family:Georgia,'Times New Roman',serif");
  const linked = render(
    [{ type: 'paragraph', content: [text('x', { type: 'link', attrs: { href: 'https://x.example' } })] }],
    { linkColor: '#0000aa' },
  );
  expect(linked).toContain('<a href="https://x.example" style="color:#0000aa">x</a>');
  const hostile = render([paragraph('a')], { fontFamily: 'x;}</style><script>', textColor: 'expression(1)' });
  expect(hostile).toContain('font-family:Helvetica');
  expect(hostile).not.toMatch(/script|expression/);
});

function line(attrs: object): string {
  return /<hr[^>]*>/.exec(render([{ type: 'horizontalRule', attrs }]))![0];
}

test('a line has the width and the side that were chosen', () => {
  expect(line({})).not.toContain('width=');
  expect(line({ widthPercent: 40, alignment: 'center' })).toMatch(
    /width="40%" align="center" style="margin:24px auto;width:40%/,
  );
  expect(line({ widthPercent: 40, alignment: 'right' })).toContain('margin:24px 0 24px auto');
  expect(line({ widthPercent: '999', alignment: 'x' })).not.toContain('width=');
});

test('links to networks have names, and only safe addresses', () => {
  const links = [
    { network: 'instagram', url: 'https://instagram.example/x' },
    { network: 'constructor', url: 'https://x.example' },
    { network: 'x', url: 'javascript:alert(1)' },
    null,
    ...Array.from({ length: 50 }, () => ({ network: 'github', url: 'https://g.example' })),
  ];
  const html = render([{ type: 'social', attrs: { links, alignment: 'center' } }]);
  expect(html).toContain('<a href="https://instagram.example/x">Instagram</a>');
  expect(html.match(/GitHub/g)).toHaveLength(8);
  expect(html).not.toContain('alert');
  expect(render([{ type: 'social', attrs: { links: 'x' } }, paragraph('a')])).not.toContain('·');
});

test('a footer has the address and the link to unsubscribe', () => {
  const attrs = { text: 'You <signed> up', address: 'Harbour Books\nQuay 1', preferences: true };
  const { html, text: plain } = renderEditorDocument({ type: 'doc', content: [{ type: 'footer', attrs }] })!;
  expect(html).toContain('<p style="margin:0 0 8px">Harbour Books<br>Quay 1</p>');
  expect(html).toContain('<a href="{{unsubscribeUrl}}" style="color:#6b7280">Unsubscribe</a>');
  expect(plain).toBe(
    'You <signed> up\n\nHarbour Books\nQuay 1\n\nUnsubscribe <{{unsubscribeUrl}}> · Choose topics <{{preferencesUrl}}>',
  );
  const without = render([{ type: 'footer', attrs: { ...attrs, unsubscribe: false, preferences: false } }]);
  expect(without).not.toContain('{{');
});

test('an HTML block is cleaned and keeps its merge tags', () => {
  const html =
    '<p onclick="x()">Hi {{firstName}}</p><script>alert(1)</script><a href="{{unsubscribeUrl}}">Leave</a>' +
    '<a href="javascript:x">bad</a><img src="{{ph}}" alt="x"><style>p{}</style></div></td></table>' +
    '<a href="https://tag.invalid/7">odd</a>';
  const rendered = render([{ type: 'html', attrs: { html } }, paragraph('after')]);
  expect(rendered).toContain('<p>Hi {{firstName}}</p>');
  expect(rendered).toContain('<a href="{{unsubscribeUrl}}">Leave</a>');
  expect(rendered).toContain('<img src="{{ph}}" alt="x">');
  expect(rendered).not.toMatch(/onclick|alert|javascript|<style>p|tag\.invalid/);
  expect(rendered).toMatch(/<\/div><p style="margin:0 0 16px">after<\/p><\/div><!--\[if mso\]>/);
});

test('HTML blocks of any size and number are rendered in bounded time', () => {
  const nested = block('<b>'.repeat(20_000));
  const rendered = render([
    ...Array.from({ length: 100 }, () => nested),
    block('x'.repeat(70_000)),
    paragraph('a'),
  ]);
  expect(rendered.length).toBeLessThan(500_000);
});

test('a table has borders, headings and spans', () => {
  const html = render([
    {
      type: 'table',
      content: [
        { type: 'tableRow', content: [cell('tableHeader', 'Book', { colspan: 2, rowspan: '1"' })] },
        { type: 'tableRow', content: [cell('tableCell', 'Sea'), cell('tableCell', '9', { colspan: 1e9 })] },
      ],
    },
  ]);
  expect(html).toMatch(/<th class="ph-line" colspan="2" style="[^"]*"><p style="margin:0">Book<\/p><\/th>/);
  expect(html).not.toMatch(/rowspan|colspan="1e9"/);
});

test('styles for phones and dark mode survive the inlining of styles, and so do the tables for Outlook', () => {
  const inlined = inlineStyles(render([paragraph('a', { hideOnPhone: true })]))!;
  expect(inlined).toContain('@media (max-width:600px)');
  expect(inlined).toContain('prefers-color-scheme:dark');
  expect(inlined).toContain('<!--[if mso]><table role="presentation"');
  expect(inlined).toContain('class="ph-hide"');
});
