import { expect, test } from 'vitest';
import { subjectOf } from './subject.ts';

test.each([
  ['plain', 'Hello Ada', 'Hello Ada'],
  ['folded', 'Hello\r\n Ada', 'Hello Ada'],
  ['Q-encoded', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_an_Ada?=', 'Grüße an Ada'],
  ['B-encoded', '=?utf-8?B?R3LDvMOfZQ==?=', 'Grüße'],
  ['in two words', '=?utf-8?Q?Gr=C3=BC?=\r\n =?utf-8?Q?=C3=9Fe?=', 'Grüße'],
  ['in another charset', '=?iso-8859-1?Q?Gr=FC=DFe?=', 'Grüße'],
  ['in an unknown charset', '=?x-none?Q?a?=', '=?x-none?Q?a?='],
])('a subject that is %s', (_kind, written, read) => {
  expect(subjectOf(`From: a@example.org\r\nSubject: ${written}\r\nTo: b@example.org\r\n\r\nHi`)).toBe(read);
});

test('a subject in the text is none', () => {
  expect(subjectOf('From: a@example.org\r\n\r\nSubject: Hi')).toBe('');
});
