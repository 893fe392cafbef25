import { expect, test } from 'vitest';
import { isBlankDocument, isBlankHtml } from './blank.ts';
import { isContactTag } from '../../src/features/audience/own-fields/own-fields.ts';
import { findTags } from './merge-tags.ts';

test('tags are found at their positions', () => {
  const text = 'Dear {{firstName,fallback=friend}}, of {{ city }} {{last.name , fallback = }}';
  expect(findTags(text).map(({ start, end, ...tag }) => ({ ...tag, text: text.slice(start, end) }))).toEqual([
    { name: 'firstName', hasFallback: true, text: '{{firstName,fallback=friend}}' },
    { name: 'city', hasFallback: false, text: '{{ city }}' },
    { name: 'last.name', hasFallback: false, text: '{{last.name , fallback = }}' },
  ]);
});

test.each(['{firstName}', '{{}}', '{{1st}}', '{{first name}}', '{{a,other=b}}', `{{${'a'.repeat(65)}}}`])(
  '%s is no tag',
  (text) => {
    expect(findTags(text)).toEqual([]);
  },
);

test.each([
  ['firstName', true],
  ['FIRSTNAME', true],
  ['contact.email', true],
  ['City', true],
  ['contact.city', true],
  ['frstName', false],
  ['mailbox.name', false],
])('%s is known: %j', (name, expected) => {
  expect(isContactTag(name, ['city'])).toBe(expected);
});

test.each([
  ['', true],
  ['<p>&nbsp; <br></p>', true],
  ['<p>x</p>', false],
  ['<p><img src="cid:a"></p>', false],
])('%j is blank HTML: %j', (html, expected) => {
  expect(isBlankHtml(html)).toBe(expected);
});

test.each([
  ['no JSON', 'x', true],
  ['an empty paragraph', { type: 'doc', content: [{ type: 'paragraph' }] }, true],
  ['spaces', { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: ' ' }] }] }, true],
  [
    'a word',
    { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x' }] }] },
    false,
  ],
  ['an image', { type: 'doc', content: [{ type: 'image' }] }, false],
])('a document with %s is blank or not', (_with, content, expected) => {
  expect(isBlankDocument(typeof content === 'string' ? content : JSON.stringify(content))).toBe(expected);
});
