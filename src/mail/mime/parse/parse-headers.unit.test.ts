import { expect, test } from 'vitest';
import { parseMessage } from '../../offload/parse-message.ts';
import type { ParsedMessage } from './parse-message.ts';

function parse(lines: (string | Buffer)[]): Promise<ParsedMessage> {
  return parseMessage(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')])));
}

test('encoded words in many charsets are decoded', async () => {
  const parsed = await parse([
    'From: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?= <a@example.com>',
    'To: =?windows-1251?Q?=CF=F0=E8?= <b@example.com>, "Last, First" <c@example.com>, team: d@example.com, e@example.com;',
    'Cc: f@example.com (Comment), nonsense, <>, undisclosed-recipients:;',
    'Subject: =?gb18030?B?xOM=?= =?utf-8?q?=C3=A9?=',
    '\tfolded',
    'Date: Sun, 15 Nov 2026 10:30:00 +0100 (CET)',
    'Message-ID: forgot-the-brackets@example.com',
    'In-Reply-To: Your letter of Monday <p@example.com>',
    'References: <a@x><b@x> junk <c@x>',
    'References: <d@x>',
    'Received: from a',
    'Received: from b',
    '',
    'x',
  ]);
  expect(parsed).toMatchObject({
    from: { name: '日本', address: 'a@example.com' },
    to: [
      { name: 'При', address: 'b@example.com' },
      { name: 'Last, First', address: 'c@example.com' },
      { address: 'd@example.com' },
      { address: 'e@example.com' },
    ],
    cc: [{ address: 'f@example.com' }],
    subject: '你é\tfolded'.replace('\t', ' '),
    date: new Date('2026-11-15T09:30:00Z'),
    messageId: '<forgot-the-brackets@example.com>',
    inReplyTo: '<p@example.com>',
    references: ['<a@x>', '<b@x>', '<c@x>', '<d@x>'],
    receivedCount: 2,
    text: 'x',
  });
  expect(parsed.headers[0]![0]).toBe('From');
  expect(parsed.headers).toHaveLength(11);
});

test.each([
  ['=?Windows-1252?Q?It=92s_=93new=94_=96_=80_5?=', 'It’s “new” – € 5'],
  ['=?iso-8859-1?B?SXSScw==?=', 'It’s'],
  ['=?utf-8?B?4pyT4g==?= =?UTF-8?B?nJM=?= =?utf-8?Q?=E2?= =?utf-8?Q?=9C=93?=', '✓✓✓'],
  ['=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?B?GyRCOGwbKEI=?=', '日本語'],
  ['=?us-ascii?Q?caf=C3=A9?= =?unknown-8bit?Q?=E9?= =?cp437?Q?=82?=', 'caféé\u00e9'],
  ['=?cp50221?B?GyRCRnxLXBsoQg==?= =?eucjp?B?xvzL3A==?= =?x-big5?B?p0E=?= =?uhc?B?vsg=?=', '日本日本你안'],
  ['=?utf-8*en?q?a=5Fb_c?= =?utf-8?X?d?= =?', 'a_b c =?utf-8?X?d?= =?'],
])('%s is decoded as %s in a subject, a name and a file name', async (words, expected) => {
  const parsed = await parse([
    `From: ${words} <a@example.com>`,
    `Subject: ${words}`,
    `Content-Disposition: attachment; filename="${words}"`,
    '',
    'x',
  ]);
  expect(parsed).toMatchObject({
    from: { name: expected, address: 'a@example.com' },
    subject: expected,
    attachments: [{ filename: expected }],
  });
});

test('addresses in obsolete syntax are parsed', async () => {
  const parsed = await parse([
    'From: Pete (a nice chap) <pete(his account)@silly.test(his host)>',
    'To: Joe <@one.example,@two.example:joe@example.com>, h . m @ example . com, <mailto:ada@example.com>',
    'Cc: Bob [mailto:bob@example.com], <eve@[192.0.2.1]>, <"a (b)"@example.com>, carl@example.com>',
    '',
    'x',
  ]);
  expect(parsed.from).toEqual({ name: 'Pete', address: 'pete@silly.test' });
  expect(parsed.to.map(({ address }) => address)).toEqual([
    'joe@example.com',
    'h.m@example.com',
    'ada@example.com',
  ]);
  expect(parsed.cc.map(({ address }) => address)).toEqual([
    'bob@example.com',
    'eve@[192.0.2.1]',
    '"a (b)"@example.com',
    'carl@example.com',
  ]);
});

test('a header that is not UTF-8 is decoded as Windows-1252', async () => {
  const head = Buffer.from('From: J\xfcrgen <j@example.com>\r\nSubject: Gr\xf6\xdfe \x80 5', 'latin1');
  const parsed = await parse([head, '', 'x']);
  expect([parsed.from?.name, parsed.subject]).toEqual(['Jürgen', 'Größe € 5']);
});
