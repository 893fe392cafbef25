import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { encodeText } from './transfer-encoding.ts';

/** Parsers differ in line ends and in whether the last one belongs to the text. */
function readable(text = ''): string {
  return text.replaceAll('\r\n', '\n').replace(/\n+$/, '');
}

test.each([
  ['empty', ''],
  ['emoji', 'Hi 📯\nbye'],
  ['Japanese', '日本語の本文。\n'.repeat(50)],
  ['Hebrew', 'שלום עולם\n'.repeat(20)],
  ['5,000 characters on a line', `${'word '.repeat(1000)}end`],
  ['5,000 characters in a word', 'x'.repeat(5000)],
  ['equals signs', '='.repeat(500)],
  ['an escape that does not fit', `${'x'.repeat(73)}==${'x'.repeat(72)}=${'x'.repeat(74)}==`],
  ['two-byte characters on a line', 'ä a '.repeat(500).trim()],
  ['dots', '.\n..\n.a\n'],
  ['dots where a line is broken', `${'x'.repeat(74)}..${'x'.repeat(73)}.x.${'.'.repeat(200)}`],
  ['From', 'From here\n>From there\nFrom\n'],
  ['trailing blanks', 'a \nb\t\nc  \n \n'],
  ['a trailing blank on a full line', `${'x'.repeat(75)} \n${'x'.repeat(74)} \n${'x'.repeat(73)}\t\nend`],
  ['controls', 'a\u0001b\u007fc\u001b[0m'],
  ['boundaries', '--=_x\n--=_x--\n'],
])('a text with %s is preserved in short ASCII lines', async (_name, text) => {
  const { encoding, bytes } = encodeText(text);
  const body = bytes.toString('latin1');
  expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  for (const line of body.split('\r\n')) expect(line).toMatch(/^(?!\.|From )(?:[\t -~]{0,75}[!-~])?$/);
  const header = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  expect(readable((await PostalMime.parse(header + body)).text)).toBe(readable(text));
});

test('text that is mostly not ASCII is base64, other text is readable', () => {
  expect(encodeText('日本語の本文。').encoding).toBe('base64');
  expect(encodeText('Grüße aus Köln').encoding).toBe('quoted-printable');
  expect(encodeText('').encoding).toBe('quoted-printable');
});

test('line ends of every kind become CRLF, in base64 too', () => {
  expect(encodeText('a\rb\nc\r\nd\n').bytes.toString()).toBe('a\r\nb\r\nc\r\nd\r\n');
  const { bytes } = encodeText('日本\r日本\n日本語の本文');
  expect(Buffer.from(bytes.toString(), 'base64').toString()).toBe('日本\r\n日本\r\n日本語の本文');
});

test('random texts are preserved', async () => {
  const pieces = [
    'a',
    ' ',
    '\t',
    '=',
    '.',
    'From ',
    'ü',
    '\n',
    'x'.repeat(70),
    'y'.repeat(74),
    '\u0000',
    '📯',
  ];
  let seed = 11;
  for (let round = 0; round < 200; round += 1) {
    let text = '';
    for (let count = 0; count < round; count += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      text += pieces[(seed >> 16) % pieces.length]!;
    }
    const { encoding, bytes } = encodeText(text);
    const body = bytes.toString('latin1');
    expect(Math.max(...body.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76);
    expect(body).not.toMatch(/[ \t](?:\r|$)|^(?:\.|From )/m);
    const header = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
    expect(readable((await PostalMime.parse(header + body)).text), JSON.stringify(text)).toBe(readable(text));
  }
});
