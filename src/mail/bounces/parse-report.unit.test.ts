import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readReport, type Report } from './parse-report.ts';

function read(text: string): Report {
  return readReport(Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')));
}

function report(type: string, status: string, original = 'Message-ID: <1@example.com>\nSubject: x'): string {
  return `From: MAILER-DAEMON@mx.example.org
To: b-1@bounces.example.com
Subject: Undelivered Mail
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="=_b"

--=_b
Content-Type: text/plain

I am sorry: 550 5.1.1 <someone-else@example.org> unknown

--=_b
Content-Type: message/${type}

${status}
--=_b
Content-Type: message/rfc822

From: ada@example.com
${original}

Hello
--=_b--
`;
}

const POSTFIX = `Reporting-MTA: dns; mx.example.org
X-Postfix-Queue-ID: 4ABC
Original-Envelope-Id: env-1
Arrival-Date: Tue, 10 Nov 2026 09:00:00 +0000

Final-Recipient: rfc822; bob@backend.example.org
Original-Recipient: rfc822;bob@example.org
Action: failed
Status: 5.1.1
Remote-MTA: dns; backend.example.org
Diagnostic-Code: smtp; 550 5.1.1 <bob@backend.example.org>: Recipient address
    rejected: User unknown
`;

test('a delivery report gives recipient, action and reason', () => {
  expect(read(report('delivery-status', POSTFIX))).toEqual({
    kind: 'bounce',
    envelopeId: 'env-1',
    originalMessageId: '<1@example.com>',
    recipients: [
      {
        recipient: 'bob@example.org',
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 <bob@backend.example.org>: Recipient address rejected: User unknown',
      },
    ],
  });
});

test('reports may have several recipients, comments, any letter case and missing optional fields', () => {
  const found = read(
    report(
      'delivery-status',
      `reporting-mta: dns; x

FINAL-RECIPIENT: RFC822 ; <a@x.example>
ACTION: Delayed (will retry)
STATUS: 4.4.1 (no answer)

Final-Recipient: rfc822; b@x.example
Action: relayed
Status: 2.0.0

Final-Recipient: utf-8; ü@x.example
Action: nonsense
Status: 5.2.2

Final-Recipient: rfc822; c@x.example
Action: failed

Final-Recipient: rfc822; d@x.example

X-Nothing: here
`,
    ),
  );
  expect(
    found.kind === 'bounce' && found.recipients.map((one) => [one.recipient, one.action, one.status]),
  ).toEqual([
    ['a@x.example', 'delayed', '4.4.1'],
    ['b@x.example', 'relayed', '2.0.0'],
    ['ü@x.example', 'failed', '5.2.2'],
    ['c@x.example', 'failed', null],
  ]);
});

test('groups that are not separated by an empty line are read as one', () => {
  const found = read(report('delivery-status', POSTFIX.replace('\n\n', '\n')));
  expect(found).toMatchObject({ kind: 'bounce', recipients: [{ recipient: 'bob@example.org' }] });
});

test('the original message is found as headers only, in UTF-8 reports and in base64', () => {
  const headersOnly = report('delivery-status', POSTFIX).replace('message/rfc822', 'text/rfc822-headers');
  expect(read(headersOnly)).toMatchObject({ kind: 'bounce', originalMessageId: '<1@example.com>' });
  const global = report('global-delivery-status', POSTFIX).replace('message/rfc822', 'message/global');
  expect(read(global)).toMatchObject({ kind: 'bounce', originalMessageId: '<1@example.com>' });
  const encoded = report('delivery-status', Buffer.from(POSTFIX).toString('base64')).replace(
    'message/delivery-status\n',
    'message/delivery-status\nContent-Transfer-Encoding: base64\n',
  );
  expect(read(encoded)).toMatchObject({ kind: 'bounce', recipients: [{ status: '5.1.1' }] });
});

test('a report without the original message is valid', () => {
  const found = read(
    report('delivery-status', POSTFIX).replace(/--=_b\nContent-Type: message\/rfc822[^]*$/, '--=_b--\n'),
  );
  expect(found).toMatchObject({ kind: 'bounce', originalMessageId: null });
});

const ARF = `Feedback-Type: Abuse
User-Agent: Example/1
Version: 1
Original-Mail-From: <b-1@bounces.example.com>
Original-Rcpt-To: <bob@example.org>
Source-IP: 192.0.2.1
`;

test('a complaint gives the recipient and the message', () => {
  expect(read(report('feedback-report', ARF))).toEqual({
    kind: 'complaint',
    feedbackType: 'abuse',
    originalRecipient: 'bob@example.org',
    originalMailFrom: 'b-1@bounces.example.com',
    originalMessageId: '<1@example.com>',
  });
  const hidden = ARF.replace(/Original-.*\n/g, '');
  expect(read(report('feedback-report', hidden))).toMatchObject({
    kind: 'complaint',
    originalRecipient: null,
    originalMailFrom: null,
  });
});

test.each(['not-spam', 'auth-failure', 'dmarc'])('feedback of type %s is not a complaint', async (type) => {
  const found = read(report('feedback-report', ARF.replace('Abuse', type)));
  expect(found.kind).not.toBe('complaint');
});

test.each([
  ['auto-reply', 'Auto-Submitted: auto-replied\nSubject: Out of office\n\nBack on Monday'],
  ['auto-reply', 'Auto-Submitted: auto-generated; owner=x\n\nx'],
  ['auto-reply', 'X-Autoreply: yes\n\nx'],
  ['auto-reply', 'Precedence: auto_reply\n\nx'],
  ['other', 'Auto-Submitted: no\nSubject: Hi\n\nHello'],
  ['other', 'Subject: Mail delivery failed\n\nbob@example.org\n  550 5.1.1 user unknown'],
  [
    'other',
    'Subject: failure notice\nX-Failed-Recipients: bob@example.org\n\nHi. This is the qmail-send program.',
  ],
  [
    'other',
    'Subject: Fwd: bounce\nContent-Type: text/plain\n\nFinal-Recipient: rfc822; bob@example.org\nStatus: 5.1.1',
  ],
  ['other', ''],
  ['other', '\n\n\n'],
  ['other', 'no header at all'],
  ['other', 'Content-Type: multipart/report; report-type=delivery-status; boundary="x"\n\n--x--'],
  ['other', 'Content-Type: multipart/report; report-type=delivery-status\n\nno boundary'],
])('%s: %j', async (kind, text) => {
  expect(read(text)).toEqual({ kind });
});

test('a bounce that is forwarded as an attachment does not count', () => {
  const forwarded = `Subject: look\nContent-Type: multipart/mixed; boundary="out"\n\n--out\nContent-Type: message/rfc822\n\n${report('delivery-status', POSTFIX)}\n--out--\n`;
  expect(read(forwarded)).toEqual({ kind: 'other' });
});

test('invalid, deep, long and large input does no harm', () => {
  expect(readReport(randomBytes(300_000))).toEqual({ kind: 'other' });
  let nested = '';
  for (let depth = 0; depth < 500; depth += 1)
    nested += `Content-Type: multipart/report; boundary="b${depth}"\n\n--b${depth}\n`;
  expect(read(nested)).toEqual({ kind: 'other' });
  expect(readReport(Buffer.alloc(20_000_000, '\n'))).toEqual({ kind: 'other' });
  expect(readReport(Buffer.alloc(20_000_000, 'To: a@b, '))).toEqual({ kind: 'other' });

  const many = read(
    report('delivery-status', 'Final-Recipient: rfc822; a@b\nStatus: 5.1.1\n\n'.repeat(1000)),
  );
  expect(many.kind === 'bounce' && many.recipients.length).toBe(100);
  const long = read(report('delivery-status', POSTFIX.replace('User unknown', 'x'.repeat(50_000))));
  expect(long.kind === 'bounce' && long.recipients[0]!.diagnostic!.length).toBeLessThanOrEqual(1000);
  const large = read(
    report('delivery-status', POSTFIX, `Message-ID: <1@example.com>\n\n${'x\n'.repeat(2_000_000)}`),
  );
  expect(large).toMatchObject({ kind: 'bounce', originalMessageId: '<1@example.com>' });
  const evil = read(report('delivery-status', POSTFIX.replace('User unknown', 'a\0b\u001b[31m')));
  expect(evil.kind === 'bounce' && evil.recipients[0]!.diagnostic).not.toMatch(/\p{Cc}/u);
});
