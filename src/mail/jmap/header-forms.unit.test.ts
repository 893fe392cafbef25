import { expect, test } from 'vitest';
import { listHeaders, parseHeaderProperty, readHeader, readHeaderProperty } from './header-forms.ts';

const header = readHeader(
  Buffer.from(
    [
      'From: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= <ada@example.org>',
      'To: Friends: "B, C" <b@example.org>, d@example.org;, e@example.org',
      'Subject: one',
      ' two',
      'Date: Thu, 30 Oct 2014 14:12:00 +0800 (CST)',
      'Message-ID: <a@b>',
      'List-Post: <mailto:x@example.org>, <https://example.org/ a>',
      'X-Twice: 1',
      'X-Twice: 2',
      '',
      '',
    ].join('\r\n'),
  ),
);

function read(property: string): unknown {
  return readHeaderProperty(header, parseHeaderProperty(property)!);
}

test('header fields are read in every form', () => {
  expect(read('header:From:asAddresses')).toEqual([{ name: 'Grüße', email: 'ada@example.org' }]);
  expect(read('header:To:asGroupedAddresses')).toEqual([
    {
      name: 'Friends',
      addresses: [
        { name: 'B, C', email: 'b@example.org' },
        { name: null, email: 'd@example.org' },
      ],
    },
    { name: null, addresses: [{ name: null, email: 'e@example.org' }] },
  ]);
  expect(read('header:subject:asText')).toBe('one two');
  expect(read('header:Subject')).toBe(' one\r\n two');
  expect(read('header:Date:asDate')).toBe('2014-10-30T14:12:00+08:00');
  expect(read('header:Message-ID:asMessageIds')).toEqual(['a@b']);
  expect(read('header:List-Post:asURLs')).toEqual(['mailto:x@example.org', 'https://example.org/a']);
  expect(read('header:X-Twice')).toBe(' 2');
  expect(read('header:X-Twice:asText:all')).toEqual(['1', '2']);
  expect(read('header:X-Missing')).toBeNull();
  expect(listHeaders(header)).toHaveLength(8);
});

test('a field cannot be read in a form that its grammar excludes', () => {
  for (const property of [
    'header:Subject:asAddresses',
    'header:From:asDate',
    'header:',
    'header:a b',
    'header:X:asX',
  ])
    expect(parseHeaderProperty(property)).toBeNull();
  expect(parseHeaderProperty('header:X-Own:asAddresses')).not.toBeNull();
});
