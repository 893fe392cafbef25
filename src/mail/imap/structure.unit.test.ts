import { expect, test } from 'vitest';
import { writeBodyStructure } from './body-structure.ts';
import { createLineCounter } from './count-lines.ts';
import { CommandCursor } from './command-cursor.ts';
import { writeEnvelope } from './envelope.ts';
import { parseMimeTree } from '../mime/parse/mime-tree.ts';
import { readAnyHeaders } from '../mime/parse/raw-headers.ts';
import { readSection, sliceSection } from './sections.ts';

function crlf(text: string): Buffer {
  return Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1');
}

function section(raw: Buffer, text: string): string | null {
  const cursor = new CommandCursor({ text: `${text}]`, literals: [] });
  return sliceSection(raw, parseMimeTree(raw), readSection(cursor))?.toString('latin1') ?? null;
}

const NESTED = crlf(`From: a@b.c
Subject: Outer
Content-Type: multipart/mixed; boundary="out"

preamble
--out
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Hello=20you
--out
Content-Type: message/rfc822

From: Inner <inner@b.c>
Subject: Inner
Content-Type: multipart/alternative; boundary=in

--in

plain
--in
Content-Type: text/html
Content-Disposition: inline; filename="a \\"b\\".html"

<p>html</p>
--in--
--out--
epilogue
`);

test('sections of nested parts are the bytes between the boundaries', () => {
  expect(section(NESTED, '1')).toBe('Hello=20you');
  expect(section(NESTED, '1.MIME')).toBe(
    'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n',
  );
  expect(section(NESTED, '2.HEADER.FIELDS (subject)')).toBe('Subject: Inner\r\n\r\n');
  expect(section(NESTED, '2.1')).toBe('plain');
  expect(section(NESTED, '2.2')).toBe('<p>html</p>');
  expect(section(NESTED, '2.TEXT')).toContain('--in--');
  for (const missing of ['3', '1.1', '2.3', '2.1.1', '1.HEADER']) expect(section(NESTED, missing)).toBeNull();
  expect(section(NESTED, 'HEADER.FIELDS.NOT (subject content-type)')).toBe('From: a@b.c\r\n\r\n');
});

test('the structure of nested parts', () => {
  expect(writeBodyStructure(createLineCounter(NESTED), parseMimeTree(NESTED), true)).toBe(
    '(("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "QUOTED-PRINTABLE" 11 1 NIL NIL NIL NIL)' +
      '("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 214 (NIL "Inner" (("Inner" NIL "inner" "b.c")) (("Inner" NIL "inner" "b.c")) ' +
      '(("Inner" NIL "inner" "b.c")) NIL NIL NIL NIL NIL) ' +
      '(("TEXT" "PLAIN" ("CHARSET" "us-ascii") NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)' +
      '("TEXT" "HTML" NIL NIL NIL "7BIT" 11 1 NIL ("INLINE" ("FILENAME" "a \\"b\\".html")) NIL NIL) ' +
      '"ALTERNATIVE" ("BOUNDARY" "in") NIL NIL NIL) 13 NIL NIL NIL NIL) ' +
      '"MIXED" ("BOUNDARY" "out") NIL NIL NIL)',
  );
});

test('the parameters of a structure are read as everywhere', () => {
  const raw = crlf(`Content-Type: text/plain; name=This is a test.txt; charset=utf-8 (Unicode)
Content-Disposition: attachment; filename="C:\\TEMP\\a.png"; filename*=utf-8''%c3%a9.txt

x`);
  expect(writeBodyStructure(createLineCounter(raw), parseMimeTree(raw), true)).toBe(
    '("TEXT" "PLAIN" ("NAME" "This is a test.txt" "CHARSET" "utf-8") NIL NIL "7BIT" 1 1 NIL ' +
      '("ATTACHMENT" ("FILENAME" "C:\\\\TEMP\\\\a.png" "FILENAME*" "utf-8\'\'%c3%a9.txt")) NIL NIL)',
  );
});

test('an encoded message in a message has an envelope, because the grammar demands one', () => {
  const raw = crlf(`Content-Type: message/rfc822
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="a.eml"

U3ViamVjdDogeA0KDQp5`);
  expect(writeBodyStructure(createLineCounter(raw), parseMimeTree(raw), true)).toBe(
    '("MESSAGE" "RFC822" NIL NIL NIL "BASE64" 20 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) ' +
      '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0) 1 NIL ("ATTACHMENT" ("FILENAME" "a.eml")) NIL NIL)',
  );
});

const A = '((NIL NIL "a" "b"))';

test.each([
  ['', '(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)'],
  [
    'From: a@b\r\nTo: Team: x@y, "Z, z" <z@y>;, undisclosed:;',
    `(NIL NIL ${A} ${A} ${A} ((NIL NIL "Team" NIL)(NIL NIL "x" "y")("Z, z" NIL "z" "y")(NIL NIL NIL NIL)(NIL NIL "undisclosed" NIL)(NIL NIL NIL NIL)) NIL NIL NIL NIL)`,
  ],
  [
    'To: =?utf-8?q?=C3=A9?= <e@x> (a (b))',
    '(NIL NIL NIL NIL NIL (("=?UTF-8?B?w6k=?=" NIL "e" "x")) NIL NIL NIL NIL)',
  ],
  // RFC 5322 appendix A.6.3
  [
    'Cc:(Empty list)(start)Hidden recipients  :(nobody(that I know))  ;',
    '(NIL NIL NIL NIL NIL NIL ((NIL NIL "Hidden recipients" NIL)(NIL NIL NIL NIL)) NIL NIL NIL)',
  ],
  ['To: "unfinished', '(NIL NIL NIL NIL NIL ((NIL NIL "unfinished" "")) NIL NIL NIL NIL)'],
  ['To: group: (comment);', '(NIL NIL NIL NIL NIL ((NIL NIL "group" NIL)(NIL NIL NIL NIL)) NIL NIL NIL NIL)'],
  ['To: <@r.x:e@x>', '(NIL NIL NIL NIL NIL ((NIL NIL "e" "x")) NIL NIL NIL NIL)'],
  ['To: e@x (Name)', '(NIL NIL NIL NIL NIL (("Name" NIL "e" "x")) NIL NIL NIL NIL)'],
  ['Subject: a "b" \\', '(NIL "a \\"b\\" \\\\" NIL NIL NIL NIL NIL NIL NIL NIL)'],
  ['Subject: folded\r\n here', '(NIL "folded here" NIL NIL NIL NIL NIL NIL NIL NIL)'],
])('the envelope of %j', (header, expected) => {
  expect(writeEnvelope(readAnyHeaders(Buffer.from(header)))).toBe(expected);
});

test.each([
  `To: ${'<'.repeat(10_000)}`,
  `To: ${'('.repeat(10_000)}`,
  `To: ${'a@b,'.repeat(50_000)}`,
  `To: ${':'.repeat(9_999)}`,
])('a hostile address list gives a limited envelope (%#)', (header) => {
  expect(writeEnvelope(readAnyHeaders(Buffer.from(header))).length).toBeLessThan(100_000);
});

test('hostile messages give a small tree', () => {
  const deep = Array.from(
    { length: 1_000 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  );
  const many = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(50_000)}`;
  for (const text of [
    deep.join(''),
    many,
    'Content-Type: multipart/mixed\n\nx',
    'Content-Type: multipart/mixed; boundary=""\n\n--\n\n',
  ]) {
    const raw = crlf(text);
    expect(writeBodyStructure(createLineCounter(raw), parseMimeTree(raw), true).length).toBeLessThan(400_000);
  }
});

test('lines are counted in any part of a message', () => {
  const raw = Buffer.from('a\nbc\r\n\n'.repeat(3_000));
  const countLines = createLineCounter(raw);
  for (const [from, end] of [
    [0, raw.length],
    [0, raw.length - 1],
    [1, 4_097],
    [4_095, 8_192],
    [4_096, 12_289],
    [7_000, 7_000],
    [raw.length - 3, raw.length],
  ] as const) {
    const text = raw.toString('latin1', from, end);
    expect(countLines(from, end)).toBe((text.match(/\n/g) ?? []).length + (/[^\n]$/.test(text) ? 1 : 0));
  }
});
