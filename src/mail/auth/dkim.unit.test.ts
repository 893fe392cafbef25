import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { expect, test } from 'vitest';
import { generateRsaKey } from '../../platform/certificates/rsa-key.ts';
import { parseMailbox } from '../mime/address.ts';
import { composeMessage } from '../mime/compose/compose.ts';
import { createDkimSigner, dkimRecordValue } from './dkim.ts';

// check-sender.unit.test.ts signs with a key of two primes.
const privateKey = await generateRsaKey(2048, 3);
const signer = createDkimSigner({ domain: 'example.com', selector: 'ph1', privateKey });
const record = dkimRecordValue(createPublicKey(privateKey));

const HEADERS = [
  'From: Ada <ada@example.com>',
  'To: bob@example.org',
  'Subject: hello',
  'Date: Tue, 10 Nov 2026 09:00:00 +0000',
  'Message-ID: <1@example.com>',
  'MIME-Version: 1.0',
  'List-Unsubscribe: <https://example.com/u/1>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
];
const HEADER = `${HEADERS.join('\r\n')}\r\n`;

async function sign(message: string | Buffer): Promise<Buffer> {
  const raw = Buffer.from(message as string, 'utf8');
  return Buffer.concat([await signer.sign(raw), raw]);
}

/** The verdict of mailauth, which shares no code with ours and follows the RFCs strictly. */
async function verify(signed: Buffer): Promise<string> {
  const { results } = await dkimVerify(signed, {
    strict: true,
    resolver: async (name) => (name === 'ph1._domainkey.example.com' ? [[record]] : []),
  });
  expect(results).toHaveLength(1);
  return results[0]!.status.result;
}

test.each([
  ['an empty body', `${HEADER}\r\n`],
  ['no separator', HEADER],
  ['no separator and no last line end', HEADER.trimEnd()],
  ['only line ends', `${HEADER}\r\n\r\n\r\n\r\n`],
  ['only blanks', `${HEADER}\r\n  \t `],
  ['blanks and line ends', `${HEADER}\r\n  \r\n\t\r\n `],
  ['leading line ends', `${HEADER}\r\n\r\n\r\nhello\r\n`],
  ['trailing blanks', `${HEADER}\r\nhello  \t\r\n world \t x \r\n \t \r\n\r\n`],
  ['a single trailing blank', `${HEADER}\r\nhello \r\nworld `],
  ['no last line end', `${HEADER}\r\nhello`],
  ['dots', `${HEADER}\r\n.\r\n..\r\n.hello\r\n.\r\n`],
  ['998 characters', `${HEADER}\r\n${'x'.repeat(998)}\r\n${' y'.repeat(499)}\r\n`],
  ['a body larger than the scratch space', `${HEADER}\r\n${'word  and\tword '.repeat(20_000)}\r\n`],
  ['one unbroken 200,000 characters', `${HEADER}\r\n${'x'.repeat(200_000)}  y\r\n`],
  ['many lines', `${HEADER}\r\n${'a line \r\n'.repeat(30_000)}`],
  ['UTF-8 headers', `${HEADER.replace('hello', 'Grüße an alle, voilà')}\r\nhello\r\n`],
  [
    'a header that ends in à, whose last byte is a space in Latin-1',
    `${HEADER.replace('hello', 'voilà')}\r\nx\r\n`,
  ],
  ['folding with tabs', `${HEADER.replace('hello', 'one\r\n\ttwo  \r\n \t three\t')}\r\nx\r\n`],
  ['an empty subject', `${HEADER.replace('hello', '')}\r\nx\r\n`],
  ['no subject', `${HEADER.replace('Subject: hello\r\n', '')}\r\nx\r\n`],
  ['blanks before the colon', `${HEADER.replace('Subject:', 'SUBJECT \t:')}\r\nx\r\n`],
  [
    'repeated headers',
    `${HEADER}To: carol@example.org\r\nReferences: <1@x>\r\nreferences: <2@x>\r\n\r\nx\r\n`,
  ],
  ['a field that is only a name', `${HEADER}X-Empty:\r\n\r\nx\r\n`],
])('a message with %s verifies', async (_name, message) => {
  expect(await verify(await sign(message))).toBe('pass');
});

test('an 8-bit body that is not UTF-8 verifies', async () => {
  const bytes = Buffer.from(
    Array.from({ length: 512 }, (_, index) => index % 256).filter((b) => b !== 10 && b !== 13),
  );
  const raw = Buffer.concat([Buffer.from(`${HEADER}\r\n`), bytes, Buffer.from(' \r\n')]);
  expect(await verify(await sign(raw))).toBe('pass');
});

test('random spaces, line ends and words verify', async () => {
  const pieces = [' ', '\t', '\r\n', 'a', 'é', '.', '  ', '\r\n\r\n', '='];
  let seed = 7;
  for (let round = 0; round < 60; round += 1) {
    let body = '';
    for (let count = 0; count < round; count += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      body += pieces[(seed >> 16) % pieces.length]!;
    }
    expect(await verify(await sign(`${HEADER}\r\n${body}`)), JSON.stringify(body)).toBe('pass');
  }
});

test('a composed message verifies', async () => {
  const raw = composeMessage({
    messageId: '<1@example.com>',
    date: new Date(),
    from: parseMailbox('Grüße <ada@example.com>')!,
    to: [parseMailbox('用户 <bob@example.org>')!],
    cc: [parseMailbox('carol@example.org')!],
    replyTo: [parseMailbox('help@example.com')!],
    subject: 'Grüße 📯 '.repeat(20),
    html: '<p>Hello  world</p>\n  <p>.</p>',
    text: null,
    headers: [['List-Unsubscribe', '<https://example.com/u>']],
    attachments: [{ filename: 'ü.bin', contentType: null, content: Buffer.alloc(1000, 7), contentId: null }],
  });
  expect(await verify(Buffer.concat([await signer.sign(raw), raw]))).toBe('pass');
});

test.each([
  [
    'a second From above',
    (text: string) => text.replace('From: Ada', 'From: Eve <eve@example.net>\r\nFrom: Ada'),
  ],
  [
    'a second From below',
    (text: string) => text.replace('\r\n\r\n', '\r\nFrom: Eve <eve@example.net>\r\n\r\n'),
  ],
  ['a second Subject', (text: string) => `Subject: win money\r\n${text}`],
  ['a second To', (text: string) => `To: eve@example.net\r\n${text}`],
  ['a second Date', (text: string) => `Date: Tue, 10 Nov 2020 09:00:00 +0000\r\n${text}`],
  ['a second Message-ID', (text: string) => `Message-ID: <2@example.net>\r\n${text}`],
  ['a second MIME-Version', (text: string) => `MIME-Version: 1.0\r\n${text}`],
  ['a second List-Unsubscribe', (text: string) => `List-Unsubscribe: <https://eve.example/>\r\n${text}`],
  ['no Subject', (text: string) => text.replace('Subject: hello\r\n', '')],
  ['another Subject', (text: string) => text.replace('Subject: hello', 'Subject: hullo')],
  ['another List-Unsubscribe-Post', (text: string) => text.replace('=One-Click', '=Two-Clicks')],
  ['no List-Unsubscribe-Post', (text: string) => text.replace(/List-Unsubscribe-Post.*\r\n/, '')],
  ['another body', (text: string) => text.replace('the body', 'another body')],
  ['more body', (text: string) => `${text}more\r\n`],
])('with %s it no longer verifies', async (_name, change) => {
  const signed = (await sign(`${HEADER}\r\nthe body\r\n`)).toString();
  expect(await verify(Buffer.from(signed))).toBe('pass');
  const changed = change(signed);
  expect(changed).not.toBe(signed);
  expect(await verify(Buffer.from(changed))).not.toBe('pass');
});

test.each([
  'Subject: win money',
  'Sender: eve@example.net',
  'Reply-To: eve@example.net',
  'Cc: eve@example.net',
  'In-Reply-To: <9@example.net>',
  'References: <9@example.net>',
  'Content-Type: text/html',
  'Content-Transfer-Encoding: base64',
  'List-Unsubscribe: <https://eve.example/>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
])('"%s" cannot be added to a message without that field', async (field) => {
  const name = field.slice(0, field.indexOf(':') + 1);
  const without = HEADERS.filter((line) => !line.startsWith(name));
  const signed = (await sign(`${without.join('\r\n')}\r\n\r\nthe body\r\n`)).toString();
  expect(await verify(Buffer.from(signed))).toBe('pass');
  expect(await verify(Buffer.from(`${field}\r\n${signed}`))).not.toBe('pass');
});

test('a mailing list can add its own fields', async () => {
  const signed = (await sign(`${HEADER}\r\nthe body\r\n`)).toString();
  const added = 'List-Id: <list.example.net>\r\nList-Post: <mailto:list@example.net>\r\n';
  expect(await verify(Buffer.from(`${added}${signed}`))).toBe('pass');
});

test('headers that servers add in transit do not break the signature', async () => {
  const signed = (await sign(`${HEADER}\r\nthe body\r\n`)).toString();
  const added =
    'Received: from a by b; Tue, 10 Nov 2026 09:00:01 +0000\r\nX-Spam: no\r\nReturn-Path: <b@x.example>\r\n';
  expect(await verify(Buffer.from(`${added}${signed}\r\n\r\n`))).toBe('pass');
});

test('the field has short lines, no l=, and From once more than the message', async () => {
  const field = (await signer.sign(Buffer.from(`${HEADER}\r\nthe body\r\n`))).toString();
  expect(Math.max(...field.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
  expect(field.endsWith('\r\n')).toBe(true);
  const tags = new Map(
    field
      .slice('DKIM-Signature:'.length)
      .replaceAll(/\s/g, '')
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  );
  expect([...tags.keys()]).toEqual(['v', 'a', 'c', 'd', 's', 't', 'bh', 'h', 'b']);
  const names = tags.get('h')!.split(':');
  const count = (name: string) => names.filter((other) => other === name).length;
  for (const name of [
    'from',
    'subject',
    'to',
    'date',
    'message-id',
    'list-unsubscribe',
    'list-unsubscribe-post',
  ]) {
    expect(count(name), name).toBe(2);
  }
  for (const name of ['cc', 'reply-to', 'sender']) expect(count(name), name).toBe(1);
  expect(count('list-id')).toBe(0);
});

test('a key that cannot sign is rejected immediately', () => {
  const options = { domain: 'example.com', selector: 's' };
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  const weak = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey;
  expect(() => createDkimSigner({ ...options, privateKey: ed25519 })).toThrow('RSA');
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
  expect(() => createDkimSigner({ ...options, privateKey: weak })).toThrow('RSA');
  expect(() => createDkimSigner({ ...options, privateKey: pss })).toThrow('RSA');
  expect(() => createDkimSigner({ ...options, privateKey: createPublicKey(privateKey) })).toThrow('RSA');
});
