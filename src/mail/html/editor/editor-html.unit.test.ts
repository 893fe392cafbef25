import { expect, test } from 'vitest';
import { renderEditorDocument } from './editor-html.ts';
import { compileTags } from '../merge-tags.ts';

/** Returns the HTML without the page around it, styles, and the attributes of layout tables. */
function render(...content: unknown[]): string {
  const { html } = renderEditorDocument({ type: 'doc', content })!;
  if (html === '') return '';
  const [, inside] =
    /^<!doctype html>.*<div class="ph-letter"[^>]*>(.*)<\/div><!--\[if mso\]>.*<\/html>$/s.exec(html)!;
  return inside!
    .replaceAll(/ style="[^"]*"/g, '')
    .replaceAll(' role="presentation" cellpadding="0" cellspacing="0" border="0"', '');
}

const text = (value: unknown, ...marks: unknown[]) => ({ type: 'text', text: value, marks });
const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });
const link = (href: unknown) => ({ type: 'link', attrs: { href } });

const BUTTON =
  '<table width="100%"><tr><td align="left"><table><tr><td class="ph-face" align="center" bgcolor="#222222">';
const BUTTON_END = '</td></tr></table></td></tr></table>';

test.each([
  ['a paragraph', paragraph(text('Hello <b> & "you"')), '<p>Hello &lt;b&gt; &amp; &quot;you&quot;</p>'],
  ['a heading', { type: 'heading', attrs: { level: 2 }, content: [text('T')] }, '<h2>T</h2>'],
  ['a heading of no level', { type: 'heading', attrs: { level: 'x' }, content: [text('T')] }, '<h1>T</h1>'],
  ['a heading of level 99', { type: 'heading', attrs: { level: 99 }, content: [text('T')] }, '<h6>T</h6>'],
  [
    'a list',
    {
      type: 'bulletList',
      content: [
        { type: 'listItem', content: [paragraph(text('a')), paragraph(text('b'))] },
        { type: 'listItem', content: [] },
      ],
    },
    '<ul><li>a<p>b</p></li><li></li></ul>',
  ],
  [
    'a numbered list',
    {
      type: 'orderedList',
      attrs: { start: 3 },
      content: [{ type: 'listItem', content: [paragraph(text('a'))] }],
    },
    '<ol start="3"><li>a</li></ol>',
  ],
  [
    'a quotation',
    { type: 'blockquote', content: [paragraph(text('q'))] },
    '<blockquote class="ph-line"><p>q</p></blockquote>',
  ],
  ['code', { type: 'codeBlock', content: [text('a < b')] }, '<pre><code>a &lt; b</code></pre>'],
  ['a line break', paragraph(text('a'), { type: 'hardBreak' }, text('b')), '<p>a<br>b</p>'],
  ['a rule', { type: 'horizontalRule' }, '<hr class="ph-line">'],
  [
    'an image',
    { type: 'image', attrs: { src: 'https://x.example/a.png?b=1&c="', alt: '"', width: '120px' } },
    '<div><img src="https://x.example/a.png?b=1&amp;c=&quot;" alt="&quot;" width="120"></div>',
  ],
  [
    'an image with a link',
    { type: 'image', attrs: { src: 'cid:logo', externalLink: 'https://x.example' } },
    '<div><a href="https://x.example"><img src="cid:logo" alt=""></a></div>',
  ],
  ['an image that is a page', { type: 'image', attrs: { src: 'data:text/html;base64,AAAA' } }, ''],
  [
    'a button',
    { type: 'button', attrs: { text: 'Go <', url: 'https://x.example/' } },
    `${BUTTON}<a href="https://x.example/">Go &lt;</a>${BUTTON_END}`,
  ],
  [
    'a button with its text inside',
    { type: 'button', attrs: { href: 'https://x.example/' }, content: [text('Go')] },
    `${BUTTON}<a href="https://x.example/">Go</a>${BUTTON_END}`,
  ],
  [
    'a button to nowhere',
    { type: 'button', attrs: { text: 'Go', href: 'javascript:x' } },
    `${BUTTON}<a>Go</a>${BUTTON_END}`,
  ],
  ['a variable', paragraph({ type: 'variable', attrs: { id: 'firstName' } }), '<p>{{firstName}}</p>'],
  [
    'a variable with a fallback',
    paragraph({ type: 'variable', attrs: { name: 'firstName', fallback: "it's }} you" } }),
    '<p>{{firstName,fallback=it&#39;s you}}</p>',
  ],
  ['a variable that cannot be one', paragraph({ type: 'variable', attrs: { id: 'a b' } }), '<p></p>'],
  [
    'columns',
    { type: 'columns', content: [{ type: 'column', content: [paragraph(text('a'))] }] },
    '<table width="100%"><tr><td class="ph-column" width="100%" valign="top"><p>a</p></td></tr></table>',
  ],
  [
    'a link around nodes',
    { type: 'link', attrs: { href: 'tel:1' }, content: [text('a')] },
    '<a href="tel:1">a</a>',
  ],
  ['what nobody knows', { type: 'constructor', content: [paragraph(text('a'))] }, '<p>a</p>'],
  ['nodes of wrong types', { type: 7, attrs: 'x', content: [null, 1, 'x', [], text({}), text('a')] }, 'a'],
])('%s', (_what, node, html) => {
  expect(render(node)).toBe(html);
});

test.each([
  [[{ type: 'bold' }, { type: 'italic' }], '<em><strong>x</strong></em>'],
  [[{ type: 'underline' }, { type: 'strike' }, { type: 'code' }], '<code><s><u>x</u></s></code>'],
  [[link('https://x.example'), { type: 'bold' }], '<a href="https://x.example"><strong>x</strong></a>'],
  [[link('{{doubleOptInUrl}}')], '<a href="{{doubleOptInUrl}}">x</a>'],
  [[link(' {{ doubleOptInUrl }} ')], '<a href="{{doubleOptInUrl}}">x</a>'],
  [[link('https://x.example/?a=1&u={{email}}')], '<a href="https://x.example/?a=1&amp;u={{email}}">x</a>'],
  [[link('javascript:alert(1)')], 'x'],
  [[link(' java\nscript:alert(1)')], 'x'],
  [[link('JAVASCRIPT:alert(1)//https://')], 'x'],
  [[link('data:text/html,x')], 'x'],
  [[link('https://x.example/" onclick="x')], '<a href="https://x.example/&quot; onclick=&quot;x">x</a>'],
  [[link(7), { type: 'link' }, { type: 'toString' }, null, 'bold'], 'x'],
])('marks %j', (marks, html) => {
  expect(render(text('x', ...marks))).toBe(html);
});

test('colours and alignments go into styles, and no other values do', () => {
  const { html } = renderEditorDocument({
    type: 'doc',
    content: [
      { type: 'paragraph', attrs: { textAlign: 'center' }, content: [text('a')] },
      { type: 'paragraph', attrs: { textAlign: 'left;x:y' }, content: [text('b')] },
      {
        type: 'bulletList',
        content: [
          {
            type: 'listItem',
            content: [{ type: 'paragraph', attrs: { textAlign: 'right' }, content: [text('li')] }],
          },
        ],
      },
      text('c', { type: 'textStyle', attrs: { color: 'rgb(1, 2, 3)' } }),
      text('d', { type: 'highlight', attrs: { color: '#ff0' } }),
      text('e', { type: 'textStyle', attrs: { color: 'red;background:url(x)' } }),
      { type: 'section', attrs: { backgroundColor: '"><script>' }, content: [text('f')] },
    ],
  })!;
  expect(html).toContain('text-align:center">a');
  expect(html).toContain('<li style="text-align:right">li</li>');
  expect(html).toContain('<span style="color:rgb(1, 2, 3)">c</span>');
  expect(html).toContain('<span style="background-color:#ff0">d</span>');
  expect(html).not.toMatch(/url|script|x:y/);
});

test('text from right to left has its direction, its side and its indents, whatever it begins with', () => {
  const { html } = renderEditorDocument({
    type: 'doc',
    content: [
      paragraph({ type: 'variable', attrs: { id: 'firstName' } }, text(', 10% שלום world')),
      { type: 'paragraph', attrs: { textAlign: 'center' }, content: [text('مرحبا')] },
      { type: 'heading', attrs: { level: 1 }, content: [text('كتاب')] },
      { type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('אחד'))] }] },
      { type: 'blockquote', content: [paragraph(text('שלום'))] },
      paragraph(text('Hello שלום')),
      { type: 'footer', attrs: { address: 'רחוב 1' } },
    ],
  })!;
  expect(html).toMatch(/<p dir="rtl" style="margin:0 0 16px;text-align:right">\{\{firstName\}\}, 10%/);
  expect(html).toContain('<p dir="rtl" style="margin:0 0 16px;text-align:center">مرحبا');
  expect(html).toMatch(/<h1 dir="rtl" style="[^"]*text-align:right">/);
  expect(html).toContain('<ul dir="rtl" style="margin:0 0 16px;padding:0 24px 0 0;text-align:right">');
  expect(html).toContain('padding:0 16px 0 0;border-right:3px');
  expect(html).toContain('<p dir="ltr" style="margin:0 0 16px;text-align:left">Hello שלום</p>');
  expect(html).toContain('<p dir="rtl" style="margin:0 0 8px">רחוב 1</p>');
});

test('an email that begins from right to left is so as a whole, with its columns, buttons, lines and cells', () => {
  const column = (word: string) => ({ type: 'column', content: [paragraph(text(word))] });
  const content = [
    paragraph(text('10 شعر')),
    { type: 'columns', content: [column('أول'), column('ثان')] },
    { type: 'button', attrs: { text: 'اقرأ', href: 'https://shop.example' } },
    { type: 'horizontalRule', attrs: { widthPercent: 40 } },
    {
      type: 'table',
      content: [{ type: 'tableRow', content: [{ type: 'tableCell', content: [text('5')] }] }],
    },
    { type: 'codeBlock', content: [text('a = 1')] },
  ];
  const { html } = renderEditorDocument({ type: 'doc', content })!;
  expect(html).toMatch(/<div class="ph-letter" dir="rtl" style="[^"]*text-align:right/);
  expect(html).toMatch(/<table [^>]* dir="rtl" width="100%"><tr><td class="ph-column"/);
  expect(html).toMatch(/<td align="right" style="[^"]*"><table [^>]*><tr><td class="ph-face"/);
  expect(html).toContain('width="40%" align="right" style="margin:24px 0 24px auto');
  expect(html).toMatch(/<td class="ph-line" style="[^"]*text-align:right/);
  expect(html).toContain('<pre dir="ltr"');
  const { html: other } = renderEditorDocument({
    type: 'doc',
    content: [paragraph(text('Poems')), ...content],
  })!;
  expect(other.match(/dir="rtl"/g)).toHaveLength(3);
  expect(other).toMatch(/<div class="ph-letter" style="[^"]*text-align:left/);
});

test('the text part has the content of the HTML with its links and tags', () => {
  const { text: plain } = renderEditorDocument({
    type: 'doc',
    content: [
      { type: 'heading', attrs: { level: 1 }, content: [text('One more step')] },
      paragraph(text('Hi '), { type: 'variable', attrs: { id: 'firstName', fallback: "it's you" } }),
      { type: 'button', attrs: { text: 'Confirm', href: '{{ doubleOptInUrl }}' } },
      {
        type: 'bulletList',
        content: [1, 2].map((no) => ({ type: 'listItem', content: [paragraph(text(no))] })),
      },
    ],
  })!;
  expect(plain).toBe(
    "One more step\n\nHi {{firstName,fallback=it's you}}\n\nConfirm <{{doubleOptInUrl}}>\n\n* 1\n* 2",
  );
});

test('tags are still valid in the HTML', () => {
  const { html } = renderEditorDocument({
    type: 'doc',
    content: [paragraph({ type: 'variable', attrs: { id: 'a', fallback: `<"it's" & you>` } })],
  })!;
  expect(compileTags(html, 'html').render(() => null)).toContain('&lt;&quot;it&#39;s&quot; &amp; you&gt;');
});

test.each([
  ['', null],
  ['{', null],
  ['null', null],
  ['[]', null],
  ['"doc"', null],
  ['{"type":"paragraph"}', null],
  ['{"type":"doc"}', { html: '', text: '' }],
  ['{"type":"doc","content":{"length":5}}', { html: '', text: '' }],
])('%s', (json, rendered) => {
  expect(renderEditorDocument(json)).toEqual(rendered);
});

test('characters that cannot be stored are removed', () => {
  const json = '{"type":"doc","content":[{"type":"text","text":"a\\u0000\\ud800b"}]}';
  expect(renderEditorDocument(json)!.text).toBe('a\ufffdb');
});

test('rendering ends for documents of any depth, size and shape', () => {
  const deep = `${'{"type":"blockquote","content":['.repeat(10_000)}${']}'.repeat(10_000)}`;
  expect(renderEditorDocument(`{"type":"doc","content":[${deep}]}`)!.html.length).toBeLessThan(50_000);

  const wide = { type: 'doc', content: Array.from({ length: 300_000 }, () => text('x', { type: 'bold' })) };
  expect(renderEditorDocument(wide)!.html.length).toBeLessThan(5_000_000);

  let branching: object = text('x'.repeat(10_000));
  for (let level = 0; level < 60; level++) branching = { type: 'section', content: [branching, branching] };
  expect(renderEditorDocument({ type: 'doc', content: [branching] })!.html.length).toBeLessThan(5_000_000);

  const circle = { type: 'doc', content: [] as unknown[] };
  circle.content.push(circle, circle);
  expect(renderEditorDocument(circle)).not.toBeNull();
});

test('empty paragraphs are kept between others, and not at the end', () => {
  expect(render(paragraph(), paragraph(text('a')), paragraph(), paragraph())).toBe('<p><br></p><p>a</p>');
  expect(render(paragraph())).toBe('');
});
