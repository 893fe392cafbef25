import { expect, test } from 'vitest';
import { composeEmail } from './compose-email.ts';
import { contentOfPart, findBodyPart, readBody, readBodyValue, sizeOfPart } from './body-parts.ts';
import { readNewEmail } from './email-input.ts';

const identity = { messageId: '<m@example.org>', date: new Date('2026-01-01T00:00:00Z') };

test('a composed message is read back with the same parts', () => {
  const email = readNewEmail({
    subject: 'Grüße',
    from: [{ name: 'Ädä', email: 'ada@example.org' }],
    textBody: [{ partId: 't', type: 'text/plain' }],
    htmlBody: [{ partId: 'h', type: 'text/html' }],
    bodyValues: { t: { value: 'Text\nof two lines' }, h: { value: '<p>HTML <img src="cid:i@x"></p>' } },
    attachments: [
      { blobId: 'image', type: 'image/png', cid: 'i@x', disposition: 'inline' },
      { blobId: 'file', type: 'application/pdf', name: 'größe.pdf' },
    ],
  });
  const contents = new Map([
    ['image', Buffer.from([0, 1, 2, 255])],
    ['file', Buffer.alloc(1_000, 7)],
  ]);
  const raw = composeEmail(email, contents, identity);
  const body = readBody(raw);
  expect(body.root.type).toBe('multipart/mixed');
  expect(body.textBody.map(({ type }) => type)).toEqual(['text/plain']);
  expect(body.htmlBody.map(({ type }) => type)).toEqual(['text/html']);
  expect(body.attachments.map(({ name, cid }) => [name, cid])).toEqual([
    [null, 'i@x'],
    ['größe.pdf', null],
  ]);
  expect(readBodyValue(raw, body.textBody[0]!, 0)).toEqual({
    value: 'Text\nof two lines',
    isEncodingProblem: false,
    isTruncated: false,
  });
  expect(body.attachments.map((part) => sizeOfPart(raw, part))).toEqual([4, 1_000]);
  expect(contentOfPart(raw, findBodyPart(body.root, body.attachments[1]!.partId!)!)).toEqual(
    contents.get('file'),
  );
});

test('a text is cut between characters and outside of tags', () => {
  const raw = Buffer.from('Content-Type: text/html; charset=utf-8\r\n\r\nüü<b class="x">bold</b>');
  const part = readBody(raw).root;
  expect(readBodyValue(raw, part, 3)).toMatchObject({ value: 'ü', isTruncated: true });
  expect(readBodyValue(raw, part, 10)).toMatchObject({ value: 'üü', isTruncated: true });
  expect(readBodyValue(raw, part, 500)).toMatchObject({ isTruncated: false });
});

test.each(['YWJj', 'YWI=', 'YWI=\r\n--b-->\r\nmore text', 'YW-_', 'Y,W.J!j', 'YWJjZ', '====', ''])(
  'the size of a part is that of its content (%j)',
  (body) => {
    const raw = Buffer.from(`Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`);
    const part = readBody(raw).root;
    expect(sizeOfPart(raw, part)).toBe(contentOfPart(raw, part).length);
  },
);

test('an unknown charset is reported', () => {
  const raw = Buffer.from('Content-Type: text/plain; charset=x-nonsense\r\n\r\ntext');
  expect(readBodyValue(raw, readBody(raw).root, 0)).toMatchObject({ value: 'text', isEncodingProblem: true });
});
