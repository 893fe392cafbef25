import { expect, test } from 'vitest';
import { find, tokenize } from './find-links.ts';

test.each([
  ['see https://example.org/a(b)?x=1. Next', ['https://example.org/a(b)?x=1']],
  ['(https://example.org/a)', ['https://example.org/a']],
  ['“https://example.org”, and', ['https://example.org']],
  ['www.example.org/a', ['https://www.example.org/a']],
  ['Example.org', ['https://Example.org']],
  ['example.co.uk:8080/path?q#a', ['https://example.co.uk:8080/path?q#a']],
  ['https://münchen.de/ä', ['https://münchen.de/ä']],
  ['http://localhost:3000/x', ['http://localhost:3000/x']],
  ['ada@example.org, bob@example.museum', ['mailto:ada@example.org', 'mailto:bob@example.museum']],
  ['mailto:ada@example.org', ['mailto:ada@example.org']],
  ['https://example.org/{{id}}', ['https://example.org/{{id}}']],
  ['https://example.org?who={{email}}.', ['https://example.org?who={{email}}']],
  ['https://one.test https://one.test', ['https://one.test', 'https://one.test']],
  ['notes.txt, index.js, z.B. 1.2.3.4, end.Next, a.b, localhost, {{name}}', []],
  ['javascript:alert(1) data:text/html,x //x', []],
  ['', []],
])('%j has the links %j', (text, links) => {
  const found = find(text, { defaultProtocol: 'https' });
  expect(found.map(({ href }) => href)).toEqual(links);
  for (const { start, end, value } of found) expect(text.slice(start, end)).toBe(value);
});

test.each([
  ['https://example.org', [true]],
  ['(example.org)', [false, true, false]],
  ['https://example.org/{{id}}', [true]],
  ['example.com1', [false]],
  ['https://example.org,', [true, false]],
  ['', []],
])('%j is split into its link and the marks around it', (word, areLinks) => {
  const tokens = tokenize(word);
  expect(tokens.map(({ isLink }) => isLink)).toEqual(areLinks);
  expect(tokens.map(({ value }) => value).join('')).toBe(word);
  for (const token of tokens) {
    const { start, end, value } = token.toObject('https');
    expect(word.slice(start, end)).toBe(value);
  }
});

test('a long text without spaces takes no time', () => {
  const startedAt = performance.now();
  find(`${'a.'.repeat(500_000)}com ${'@'.repeat(500_000)} ${')'.repeat(4_000)}`);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
