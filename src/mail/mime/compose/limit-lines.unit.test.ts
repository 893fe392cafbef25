import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { isAscii } from 'node:buffer';
import { parseMailbox } from '../address.ts';
import { composeMessage } from './compose.ts';
import { hasLongLine } from './limit-lines.ts';
import { prepareRaw } from './prepare-raw.ts';
import { readHeaders } from '../parse/raw-headers.ts';

const HEAD = 'Date: x\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\nFrom: a@b.test\r\n';
const LONG = `Grüße ${'wörter '.repeat(300)}`.trim();
const BINARY = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7) % 251));

function prepareAny(raw: string | Buffer): Buffer {
  const message = Buffer.from(raw as string);
  return prepareRaw(message, readHeaders(message)!, { messageId: '<m@x>', date: new Date(0) }).raw;
}

function prepare(raw: string | Buffer): Buffer {
  const prepared = prepareAny(raw);
  expect(hasLongLine(prepared)).toBe(false);
  return prepared;
}

test('a line of 998 octets is kept, and a longer one is encoded', async () => {
  const fits = `${HEAD}\r\n${'x'.repeat(998)}\r\nend\r\n`;
  expect(prepare(fits).toString()).toBe(fits);
  const raw = prepare(
    `${HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${LONG}\r\nend\r\n`,
  );
  expect(isAscii(raw)).toBe(true);
  expect(raw.toString().match(/^Content-Transfer-Encoding: .*$/gm)).toEqual([
    'Content-Transfer-Encoding: quoted-printable',
  ]);
  expect((await PostalMime.parse(raw)).text).toBe(`${LONG}\nend\n`);
});

test('only the parts with long lines are encoded, at any depth', async () => {
  const base64 = BINARY.toString('base64');
  const inner = `Content-Type: multipart/alternative; boundary="in"\r\n\r\n--in\r\nContent-Type: text/plain\r\n\r\nshort\r\n--in\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>${LONG}</p>\r\n--in--\r\n`;
  const file = `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}`;
  const raw = prepare(
    `${HEAD}Content-Type: multipart/mixed; boundary=out\r\n\r\npreamble\r\n--out\r\n${inner}\r\n--out\r\n${file}\r\n--out--\r\nepilogue\r\n`,
  );
  const { text, html, attachments } = await PostalMime.parse(raw);
  expect(text?.trim()).toBe('short');
  expect(html?.trim()).toBe(`<p>${LONG}</p>`);
  expect(Buffer.from(attachments[0]!.content as ArrayBuffer)).toEqual(BINARY);
  expect(raw.toString()).toContain('Content-Type: text/plain\r\n\r\nshort\r\n--in\r\n');
  expect(raw.toString()).toContain('\r\npreamble\r\n--out\r\n');
  expect(raw.toString().endsWith('\r\n--out--\r\nepilogue\r\n')).toBe(true);
});

const nest = (boundary: string, inner: string, end = `--${boundary}--\r\n`) =>
  `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n--${boundary}\r\n${inner}${end}`;

test('text with a long line is encoded in multiparts of any form that the reader of received mail takes', async () => {
  const text = `Content-Type: text/plain; charset=utf-8\r\n\r\n${LONG}\r\n`;
  let deep = text;
  for (let depth = 0; depth < 40; depth += 1) deep = nest(`b${depth}`, deep);
  for (const entity of [
    deep,
    nest('a', nest('a-b', text)),
    nest('a', nest('b', text, '')),
    nest('a', nest('b', text, ''), ''),
    nest('a', text, '--a--'),
    nest('a', text).replaceAll('--a\r\n', '--a \t\r\n'),
    nest('a', text).replace('boundary="a"', '(x) boundary*0*=us-ascii\'\'%61; name=";boundary=z"'),
  ]) {
    const prepared = prepare(HEAD + entity);
    expect((await PostalMime.parse(prepared)).text?.trim(), entity.slice(0, 200)).toBe(LONG);
  }
});

test('a message in a digest is not encoded as a whole, but its text is', async () => {
  const inner = `From: b@c.test\r\nSubject: inner\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${LONG}\r\n`;
  const raw = prepare(
    `${HEAD}Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\n${inner}--d--\r\n`,
  ).toString();
  expect(raw).toContain(
    '--d\r\n\r\nFrom: b@c.test\r\nSubject: inner\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC',
  );
});

test('a multipart that has no parts keeps its bytes', () => {
  const raw = `${HEAD}Content-Type: multipart/mixed; boundary=never\r\n\r\n${'x'.repeat(2_000)}\r\n`;
  expect(prepareAny(raw).toString()).toBe(raw);
});

test('List-Id of the API is written in ASCII too', () => {
  const headers: [string, string][] = [['List-Id', 'Grüße aus "Köln" <news.shop.test>']];
  const [from, to] = [parseMailbox('a@b.test')!, [parseMailbox('c@d.test')!]];
  const message = { messageId: '<1@x>', date: new Date(0), from, to, cc: [], replyTo: [], subject: 'x' };
  const raw = composeMessage({ ...message, html: null, text: 'x', headers, attachments: [] });
  expect(raw.toString()).toContain(
    'List-Id: =?UTF-8?B?R3LDvMOfZQ==?= aus =?UTF-8?B?S8O2bG4=?= <news.shop.test>',
  );
});

test('signed parts are not changed', () => {
  const raw = `${HEAD}Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n${'x'.repeat(2_000)}\r\n--s--\r\n`;
  expect(prepareAny(raw).toString()).toBe(raw);
});

test.each([
  ['Subject: Grüße aus Köln', 'subject', 'Grüße aus Köln'],
  ['From: "Müller, Jörg" <j@b.test>', 'from', { name: 'Müller, Jörg', address: 'j@b.test' }],
  [
    'To: Jörg Ärger <j@b.test>, Bob <b@b.test>',
    'to',
    [
      { name: 'Jörg Ärger', address: 'j@b.test' },
      { name: 'Bob', address: 'b@b.test' },
    ],
  ],
])('%s is written in ASCII', async (field, name, expected) => {
  const raw = prepare(`Date: x\r\nMessage-ID: <1@x>\r\n${field}\r\n\r\nHi\r\n`);
  expect(isAscii(raw)).toBe(true);
  expect(await PostalMime.parse(raw)).toMatchObject({ [name]: expected });
});

test('Windows-1252 is read as such, long fields are folded, and an address outside ASCII stays', () => {
  const latin = prepare(
    Buffer.from('Date: x\r\nMessage-ID: <1@x>\r\nSubject: Gr\xfc\xdfe\r\n\r\n', 'latin1'),
  ).toString();
  expect(latin).toContain('Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n');
  const long = `References: ${Array.from({ length: 100 }, (_, at) => `<${at}.message@example.org>`).join(' ')}`;
  expect(prepare(`${HEAD}${long}\r\n\r\nHi`).toString().replaceAll('\r\n ', ' ')).toContain(long);
  const wide = 'To: <jörg@b.test>\r\n';
  expect(prepare(`${HEAD}${wide}\r\nHi`).toString()).toContain(wide);
});
