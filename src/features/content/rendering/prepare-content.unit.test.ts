import { expect, test } from 'vitest';
import { prepareContent, trackContent } from './prepare-content.ts';

async function prepare(html: string, previewText: string | null = null) {
  return (await prepareContent({ teamId: 1, html, content: null, previewText }))!;
}

test('styles are inlined; linked style sheets and media queries stay', async () => {
  const { html } = await prepare(
    '<html><head><link rel="stylesheet" href="https://x.example/a.css"><style>p{color:red}' +
      '@media (max-width:600px){p{color:blue}}</style></head><body><p>{{firstName}}</p></body></html>',
  );
  expect(html).toMatch(/<p style="color: red;?">\{\{firstName\}\}<\/p>/);
  expect(html).toContain('https://x.example/a.css');
  expect(html).toContain('@media');
});

test.each(['unsubscribeUrl', 'unsubscribe_url'])('content with {{%s}} gets no second link', async (name) => {
  const { html, text } = await prepare(`<p>Hi</p><a class="x" href="{{${name}}}">Leave</a>`);
  expect(html.match(/\{\{unsub/g)).toHaveLength(1);
  expect(text).toBe(`Hi\n\nLeave <{{${name}}}>`);
});

test('the unsubscribe footer and the preview text are inside the body', async () => {
  const { html, text } = await prepare('<html><body class="a"><p>Hi</p></BODY></html>', 'Soon & <good>');
  expect(html).toMatch(/<body class="a"><div style="display:none[^>]*>Soon &amp; &lt;good&gt;/);
  expect(html).toMatch(/max-width:600px;[^<]*<a [^<]*Unsubscribe<\/a><\/div><\/BODY><\/html>$/);
  expect(text).toBe('Hi\n\nUnsubscribe <{{unsubscribeUrl}}>');
});

test('an editor document is content; any other JSON is not', async () => {
  const content = JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hi {{firstName}} <3' }] }],
  });
  const empty = { teamId: 1, html: null, previewText: null };
  const prepared = (await prepareContent({ ...empty, content }))!;
  expect(prepared.html).toContain('Hi {{firstName}} &lt;3');
  expect(prepared.text).toContain('Hi {{firstName}} <3');
  expect(await prepareContent({ ...empty, content: '{}' })).toBeNull();
  expect(await prepareContent({ ...empty, content: null })).toBeNull();
});

test('links are tracked by number, except links with merge tags and mailto links', () => {
  const { html, targets } = trackContent(
    '<a href="https://a.example/?x=1&amp;y=2">a</a><a href="https://b.example">b</a>' +
      '<a href="https://a.example/?x=1&y=2">a</a><a href="{{unsubscribeUrl}}">u</a>' +
      '<a href="https://c.example/{{email}}">c</a><a href="mailto:x@y.example">m</a>',
    { opens: true, clicks: true },
  );
  expect(targets).toEqual(['https://a.example/?x=1&y=2', 'https://b.example']);
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '{{ph.click.0}}',
    '{{ph.click.1}}',
    '{{ph.click.0}}',
    '{{unsubscribeUrl}}',
    'https://c.example/{{email}}',
    'mailto:x@y.example',
  ]);
  expect(html).toContain('src="{{ph.open}}"');
});

test('hostile HTML takes linear time', async () => {
  for (const piece of ['</body>', '<body ', ' href="{{', '{{', '<style>', '<a href="', '<!--']) {
    expect(await prepare(piece.repeat(200_000 / piece.length), 'x')).not.toBeNull();
  }
});
