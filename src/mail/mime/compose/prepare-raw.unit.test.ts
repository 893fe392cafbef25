import { expect, test } from 'vitest';
import { prepareRaw, toCrlf, toMessage, withoutMailboxLine } from './prepare-raw.ts';
import { findHeader, readHeaders } from '../parse/raw-headers.ts';

const missing = { messageId: '<made@example.com>', date: new Date('2026-11-10T09:00:00Z') };
const COMPLETE = 'Date: x\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n';

function prepare(raw: string | Buffer): string {
  const message = withoutMailboxLine(toCrlf(Buffer.from(raw as string)));
  return prepareRaw(message, readHeaders(message)!, missing).raw.toString('latin1');
}

test('a complete message is not changed', () => {
  const raw = `${COMPLETE}From: a@b\r\nX-Odd : \t folded\r\n\tline \r\nDKIM-Signature: v=1\r\nCc: c@d\r\n\r\n.\r\n\xff\0 \r\n`;
  expect(prepare(Buffer.from(raw, 'latin1'))).toBe(raw);
});

test('missing fields are added at the top', () => {
  expect(prepare('From: a@b\r\n\r\nHi\r\n')).toBe(
    'Date: Tue, 10 Nov 2026 09:00:00 +0000\r\nMessage-ID: <made@example.com>\r\nMIME-Version: 1.0\r\nFrom: a@b\r\n\r\nHi\r\n',
  );
  expect(prepare('date: x\r\nmessage-id:\r\n \r\nMime-Version: 1.0\r\n\r\n')).toBe(
    'Message-ID: <made@example.com>\r\ndate: x\r\nMime-Version: 1.0\r\n\r\n',
  );
});

function idOf(raw: Buffer): string {
  return prepareRaw(raw, readHeaders(raw)!, missing).messageId;
}

test('the existing Message-ID is returned, or the added one', () => {
  expect(idOf(Buffer.from('Message-Id: \r\n <own@x>\r\n\r\n'))).toBe('<own@x>');
  expect(idOf(Buffer.from('Subject: x\r\n\r\n'))).toBe('<made@example.com>');
});

test.each([
  'Bcc: eve@x\r\n',
  'BCC : eve@x\r\n',
  'Bcc:\r\n eve@x,\r\n\tbob@x\r\n',
  'Bcc: a@x\r\nbcc: b@x\r\n',
  'Resent-Bcc: a@x\r\n',
  'Return-Path: <a@x>\r\n',
])('%j is removed at any position', (field) => {
  expect(prepare(`${field}${COMPLETE}Subject: x\r\n\r\nHi`)).toBe(`${COMPLETE}Subject: x\r\n\r\nHi`);
  expect(prepare(`${COMPLETE}${field}Subject: x\r\n\r\nHi`)).toBe(`${COMPLETE}Subject: x\r\n\r\nHi`);
  expect(prepare(`${COMPLETE}Subject: x\r\n${field}\r\nHi`)).toBe(`${COMPLETE}Subject: x\r\n\r\nHi`);
});

test('a Bcc in the body or in the value of another header is kept', () => {
  const raw = `${COMPLETE}X-Bcc: a@x\r\nSubject: x\r\n Bcc: y\r\n\r\nBcc: in the body\r\n`;
  expect(prepare(raw)).toBe(raw);
});

test('a Bcc after a lone CR or LF is removed too', () => {
  expect(prepare(`${COMPLETE}Subject: x\nBcc: a@x\rBcc: b@x\r\r\nTo: c@x\r\n\r\n`)).toBe(
    `${COMPLETE}Subject: x\r\nTo: c@x\r\n\r\n`,
  );
});

test.each([
  ['', ''],
  ['a\nb', 'a\r\nb'],
  ['a\rb', 'a\r\nb'],
  ['a\r\nb\n', 'a\r\nb\r\n'],
  ['a\r\r\nb', 'a\r\nb'],
  ['a\r\r\r\nb', 'a\r\nb'],
  ['\n\n\r\r', '\r\n\r\n\r\n\r\n'],
  ['a\n\rb', 'a\r\n\r\nb'],
  ['.\n.\r\n.\r.', '.\r\n.\r\n.\r\n.'],
  ['end\r', 'end\r\n'],
])('the line ends of %j become %j', (before, after) => {
  expect(toCrlf(Buffer.from(before)).toString()).toBe(after);
});

test('a large message that is converted in pieces has the same line ends as one that is converted in one piece', async () => {
  for (const end of ['\n', '\r\n', '\r\r\n', '\r', 'x\r', '\n\r']) {
    const raw = Buffer.from(`${'x'.repeat(7)}${end.repeat(5_000_000 / end.length)}`);
    expect((await toMessage(raw)).equals(toCrlf(raw))).toBe(true);
  }
});

test.each([
  ['no body', 'Subject: x\r\n', 'Subject: x\r\n\r\n'],
  ['no line end', 'Subject: x', 'Subject: x\r\n\r\n'],
  [
    'a forgotten empty line',
    'Subject: x\r\nHello there\r\nNote: y\r\n',
    'Subject: x\r\n\r\nHello there\r\nNote: y\r\n',
  ],
  ['a badly wrapped field', 'Subject: x\r\ny\r\nTo: z\r\n\r\nHi', 'Subject: x\r\n y\r\nTo: z\r\n\r\nHi'],
  ['no fields', '\r\nHello\r\n', '\r\nHello\r\n'],
  ['words alone', 'Hello\r\n', '\r\nHello\r\n'],
  ['a line of an mbox', 'From ada Tue Nov 10 09:00:00 2026\r\nSubject: x\r\n\r\nHi', 'Subject: x\r\n\r\nHi'],
  ['a From with a blank', 'From  : ada@x\r\n\r\nHi', 'From  : ada@x\r\n\r\nHi'],
  ['nothing', '', '\r\n'],
])('a message with %s has fields, an empty line and a body', (_name, before, after) => {
  expect(prepare(before).replace(/^Date: .*\r\nMessage-ID: .*\r\nMIME-Version: 1.0\r\n/, '')).toBe(after);
});

test('an oversized header section is rejected', () => {
  expect(readHeaders(Buffer.from('X: y\r\n'.repeat(300_000)))).toBeNull();
  expect(readHeaders(Buffer.from(`X: y\r\n${' y\r\n'.repeat(300_000)}\r\n`))).toBeNull();
  expect(readHeaders(Buffer.alloc(3_000_000, 'x'))).not.toBeNull();
});

test('headers are returned with their offsets', () => {
  const raw = Buffer.from('Subject:  Grüße\r\n\tan alle \r\nto:\r\n\r\nbody');
  const section = readHeaders(raw)!;
  expect(section.headers.map(({ name, value }) => [name, value])).toEqual([
    ['Subject', 'Grüße\tan alle'],
    ['to', ''],
  ]);
  expect(section.headers.map(({ start, end }) => raw.toString('utf8', start, end))).toEqual([
    'Subject:  Grüße\r\n\tan alle \r\n',
    'to:\r\n',
  ]);
  expect(raw.toString('utf8', section.bodyStart)).toBe('body');
  expect(findHeader(section, 'TO')?.name).toBe('to');
});
