import { expect, test } from 'vitest';
import { compileTags } from './merge-tags.ts';

const VALUES = new Map([
  ['firstName', 'Ada'],
  ['company', 'Fish & "Chips" <Ltd>'],
  ['empty', ''],
  ['looksLikeATag', '{{firstName}}'],
  ['dollars', '$& $1 $$'],
]);

function render(text: string, escape: 'html' | 'plain'): string {
  return compileTags(text, escape).render((name) => VALUES.get(name) ?? null);
}

test.each([
  ['', '', ''],
  ['No tag { } {{ }} {{}} {{1st}} {{a b}}', null, null],
  ['Hi {{firstName}}!', 'Hi Ada!', 'Hi Ada!'],
  ['{{ firstName }}{{firstName}}', 'AdaAda', 'AdaAda'],
  ['At {{company}}.', 'At Fish &amp; &quot;Chips&quot; &lt;Ltd&gt;.', 'At Fish & "Chips" <Ltd>.'],
  ['Hi {{nickname}}.', 'Hi .', 'Hi .'],
  ['Hi {{nickname,fallback=friend}}.', 'Hi friend.', 'Hi friend.'],
  ['Hi {{ nickname , fallback = dear friend }}.', 'Hi dear friend.', 'Hi dear friend.'],
  ['Hi {{empty,fallback=friend}}.', 'Hi friend.', 'Hi friend.'],
  ['Hi {{firstName,fallback=friend}}.', 'Hi Ada.', 'Hi Ada.'],
  ['Hi {{nickname,fallback=}}.', 'Hi .', 'Hi .'],
  ['{{x,fallback=a & b}}', 'a &amp; b', 'a & b'],
  ['{{x,fallback=a &amp; b}}', 'a &amp; b', 'a &amp; b'],
  ['{{x,fallback=<b>}}', '&lt;b&gt;', '<b>'],
  ['{{looksLikeATag}}', '{{firstName}}', '{{firstName}}'],
  ['{{dollars}}', '$&amp; $1 $$', '$& $1 $$'],
  ['{{{firstName}}}', '{Ada}', '{Ada}'],
  ['{{x,fallback=a{{firstName}}', '{{x,fallback=aAda', '{{x,fallback=aAda'],
  ['{{constructor}}{{__proto__}}', '', ''],
  ['{{user.name-2}}', '', ''],
])('%j', (text, html, plain) => {
  expect(render(text, 'html')).toBe(html ?? text);
  expect(render(text, 'plain')).toBe(plain ?? text);
});

test('each name is listed once, in the order of the text', () => {
  expect(compileTags('{{b}} {{a,fallback=x}} {{b}} {{ }}', 'html').names).toEqual(['b', 'a']);
});

test('hostile text takes linear time', () => {
  for (const piece of ['{{', '{{a', '{{a,fallback=', '{{ ', '{{a,fallback=x}} ']) {
    const text = piece.repeat(200_000);
    for (const kind of ['plain', 'html'] as const)
      expect(compileTags(text, kind).render(() => null).length).toBeLessThanOrEqual(text.length);
  }
});
