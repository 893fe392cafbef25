import { expect, test } from 'vitest';
import { readField } from '../parse/fields.ts';
import { prepareRaw } from './prepare-raw.ts';
import { findHeader, readHeaders } from '../parse/raw-headers.ts';

const missing = { messageId: '<made@example.com>', date: new Date('2026-11-10T09:00:00Z') };
const COMPLETE = 'Date: x\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n';

function prepare(raw: string | Buffer): Buffer {
  const message = Buffer.from(raw as string);
  return prepareRaw(message, readHeaders(message)!, missing).raw;
}

function prepareField(field: string | Buffer): { line: string; value: string } {
  const raw = prepare(
    Buffer.concat([Buffer.from(COMPLETE), Buffer.from(field as string), Buffer.from('\r\n\r\n')]),
  );
  const section = readHeaders(raw)!;
  const { start, end, value } = section.headers.at(-1)!;
  return { line: raw.toString('latin1', start, end), value };
}

const LONG_NAME = `${'äöü '.repeat(60)}.pdf`;

test.each([
  ['attachment; filename="fü.txt"', 'fü.txt'],
  ['attachment; filename=Rechnung März.pdf', 'Rechnung März.pdf'],
  ['attachment;\r\n\tfilename="a;ü\\"b\\".txt" (Kömment)', 'a;ü"b".txt'],
  // The extended form takes precedence, and the plain one would be raw.
  [`attachment; filename="fü.txt"; filename*=UTF-8''f%C3%BC2.txt`, 'fü2.txt'],
  [`attachment; filename*=UTF-8''fü.txt`, 'fü.txt'],
  [`attachment; filename*0="fü"; filename*1=".txt"`, 'fü.txt'],
  [`attachment; filename="${LONG_NAME}"`, LONG_NAME],
])('%s is encoded and read back', (value, filename) => {
  const { line, value: encoded } = prepareField(`Content-Disposition: ${value}`);
  expect(line).toMatch(/^(?:[\t -~]{0,100}\r\n)+$/);
  expect(readField(encoded)).toMatchObject({ value: 'attachment' });
  expect(readField(encoded).parameters.get('filename')).toBe(filename);
});

test('a file name in Latin-1 is encoded too', () => {
  const { value } = prepareField(Buffer.from('Content-Type: text/plain; name="fü.txt"', 'latin1'));
  expect(readField(value).parameters.get('name')).toBe('fü.txt');
});

test('a boundary of 70 characters stays in one piece', () => {
  const boundary = '='.repeat(70);
  const { line } = prepareField(`Content-Type: multipart/mixed; name="ü"; boundary="${boundary}"`);
  expect(line).toContain(` boundary="${boundary}"`);
});

test.each([
  'Content-Description: Für März',
  'Content-Location: http://x/ü',
  'Content-ID: <ü@x>',
  'Content-Type: text/plänn; charset=utf-8; nüme=x',
  'Content-Type: ü',
  'Content-Disposition: "ü',
  'Content-Transfer-Encoding: ü',
])('%s becomes ASCII', (field) => {
  expect(prepareField(field).line).toMatch(/^(?:[\t -~]+\r\n)+$/);
});

const part = (name: string) => `Content-Type: text/plain; name="${name}"\r\nX-Note: ü\r\n\r\nGrüße\r\n`;
const multipart = (type: string, boundary: string, body: string) =>
  `Content-Type: multipart/${type}; boundary=${boundary}\r\n\r\npreämble\r\n--${boundary}\r\n${body}--${boundary}--\r\nepilögue\r\n`;

test('fields of nested parts are encoded, and all other bytes stay', () => {
  const nested = `${COMPLETE}${multipart('mixed', 'a', multipart('related', 'b', part('ü')))}`;
  const encoded =
    "Content-Type: text/plain;\r\n name*=UTF-8''%C3%BC\r\nX-Note: =?UTF-8?B?w7w=?=\r\n\r\nGrüße\r\n";
  expect(prepare(nested).toString()).toBe(nested.replace(part('ü'), encoded));
});

test.each([
  ['a signed part', multipart('signed', 'a', part('ü'))],
  ['an attached message', multipart('mixed', 'a', `Content-Type: message/rfc822\r\n\r\n${part('ü')}`)],
  [
    'parts whose fields are ASCII',
    multipart('mixed', 'a', 'Content-Type : text/plain;name=x\r\n\r\nGrüße\r\n'),
  ],
  ['a body without parts', `Content-Type: text/plain\r\n\r\n${part('ü')}`],
])('%s keeps its bytes', (_what, entity) => {
  const raw = `${COMPLETE}X-Odd :  x \r\n${entity}`;
  expect(prepare(raw).toString()).toBe(raw);
});

test('multiparts that are nested very deeply are accepted', () => {
  let entity = part('ü');
  for (let depth = 0; depth < 50; depth += 1) entity = multipart('mixed', `b${depth}`, entity);
  expect(findHeader(readHeaders(prepare(COMPLETE + entity))!, 'content-type')).toBeDefined();
});
