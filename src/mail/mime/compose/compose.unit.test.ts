import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { parseMailbox } from '../address.ts';
import { composeMessage, type MessageContent } from './compose.ts';
import { readHeaders } from '../parse/raw-headers.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function compose(changes: Partial<MessageContent> = {}): string {
  return composeMessage({
    messageId: '<1@example.com>',
    date: new Date('2026-11-10T09:00:00Z'),
    from: parseMailbox('Ada <ada@example.com>')!,
    to: [parseMailbox('bob@example.org')!],
    cc: [],
    replyTo: [],
    subject: 'Hello',
    html: null,
    text: 'Hi Bob',
    headers: [],
    attachments: [],
    ...changes,
  }).toString('utf8');
}

/** Returns the nested types of the parts. */
function structure(raw: string): string[] {
  return [...raw.matchAll(/^Content-Type: ([a-z]+\/[a-z-]+)/gm)].map((match) => match[1]!);
}

function names(raw: string): string[] {
  return readHeaders(Buffer.from(raw))!.headers.map(({ name }) => name);
}

/** Parsers differ in line ends and in whether the last one belongs to the boundary. */
function readable(text = ''): string {
  return text.replaceAll('\r\n', '\n').replace(/\n+$/, '');
}

/** Checks the rules that every outgoing message must follow. */
function expectFitForTheWire(raw: string): void {
  expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/);
  expect(raw.endsWith('\r\n')).toBe(true);
  const headerEnd = raw.indexOf('\r\n\r\n');
  for (const line of raw.slice(0, headerEnd).split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998);
    expect(line.trim()).not.toBe('');
  }
  for (const line of raw.slice(headerEnd).split('\r\n')) {
    // The types of Office files are too long to fold.
    expect(line.length).toBeLessThanOrEqual(line.startsWith('Content-Type: application/vnd.') ? 90 : 76);
    expect(line).toMatch(/^(?:[\t -~]*[!-~])?$/);
  }
}

test('a plain message is what RFC 5322 shows', () => {
  expect(compose()).toBe(
    [
      'From: Ada <ada@example.com>',
      'To: bob@example.org',
      'Subject: Hello',
      'Date: Tue, 10 Nov 2026 09:00:00 +0000',
      'Message-ID: <1@example.com>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Hi Bob',
      '',
    ].join('\r\n'),
  );
});

test('each level of the part tree exists only when needed', () => {
  const html = '<p>Hi <img src="cid:logo"></p>';
  const file = { filename: 'a.pdf', contentType: null, content: Buffer.from('x'), contentId: null };
  const logo = { filename: 'logo.png', contentType: 'image/png', content: PNG, contentId: 'logo' };
  expect(structure(compose())).toEqual(['text/plain']);
  expect(structure(compose({ text: null }))).toEqual(['text/plain']);
  expect(structure(compose({ html }))).toEqual(['multipart/alternative', 'text/plain', 'text/html']);
  expect(structure(compose({ html, text: null }))).toEqual([
    'multipart/alternative',
    'text/plain',
    'text/html',
  ]);
  expect(structure(compose({ html: '<img src="x">', text: null }))).toEqual(['text/html']);
  expect(structure(compose({ attachments: [file] }))).toEqual([
    'multipart/mixed',
    'text/plain',
    'application/pdf',
  ]);
  expect(structure(compose({ attachments: [logo] }))).toEqual(['multipart/mixed', 'text/plain', 'image/png']);
  expect(structure(compose({ html, attachments: [file, logo] }))).toEqual([
    'multipart/mixed',
    'multipart/alternative',
    'text/plain',
    'multipart/related',
    'text/html',
    'image/png',
    'application/pdf',
  ]);
});

test.each([
  ['plain', 'Hello'],
  ['German', 'Grüße aus Köln'],
  ['emoji', '📯 '.repeat(40).trim()],
  ['joined emoji', 'family 👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 here'],
  ['Japanese', '日本語の件名はとても長くなることがありますので、折り返しが必要です。'.repeat(3)],
  ['Hebrew and Arabic', 'שלום עולם – مرحبا بالعالم'],
  ['long ASCII', 'a long subject with many words '.repeat(40).trim()],
  ['one word of 3,000', 'x'.repeat(3000)],
  ['two spaces', 'two  spaces   and three'],
  ['what looks encoded', '=?utf-8?q?not_decoded?='],
  ['question marks', 'why =? and ?= and _under_ =20'],
  ['separators', '"quoted", <b>; a:b@c (d) \\'],
])('a %s subject and display name are preserved', async (_name, text) => {
  const from = { ...parseMailbox('ada@example.com')!, name: text };
  const to = [from, { ...parseMailbox('bob@example.org')!, name: text }];
  const raw = compose({ subject: text, from, to, headers: [['X-Note', text]] });
  expectFitForTheWire(raw);
  const email = await PostalMime.parse(raw);
  expect(email.subject).toBe(text);
  expect(email.from).toEqual({ name: text, address: 'ada@example.com' });
  expect(email.to).toEqual([
    { name: text, address: 'ada@example.com' },
    { name: text, address: 'bob@example.org' },
  ]);
  const longest = Math.max(
    ...raw
      .slice(0, raw.indexOf('\r\n\r\n'))
      .split('\r\n')
      .map((line) => line.length),
  );
  expect(longest).toBeLessThanOrEqual(78);
});

test('half a surrogate pair does no harm', () => {
  const raw = compose({
    subject: 'a\ud800b',
    text: '\udc00',
    from: { ...parseMailbox('a@b.example')!, name: '\ud83d' },
  });
  expectFitForTheWire(raw);
});

test('an image with a content id is inline and found by the HTML', async () => {
  const raw = compose({
    html: '<img src="cid:logo@example">',
    attachments: [{ filename: 'logo.png', contentType: null, content: PNG, contentId: 'logo@example' }],
  });
  expect(raw).toContain('multipart/related; type="text/html";');
  const [image] = (await PostalMime.parse(raw)).attachments;
  expect(image).toMatchObject({
    related: true,
    contentId: '<logo@example>',
    disposition: 'inline',
    mimeType: 'image/png',
  });
});

test('domains are in A-labels, and UTF-8 local parts stay unchanged', () => {
  const raw = compose({
    from: parseMailbox('Zoë <info@bücher.example>')!,
    to: [parseMailbox('用户@例え.テスト')!],
  });
  expect(raw).toContain('<info@xn--bcher-kva.example>\r\n');
  expect(raw).toContain('To: 用户@xn--r8jz45g.xn--zckzah\r\n');
});

test('optional headers are present only when set', () => {
  const raw = compose({
    to: [],
    replyTo: [parseMailbox('help@example.com')!],
    inReplyTo: '<0@example.com>',
    references: ['<a@x>', 'b@x', ''],
    autoSubmitted: true,
    headers: [
      ['References', '<other@x>'],
      ['List-Unsubscribe', '<mailto:u@example.com>, <https://example.com/u>'],
      ['list-unsubscribe', '<https://eve.example>'],
      ['X-One', '1'],
      ['X-One', '2'],
    ],
  });
  expect(names(raw)).toEqual(
    'From,To,Reply-To,Subject,Date,Message-ID,In-Reply-To,References,Auto-Submitted,List-Unsubscribe,X-One,X-One,MIME-Version,Content-Type,Content-Transfer-Encoding'.split(
      ',',
    ),
  );
  expect(raw).toContain('To: undisclosed-recipients:;\r\n');
  expect(raw).toContain('References: <a@x> <b@x>\r\n');
  expect(names(compose({ to: [], cc: [parseMailbox('carol@example.org')!] })).slice(0, 2)).toEqual([
    'From',
    'Cc',
  ]);
});

test('a thread of a thousand messages keeps its first and last references', () => {
  const references = Array.from({ length: 1000 }, (_, index) => `<${index}@example.com>`);
  const raw = compose({ references });
  expectFitForTheWire(raw);
  const value = readHeaders(Buffer.from(raw))!
    .headers.find(({ name }) => name === 'References')!
    .value.split(' ');
  expect(value).toHaveLength(40);
  expect([value[0], value[1], value.at(-1)]).toEqual([
    '<0@example.com>',
    '<961@example.com>',
    '<999@example.com>',
  ]);
});

test('a long link is folded without losing characters', () => {
  const link = `<https://example.com/${'a'.repeat(2000)}>`;
  const raw = compose({ headers: [['List-Unsubscribe', link]] });
  expectFitForTheWire(raw);
  const found = readHeaders(Buffer.from(raw))!.headers.find(({ name }) => name === 'List-Unsubscribe');
  expect(found?.value.replaceAll(' ', '')).toBe(link);
});

test('no input can start a header, a part or a body', async () => {
  const evil = 'x\r\nBcc: eve@example.net\r\n\r\n--=_\r\nEvil\n\nBcc: e\rBcc: f\0\u2028Bcc: g\u0085Bcc: h';
  const bad = { email: `a${evil}@b.example`, key: evil, domain: `b.example${evil}`, name: evil };
  const raw = compose({
    messageId: `<${evil}@x>`,
    from: bad,
    to: [bad, bad],
    cc: [bad],
    replyTo: [bad],
    subject: evil,
    inReplyTo: evil,
    references: [evil, evil],
    headers: [
      [evil, 'x'],
      ['X-Evil', evil],
      ['X-Evil\r\nBcc', 'eve@example.net'],
      ['Bcc', 'eve@example.net'],
      ['bcc ', 'eve@example.net'],
      ['Subject', 'another'],
      ['Content-Type', 'text/html'],
      ['DKIM-Signature', 'x'],
    ],
    html: '<p>x</p>',
    attachments: [{ filename: evil, contentType: `text/plain${evil}`, content: PNG, contentId: evil }],
  });
  expectFitForTheWire(raw);
  expect(raw).not.toMatch(/^(?:bcc|evil|x-evil)/im);
  expect(names(raw)).toEqual(
    'From,To,Cc,Reply-To,Subject,Date,Message-ID,In-Reply-To,References,MIME-Version,Content-Type'.split(','),
  );
  const email = await PostalMime.parse(raw);
  expect(email.bcc).toBeUndefined();
  expect(readable(email.text)).toBe('Hi Bob');
  expect(email.attachments).toHaveLength(1);
  expect(email.attachments[0]!.filename).not.toMatch(/\p{Cc}/u);
});

test('one address cannot become two', async () => {
  const bad = {
    email: 'a>, eve@x.example, <b@c.example',
    key: '',
    domain: 'c.example>, eve@y.example',
    name: 'A',
  };
  const email = await PostalMime.parse(compose({ to: [bad, { ...bad, name: null }] }));
  expect(email.to).toHaveLength(2);
});

test('two messages never share a boundary', () => {
  const boundaries = Array.from(
    { length: 100 },
    () => /boundary="([^"]+)"/.exec(compose({ html: '<p>x</p>' }))![1],
  );
  expect(new Set(boundaries).size).toBe(100);
});
