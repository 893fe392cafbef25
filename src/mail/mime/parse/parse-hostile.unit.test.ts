import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { HEAD, expectStorable, parse } from '../../../testing/parse-lines.ts';

test('NUL bytes and lone surrogates are removed', async () => {
  const parsed = await parse([
    'From: "\0x" <a\0@example.com>',
    'Subject: \0 =?utf-16le?B?ANg=?= =?utf-8?q?=00?=',
    'Message-ID: <\0@x>',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: text/html; charset=utf-16le',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from([0x00, 0xd8, 0x41, 0x00, 0x00, 0x00]).toString('base64'),
    '--x',
    'Content-Type: image/png; name="\0.png"',
    'Content-ID: <\0>',
    '',
    'x',
    '--x--',
  ]);
  expectStorable(parsed);
  expect(parsed.html).toContain('A');
});

// On a busy machine the thread may start too late, and then only the beginning is parsed.
test('of ten thousand nested or adjacent parts a limited number is parsed', { retry: 2 }, async () => {
  const nested = Array.from({ length: 10_000 }, (_, at) => [
    `--b${at - 1}`,
    `Content-Type: multipart/mixed; boundary=b${at}`,
    '',
  ]);
  const deep = await parse(['Content-Type: multipart/mixed; boundary=b-1', '', ...nested.flat(), 'end']);
  expect(deep.text).toContain('end');
  const beside = Array.from({ length: 10_000 }, () => ['--b', 'Content-Type: image/png', '', 'x']);
  const wide = await parse(['Content-Type: multipart/mixed; boundary=b', '', ...beside.flat(), '--b--']);
  expect(wide.attachments).toHaveLength(1_000);
});

test('hostile headers take linear time', async () => {
  const people = Array.from({ length: 5_000 }, (_, at) => `"Person ${at}" <p${at}@example.com>`).join(', ');
  const parsed = await parse([
    `To: ${people}`,
    `Cc: ${'('.repeat(150_000)}`,
    `Reply-To: ${'a:'.repeat(50_000)}`,
    `Subject: ${'=?utf-8?q?x?= '.repeat(20_000)}`,
    `References: ${'<x@y>'.repeat(20_000)}`,
    ...Array.from({ length: 5_000 }, () => 'X-Bomb: x'),
    `Content-Type: text/plain; ${'x*0*=y;'.repeat(10_000)}`,
    '',
    'body',
  ]);
  expect(parsed.to).toHaveLength(1_000);
  expect(parsed.to[499]).toEqual({ name: 'Person 499', address: 'p499@example.com' });
  expect(parsed.references).toHaveLength(200);
  expect(parsed.headers).toHaveLength(1_000);
  const larger = await parse([...HEAD, `X-Large: ${'x'.repeat(1_500_000)}`, '', 'body']);
  expect(larger).toMatchObject({ subject: 'Hi', text: 'body' });
});

test('half a million short lines or boundary-like lines take linear time', async () => {
  const lines = await parse([...HEAD, '', 'a\n'.repeat(500_000)]);
  expect(lines.text!.length).toBeGreaterThan(999_000);
  const dashes = await parse([
    ...HEAD,
    'Content-Type: multipart/mixed; boundary="--"',
    '',
    '--\n'.repeat(600_000),
  ]);
  expectStorable(dashes);
});

test('a 25 MiB attachment is parsed in another thread, several at a time', async () => {
  // Repeats one piece, because encoding all of it would take longer than parsing it. 57 bytes make a line of 76
  // characters.
  const piece = randomBytes(57 * 1024);
  const times = Math.ceil((25 * 1024 * 1024) / piece.length);
  const content = Buffer.alloc(times * piece.length, piece);
  const encoded = piece.toString('base64').replaceAll(/.{76}/g, '$&\r\n').repeat(times);
  const raw = [
    ...HEAD,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'see the file',
    '--b',
    'Content-Type: application/zip; name=large.zip',
    'Content-Transfer-Encoding: base64',
    '',
    encoded,
    '--b--',
  ];
  let turns = 0;
  const clock = setInterval(() => (turns += 1), 5);
  const all = await Promise.all([parse(raw), parse(raw), parse(raw)]);
  clearInterval(clock);
  // This shows that the event loop of this thread was not blocked.
  expect(turns).toBeGreaterThan(5);
  for (const parsed of all) {
    expect(parsed).toMatchObject({ subject: 'Hi', text: 'see the file', date: null });
    expect(parsed.attachments[0]).toMatchObject({ filename: 'large.zip', contentType: 'application/zip' });
    expect(Buffer.isBuffer(parsed.attachments[0]!.content)).toBe(true);
    expect(sha256(parsed.attachments[0]!.content)).toBe(sha256(content));
  }
});

test('an extremely long body is cut', async () => {
  const parsed = await parse([...HEAD, '', 'x'.repeat(8 * 1024 * 1024)]);
  expect(parsed.text).toHaveLength(5 * 1024 * 1024 + 2);
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
