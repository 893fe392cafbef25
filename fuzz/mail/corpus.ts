/** Hostile mail: generated messages, and those of `e2e/hostile-mail` with random damage. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Random } from '../random.ts';

export interface HostileMail {
  name: string;
  make(): Buffer;
}

const FOLDER = new URL('../../e2e/hostile-mail/', import.meta.url);
const MIB = 1024 * 1024;
const HEAD = 'From: Charles <charles@people.test>\r\nTo: support@fuzz.test\r\nSubject: x\r\n';

/** `size` scales the messages; it is 1 in a full run. */
export function makeCorpus(random: Random, size: number): HostileMail[] {
  return [...generated(size), ...damaged(random, Math.ceil(5 * size))];
}

function generated(size: number): HostileMail[] {
  const scaled = (count: number) => Math.max(1, Math.floor(count * size));
  const pumped = (field: string, text: string, bytes: number) =>
    mail(`${field} of ${text.trim() || 'spaces'}`, () => {
      const value = text.repeat(Math.floor(scaled(bytes) / text.length));
      return `${field}: ${value}x\r\nMessage-ID: <${Math.floor(bytes)}@people.test>\r\n\r\nx\r\n`;
    });
  const body = (name: string, type: string, text: string, bytes: number, encoding = '8bit') =>
    mail(`a ${type} body of ${name}`, () => {
      const head = `${HEAD}Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
      return head + text.repeat(Math.floor(scaled(bytes) / text.length));
    });
  return [
    mail('nothing', () => ''),
    mail('no header', () => '\r\n\r\nx'),
    mail('a header alone', () => 'Subject: x'),
    mail('NUL bytes', () => `${HEAD}\0: \0\r\n\r\n\0\0\0`),
    mail('deep multiparts', () => deepMultiparts(scaled(5000))),
    mail('deep messages', () => `${HEAD}${'Content-Type: message/rfc822\r\n\r\n'.repeat(scaled(5000))}x`),
    mail('100,000 parts', () => manyParts(scaled(100_000), '')),
    mail('20,000 attachments', () =>
      manyParts(scaled(20_000), 'Content-Disposition: attachment; filename="a.txt"\r\n'),
    ),
    mail(
      'a multipart without its boundary',
      () => `${HEAD}Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\nx`,
    ),
    mail(
      'a boundary of spaces',
      () => `${HEAD}Content-Type: multipart/mixed; boundary="${' '.repeat(5000)}"\r\n\r\n--\r\n`,
    ),
    mail('100,000 header fields', () => `${'X-A: b\r\n'.repeat(scaled(100_000))}${HEAD}\r\nx`),
    mail('a folded field without an end', () => `${HEAD}X-A: b\r\n${' c\r\n'.repeat(scaled(250_000))}\r\nx`),
    mail(
      '50,000 Received fields',
      () => `${'Received: from a by b; x\r\n'.repeat(scaled(50_000))}${HEAD}\r\nx`,
    ),
    mail(
      '2,000 DKIM signatures',
      () =>
        `${'DKIM-Signature: v=1; a=rsa-sha256; d=people.test; s=x; h=from; bh=x; b=x\r\n'.repeat(scaled(2000))}${HEAD}\r\nx`,
    ),
    mail('1,000 ARC sets', () => arcSets(scaled(1000))),
    pumped('Subject', 'a', MIB),
    pumped('Subject', ' ', MIB),
    pumped('Subject', '=?utf-8?q?=41?= ', MIB),
    pumped('Subject', '=?', MIB),
    pumped('Subject', '=?x?b?', MIB),
    pumped('From', 'Ada <ada@people.test>, ', MIB),
    pumped('From', '"', MIB),
    pumped('From', '(', MIB),
    pumped('From', '<', MIB),
    pumped('From', 'a@', MIB),
    pumped('From', ' ', MIB),
    pumped('From', '\\', MIB),
    pumped('To', 'x:;', MIB),
    pumped('To', 'ada@people.test,', MIB),
    pumped('References', '<a@b> ', MIB),
    pumped('References', '<', MIB),
    pumped('In-Reply-To', '(', MIB),
    pumped('Date', ' ', MIB),
    pumped('Date', '1 ', MIB),
    pumped('Received', ' from', MIB),
    pumped('Authentication-Results', ';', MIB),
    pumped('List-Unsubscribe', '<https://x.test/>,', MIB),
    pumped('Content-Type', 'a/b;', MIB),
    pumped('Content-Type', "text/plain; a*0*=utf-8''%41; ", MIB),
    pumped('Content-Disposition', 'attachment; filename="a";', MIB),
    ...['utf-7', 'utf-16', 'iso-2022-jp', 'x-unknown', 'a'.repeat(5000), '__proto__', 'hz-gb-2312'].map(
      (charset) =>
        body(
          `charset ${charset.slice(0, 20)}`,
          `text/plain; charset="${charset}"`,
          '+AGE- \x1b$B\x80\xff~{',
          100_000,
        ),
    ),
    body('broken base64', 'text/html', '=A=*&\r\nAAA', 5 * MIB, 'base64'),
    body('broken quoted-printable', 'text/html', '=\r\n==ZZ=3', 5 * MIB, 'quoted-printable'),
    body('uuencode', 'text/plain', 'begin 644 x\r\nM`\r\n', MIB, 'x-uuencode'),
    body('open elements', 'text/html', '<div>', 10 * MIB),
    body('open angle brackets', 'text/html', '<', 10 * MIB),
    body('comments', 'text/html', '<!--', 10 * MIB),
    body('quotes in attributes', 'text/html', '<a b="', 10 * MIB),
    body('links', 'text/html', '<a href="https://x.test/">x</a>', 20 * MIB),
    body('styles', 'text/html', '<p style="a:url(b);c:d">', 10 * MIB),
    body('style sheets', 'text/html', '<style>a{b:c}</style>', 10 * MIB),
    body('tables', 'text/html', '<table><tr><td>', 10 * MIB),
    body('entities', 'text/html', '&amp;&#x41;&', 10 * MIB),
    body('spaces', 'text/plain', ' ', 20 * MIB),
    body('quotation marks', 'text/plain', '> ', 20 * MIB),
    body('quoted lines', 'text/plain', '>> x\r\n', 20 * MIB),
    body('addresses to link', 'text/plain', 'https://x.test/ a@b.test ', 20 * MIB),
    body('lines with two dots', 'text/plain', '..\r\n', 12 * MIB),
    body('calendar entries', 'text/calendar', 'BEGIN:VEVENT\r\n', 5 * MIB),
    body(
      'delivery reports',
      'multipart/report; report-type=delivery-status; boundary=x',
      '--x\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n\r\n',
      MIB,
    ),
  ];
}

function mail(name: string, make: () => string): HostileMail {
  return { name, make: () => Buffer.from(make(), 'latin1') };
}

function deepMultiparts(depth: number): string {
  const open = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`,
  );
  return `${HEAD}${open.join('')}\r\nx`;
}

function manyParts(count: number, fields: string): string {
  const head = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;
  return `${head}${`--b\r\n${fields}\r\nx\r\n`.repeat(count)}--b--\r\n`;
}

function arcSets(count: number): string {
  const sets = Array.from(
    { length: count },
    (_, index) =>
      `ARC-Seal: i=${index + 1}; a=rsa-sha256; cv=pass; d=people.test; s=x; b=x\r\n` +
      `ARC-Message-Signature: i=${index + 1}; a=rsa-sha256; d=people.test; s=x; h=from; bh=x; b=x\r\n` +
      `ARC-Authentication-Results: i=${index + 1}; people.test; spf=pass\r\n`,
  );
  return `${sets.join('')}${HEAD}\r\nx`;
}

/** Returns known hostile mail with some bytes changed, removed or doubled. */
function damaged(random: Random, times: number): HostileMail[] {
  return readdirSync(FOLDER).flatMap((file) =>
    Array.from({ length: times }, (_, round) => ({
      name: `${file}, damaged (${round})`,
      make() {
        const bytes = readFileSync(new URL(file, FOLDER));
        for (let count = 0; count < 20; count += 1) bytes[random.int(bytes.length)] = random.int(256);
        const cut = random.int(bytes.length);
        return random.chance(0.3) ? Buffer.concat([bytes.subarray(0, cut), bytes]) : bytes;
      },
    })),
  );
}
