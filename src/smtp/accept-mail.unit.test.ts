/** The headers of a received message are parsed once, and every later step uses the result. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { ReceivedMail } from '../features/mailboxes/receiving/receive.ts';
import { createSenderCheck } from '../mail/auth/check-sender.ts';
import type { Dns } from '../mail/auth/dns.ts';
import { createBudget } from '../platform/memory/budget.ts';
import type { Db } from '../platform/database/database.ts';
import { acceptMail } from './accept-mail.ts';

const { reads, stored } = vi.hoisted(() => ({ reads: [] as number[], stored: [] as unknown[] }));

vi.mock(import('../mail/mime/parse/raw-headers.ts'), async (load) => {
  const actual = await load();
  return {
    ...actual,
    readHeaders: (raw) => (reads.push(raw.length), actual.readHeaders(raw)),
    readAnyHeaders: (raw) => (reads.push(raw.length), actual.readAnyHeaders(raw)),
  };
});
vi.mock(import('../features/mailboxes/receiving/receive.ts'), () => ({
  receiveMessage: async (_db, mail) => stored.push(mail) > 0,
}));

beforeEach(() => {
  reads.length = 0;
  stored.length = 0;
});

const nothing = async () => ({ kind: 'none' as const });
const dns = { txt: nothing, mx: nothing, a: nothing, aaaa: nothing, cname: nothing } as unknown as Dns;

async function accept(text: string): Promise<ReceivedMail> {
  const tools = {
    db: null as unknown as Db,
    mailHost: 'mx.posthorn.test',
    dmarcReject: 'spam' as const,
    mailTransport: 'sandbox' as const,
    checkSender: createSenderCheck(dns),
    spam: null,
    withinBudget: createBudget(1),
  };
  const envelope = { ip: '192.0.2.1', helo: 'mx.example.test', mailFrom: 'ada@example.test' };
  const transaction = { id: 'x', protocol: 'ESMTP', destinations: [], reportedDomains: [], ...envelope };
  await acceptMail(tools, transaction, Buffer.from(text));
  return stored[0] as ReceivedMail;
}

const HEADERS = 'Subject: Tea\r\nContent-Type: text/html\r\n';

test.each([
  ['of a plain author', 'From: Ada <ada@example.test>\r\n'],
  ['without an author', ''],
  ['of an author in a comment', 'From: (Ada) ada@example.test\r\n'],
  ['with a signature', 'From: Ada <ada@example.test>\r\nDKIM-Signature: v=1; d=example.test\r\n'],
])('the headers of a message %s are parsed once', async (_, more) => {
  const { parsed } = await accept(`${more}${HEADERS}\r\n<p>At four?</p>\r\n`);
  expect(parsed).toMatchObject({ subject: 'Tea', html: '<p>At four?</p>' });
  expect(reads).toHaveLength(1);
});

test('forged results are removed, and the headers and the body behind them are parsed correctly', async () => {
  const forged = 'Authentication-Results: mx.posthorn.test;\r\n dmarc=pass\r\n';
  const parts =
    '--b\r\nContent-Type: text/plain\r\n\r\nAt four?\r\n' +
    '--b\r\nContent-Type: text/csv; name=a.csv\r\n\r\na,b\r\n--b--\r\n';
  const { raw, parsed } = await accept(
    `${forged}Subject: Tea\r\n${forged}Content-Type: multipart/mixed; boundary=b\r\n${forged}\r\n${parts}`,
  );
  expect(raw.toString()).toBe(`Subject: Tea\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`);
  expect(parsed).toMatchObject({ subject: 'Tea', text: 'At four?' });
  expect(parsed.attachments[0]?.content.toString()).toBe('a,b');
  expect(parsed.headers.map(([name]) => name)).toEqual(['Subject', 'Content-Type']);
});

test('only the first of too many headers are kept, also in the stored message', async () => {
  const { raw, parsed, authentication } = await accept(
    `From: Ada <ada@example.test>\r\n${HEADERS}${'X-More: 1\r\n'.repeat(20_000)}\r\n<p>At four?</p>\r\n`,
  );
  expect(parsed).toMatchObject({ subject: 'Tea', html: '<p>At four?</p>', from: { name: 'Ada' } });
  expect(authentication?.dmarc).toBe('none');
  expect(raw.toString().match(/^X-More/gm)!.length).toBeLessThan(10_000);
});
