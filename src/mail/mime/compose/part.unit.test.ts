import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { attachmentPart, multipart, type Attachment } from './part.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function attach(changes: Partial<Attachment>): string {
  const attachment = { filename: 'a.pdf', contentType: null, content: PNG, contentId: null, ...changes };
  const { header, body } = multipart('mixed', '=_x', [attachmentPart(attachment, 'attachment')]);
  const raw = Buffer.concat([Buffer.from(`${header}\r\n`), ...body]).toString('utf8');
  expect(raw.replaceAll('\r\n', '')).not.toMatch(/[^ -~]/);
  for (const line of raw.split('\r\n')) {
    // The types of Office files are too long to fold.
    expect(line.length).toBeLessThanOrEqual(line.startsWith('Content-Type: application/vnd.') ? 90 : 76);
  }
  return raw;
}

test.each([
  'report.pdf',
  'Grüße.pdf',
  '見積書 2026年11月.xlsx',
  '📯'.repeat(30),
  `${'long name '.repeat(20)}.txt`,
  'it\'s "quoted"; x=y.txt',
  "percent%20and'apostrophe*.txt",
  'back\\slash.txt',
  "ä'(1)*%41.txt",
])('the file name %s and its content are preserved', async (filename) => {
  const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
  const [attachment] = (await PostalMime.parse(attach({ filename, content }))).attachments;
  expect(attachment?.filename).toBe(filename);
  expect(attachment?.disposition).toBe('attachment');
  expect(Buffer.from(attachment!.content as ArrayBuffer)).toEqual(content);
});

test.each([
  ['', 'attachment'],
  ['a\r\nX-Evil: 1', 'a X-Evil: 1'],
  ['ü\r\nX-Evil: 1\0', 'ü X-Evil: 1'],
  ['x'.repeat(1000), 'x'.repeat(255)],
  ['half \ud800', 'half \ufffd'],
])('the file name %j becomes %j', async (filename, expected) => {
  expect((await PostalMime.parse(attach({ filename }))).attachments[0]!.filename).toBe(expected);
});

test('a file name that looks like an encoded word is not decoded by readers', () => {
  expect(attach({ filename: '=?utf-8?Q?x?=' })).toContain("filename*=UTF-8''%3D%3Futf-8%3FQ%3Fx%3F%3D\r\n");
});

test('apostrophes, stars and brackets in a file name are escaped (RFC 2231 section 7)', () => {
  expect(attach({ filename: "ä'(1)*" })).toContain("filename*=UTF-8''%C3%A4%27%281%29%2A\r\n");
});

test.each([
  [
    'text/calendar; method=REQUEST; charset="utf-8"',
    'text/calendar;\r\n method=REQUEST;\r\n charset="utf-8"',
  ],
  ['image/svg+xml', 'image/svg+xml'],
  ['nonsense', 'application/pdf'],
  ['text/html\r\nX-Evil: 1', 'application/pdf'],
  ['text/plain; a=b\r\nX-Evil: 1', 'text/plain'],
  ['text/plain; name="other.txt"; boundary=x', 'text/plain'],
  ['multipart/mixed; boundary=x', 'application/octet-stream'],
  [`text/${'x'.repeat(200)}`, 'application/pdf'],
  ['', 'application/pdf'],
])('the content type %j becomes %j', (contentType, expected) => {
  const raw = attach({ contentType });
  expect(raw).toContain(`\r\nContent-Type: ${expected};\r\n name="a.pdf"\r\n`);
  expect(raw).not.toMatch(/^X-Evil/m);
});

function attachMessage(text: string): string {
  return attach({ filename: 'a.eml', contentType: 'message/rfc822', content: Buffer.from(text) });
}

test('an attached message stays a message, or becomes application/octet-stream', () => {
  expect(attachMessage('Subject: x\r\n\r\nHi\r\n')).toMatch(
    /Content-Type: message\/rfc822;\r\n name="a.eml"\r\nContent-Transfer-Encoding: 7bit\r\n/,
  );
  for (const content of ['Subject: ü\r\n\r\n', 'a\nb', 'a\rb', 'a\0b', 'x'.repeat(1000)]) {
    expect(attachMessage(content)).toMatch(
      /octet-stream;\r\n name="a.eml"\r\nContent-Transfer-Encoding: base64/,
    );
  }
});

test('a Content-ID cannot contain brackets', () => {
  expect(attach({ contentId: 'logo@example' })).toContain('\r\nContent-ID: <logo@example>\r\n');
  expect(attach({ contentId: '<a>\r\nX-Evil: ü' })).toContain('\r\nContent-ID: <aX-Evil:>\r\n');
});
