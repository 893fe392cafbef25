import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { composeMessage } from '../compose/compose.ts';
import { parseMessage } from '../../offload/parse-message.ts';
import { HEAD, expectStorable, parse } from '../../../testing/parse-lines.ts';
import type { ParsedMessage } from './parse-message.ts';

test('a composed message is parsed to its original values', async () => {
  const person = { name: 'Ädä "L"', email: 'ada@example.com', key: 'ada@example.com', domain: 'example.com' };
  const image = randomBytes(500);
  const parsed = await parseMessage(
    composeMessage({
      messageId: '<m@example.com>',
      date: new Date('2026-11-15T09:30:00Z'),
      from: person,
      to: [person, { ...person, name: null, email: 'bob@example.com' }],
      cc: [],
      replyTo: [person],
      subject: 'Grüße aus 東京 '.repeat(10),
      html: '<p>Grüße <img src="cid:pic@x"></p>',
      text: 'Grüße',
      headers: [],
      attachments: [
        { filename: 'pic.png', contentType: 'image/png', content: image, contentId: 'pic@x' },
        {
          filename: 'Überlänge '.repeat(12) + '.pdf',
          contentType: null,
          content: Buffer.from('%PDF'),
          contentId: null,
        },
      ],
      inReplyTo: '<p@example.com>',
      references: ['<o@example.com>', '<p@example.com>'],
    }),
  );
  expect(parsed).toMatchObject({
    messageId: '<m@example.com>',
    inReplyTo: '<p@example.com>',
    references: ['<o@example.com>', '<p@example.com>'],
    from: { name: 'Ädä "L"', address: 'ada@example.com' },
    to: [{ address: 'ada@example.com' }, { name: null, address: 'bob@example.com' }],
    cc: [],
    replyTo: [{ address: 'ada@example.com' }],
    subject: 'Grüße aus 東京 '.repeat(10).trim(),
    date: new Date('2026-11-15T09:30:00Z'),
    autoSubmitted: false,
    receivedCount: 0,
  });
  expect(parsed.html!.trim()).toBe('<p>Grüße <img src="cid:pic@x"></p>');
  expect(parsed.text!.trim()).toBe('Grüße');
  expect(parsed.attachments).toEqual([
    { filename: 'pic.png', contentType: 'image/png', contentId: 'pic@x', inline: true, content: image },
    {
      filename: 'Überlänge '.repeat(12) + '.pdf',
      contentType: 'application/pdf',
      contentId: null,
      inline: false,
      content: Buffer.from('%PDF'),
    },
  ]);
});

test.each([
  ['iso-2022-jp', '1b2442467c4b5c386c1b2842', '日本語'],
  ['ISO-2022-JP', '48691b2442244f241b2842', 'Hiは'],
  ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
  ['"koi8-r"', 'f0d2c9d7c5d4', 'Привет'],
  ['GB18030', 'c4e3bac394308130', '你好\u{10000}'.slice(0, 2)],
  ['gb2312', 'c4e3bac3', '你好'],
  ['ks_c_5601-1987', 'bec8b3e7', '안녕'],
  ['cp936', 'c4e3', '你'],
  ['shift_jis', '93fa967b', '日本'],
  ['cp437', '81627265', 'übre'],
  ['IBM850', 'b5d6', 'ÁÍ'],
  ['cp852', 'a9e5', 'ęň'],
  ['utf-7', '47722b4150774133772d65', 'Grüße'],
  ['hex', '4772', 'Gr'],
  ['utf-8', 'e282ac', '€'],
  ['utf-16le', '48006900', 'Hi'],
  ['us-ascii', 'e282ac', '€'],
  ['no-such-charset', '80', '€'],
  ['iso-8859-1', 'e4', 'ä'],
])('text in %s is decoded, unencoded and in both transfer encodings', async (charset, hex, expected) => {
  const bytes = Buffer.from(hex, 'hex');
  const quoted = hex.replaceAll(/../g, '=$&');
  for (const [encoding, body] of [
    ['8bit', bytes],
    ['base64', bytes.toString('base64')],
    ['Quoted-Printable', quoted],
  ] as const) {
    if (encoding === '8bit' && charset === 'utf-16le') continue;
    const parsed = await parse([
      ...HEAD,
      `Content-Type: text/plain; charset=${charset}`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      body,
    ]);
    expect(parsed.text!.trim().startsWith(expected), `${encoding}: ${parsed.text}`).toBe(true);
    expectStorable(parsed);
  }
});

test.each([
  ['text/html', '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">', 'cff0e8', 'При'],
  ['text/html; charset=us-ascii', '<meta charset="koi8-r">', 'f0d2c9', 'При'],
  ['text/html', '<meta charset="koi8-r">', 'd09fd180d0b8', 'При'],
  ['text/html; charset=koi8-r', '<meta charset="windows-1251">', 'f0d2c9', 'При'],
  ['text/html', '', 'e4', 'ä'],
])('HTML of type %s with %s is decoded', async (type, meta, hex, expected) => {
  const parsed = await parse([...HEAD, `Content-Type: ${type}`, '', meta, Buffer.from(hex, 'hex')]);
  expect(parsed.html!.endsWith(expected), parsed.html!).toBe(true);
});

test('nested parts are parsed far deeper than in practice', async () => {
  const levels = Array.from({ length: 60 }, (_, at) => [
    `Content-Type: multipart/mixed; boundary=b${at}`,
    '',
    `--b${at}`,
  ]);
  const parsed = await parse([...HEAD, ...levels.flat(), 'Content-Type: text/plain', '', 'inside']);
  expect([parsed.text?.trim(), parsed.attachments]).toEqual(['inside', []]);
});

test.each(['text', ';;;=;"', '/', '"'])('the content type %j means text', async (type) => {
  const parsed = await parse([...HEAD, `Content-Type: ${type}`, '', 'plain']);
  expect([parsed.text, parsed.attachments]).toEqual(['plain', []]);
});

test('nested parts give one body and its attachments', async () => {
  const parsed = await parse([
    ...HEAD,
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    'This is a preamble.',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    '',
    'plain body',
    '--inner',
    'Content-Type: multipart/related; boundary="rel (1)"',
    '',
    '--rel (1)',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>html body</p>',
    '--rel (1)',
    'Content-Type: image/gif',
    'Content-ID: <pic@x>',
    'Content-Transfer-Encoding: base64',
    '',
    'R0lGODlh',
    '--rel (1)--',
    '--inner',
    'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
    '',
    'BEGIN:VCALENDAR',
    '--inner',
    'Content-Type: text/x-amp-html',
    '',
    '<html amp4email>',
    '--inner--',
    '--outer',
    'Content-Type: application/ms-tnef; name="winmail.dat"',
    'Content-Transfer-Encoding: base64',
    '',
    'eJ8+Ig==',
    '--outer ',
    'Content-Type: message/rfc822',
    '',
    'Subject: inside',
    '',
    'forwarded',
    '--outer',
    'Content-Type: text/plain; name=notes.txt',
    'Content-Disposition: inline',
    '',
    'a file',
    '--outer',
    '',
    'footer of the list',
    '--outer--',
    'epilogue',
  ]);
  expect(parsed.text).toBe('plain body\nfooter of the list');
  expect(parsed.html).toBe('<p>html body</p>\n<div>footer of the list</div>');
  expect(
    parsed.attachments.map(({ filename, contentType, inline }) => [filename, contentType, inline]),
  ).toEqual([
    ['image.gif', 'image/gif', true],
    ['invite.ics', 'text/calendar', false],
    ['winmail.dat', 'application/ms-tnef', false],
    ['message.eml', 'message/rfc822', false],
    ['notes.txt', 'text/plain', true],
  ]);
  expect(parsed.attachments[0]).toMatchObject({
    contentId: 'pic@x',
    content: Buffer.from('GIF89a').subarray(0, 6),
  });
  expect(parsed.attachments[1]!.content.toString()).toBe('BEGIN:VCALENDAR');
  expect(parsed.attachments[3]!.content.toString()).toBe('Subject: inside\r\n\r\nforwarded');
});

test('files without a name get one by type, and a duplicate invitation is dropped', async () => {
  const parsed = await parse([
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain',
    '',
    'Shall we meet?',
    '--inner',
    'Content-Type: text/calendar; method=REQUEST',
    '',
    'BEGIN:VCALENDAR',
    '--inner--',
    ...[
      'image/png',
      'image/png',
      'application/pdf',
      'application/pgp-signature',
      'application/x-unheard-of',
    ].flatMap((type) => ['--outer', `Content-Type: ${type}`, 'Content-Disposition: attachment', '', 'bytes']),
    '--outer',
    'Content-Type: application/ics; name="meeting.ics"',
    'Content-Transfer-Encoding: base64',
    '',
    'QkVHSU46VkNBTEVOREFSDQo=',
    '--outer--',
  ]);
  const names = parsed.attachments.map(({ filename }) => filename);
  expect(names).toEqual(['image.png', 'image-2.png', 'attachment.pdf', 'signature.asc', null, 'meeting.ics']);
});

test.each([
  ["attachment; filename*=UTF-8''%e2%82%ac.txt", '€.txt'],
  ["attachment; filename*=windows-1251''%CF%F0%E8.txt", 'При.txt'],
  ['attachment; filename*0="long "; filename*1="name.txt"', 'long name.txt'],
  ['attachment; filename*0*=utf-8\'\'na%C3%AFve; filename*1= " plan"; filename*2*=.pdf', 'naïve plan.pdf'],
  ['attachment; filename = " x.txt"', 'x.txt'],
  ["attachment; filename*1*=b.txt; filename*0*=utf-8''a%20", 'a b.txt'],
  ['attachment; filename="=?utf-8?B?4oKsLnR4dA==?="', '€.txt'],
  ['attachment; filename="a\\"b.txt"', 'a"b.txt'],
  ['attachment; filename="C:\\Users\\me\\a.txt"', 'C:_Users_me_a.txt'],
  ['attachment; filename=../../etc/passwd', '.._.._etc_passwd'],
  ['attachment; filename="x\u202etxt.exe"', 'x_txt.exe'],
  ['attachment; filename=unquoted name.txt', 'unquoted name.txt'],
  ['attachment (a comment; filename=no) ; filename=yes.txt', 'yes.txt'],
  ['attachment; filename=""', 'attachment.txt'],
  ['attachment', 'attachment.txt'],
])('%s names the file %s', async (disposition, filename) => {
  const parsed = await parse([...HEAD, `Content-Disposition: ${disposition}`, '', 'x']);
  expect(parsed.attachments[0]!.filename).toBe(filename);
});

test.each([
  [['Auto-Submitted: auto-replied'], true],
  [['Auto-Submitted: auto-generated; x=y'], true],
  [['Auto-Submitted: no'], false],
  [['Auto-Submitted: No (really)'], false],
  [['Precedence: bulk'], true],
  [['Precedence: first-class'], false],
  [['List-Id: <list.example.com>'], true],
  [['X-Auto-Response-Suppress: All'], true],
  [['X-Auto-Response-Suppress: None'], false],
  [[], false],
])('automatic message: %s %s', async (lines, expected) => {
  expect((await parse([...HEAD, ...lines, '', 'x'])).autoSubmitted).toBe(expected);
});

test.each<[string, string[], Partial<ParsedMessage>]>([
  ['an empty message', [], { from: null, subject: '', text: '', attachments: [] }],
  ['no headers at all', ['Just text.', 'More.'], { text: 'Just text.\nMore.' }],
  ['no boundary', ['Content-Type: multipart/mixed', '', 'shown'], { text: 'shown' }],
  [
    'a boundary that is nowhere',
    ['Content-Type: multipart/mixed; boundary=x', '', 'shown'],
    { text: 'shown' },
  ],
  [
    'no last boundary',
    ['Content-Type: multipart/mixed; boundary=x', '', '--x', '', 'shown'],
    { text: 'shown\n' },
  ],
  ['an empty part', ['Content-Type: multipart/mixed; boundary=x', '', '--x', '--x--'], { text: '' }],
  ['no type', ['Content-Type: ', '', 'shown'], { text: 'shown' }],
  ['a strange type', ['Content-Type: <<>>', '', 'x'], { text: 'x' }],
  ['broken base64', ['Content-Transfer-Encoding: base64', '', 'aGk*=?'], { text: 'hi' }],
  [
    'broken quoted-printable',
    ['Content-Transfer-Encoding: quoted-printable', '', 'a=ZZ=4 b=  ', 'c=', '=C3=A4 '],
    { text: 'a=ZZ=4 bcä' },
  ],
  [
    'a soft end',
    ['Content-Type: text/plain; format=flowed', '', 'one ', 'line', '-- ', 'Ada'],
    { text: 'one line\n-- \nAda' },
  ],
  [
    'a soft end before a quotation and before the signature',
    ['Content-Type: text/plain; format=flowed', '', 'Bob wrote: ', '> so', '> it is', 'Yes, ', '-- ', 'Ada'],
    { text: 'Bob wrote: \n> so\n> it is\nYes, \n-- \nAda' },
  ],
  [
    'text of another type',
    ['Content-Type: text/markdown; charset=utf-8', '', '# Größe'],
    { text: '# Größe', attachments: [] },
  ],
])('a message with %s is still parsed', async (_what, lines, expected) => {
  const parsed = await parse(lines);
  expect(parsed).toMatchObject(expected);
  expectStorable(parsed);
});
