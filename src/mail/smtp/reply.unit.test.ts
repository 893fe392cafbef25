import { expect, test } from 'vitest';
import { classifyReply, parseReply, type SmtpStage } from './reply.ts';

test.each([
  [['250 2.1.5 OK'], { code: 250, enhanced: '2.1.5', text: 'OK' }],
  [['250'], { code: 250, enhanced: null, text: '' }],
  [['250 '], { code: 250, enhanced: null, text: '' }],
  [
    [
      '550-5.1.1 The email account that you tried to reach',
      '550-5.1.1 does not exist.',
      '550 5.1.1 Learn more',
    ],
    {
      code: 550,
      enhanced: '5.1.1',
      text: 'The email account that you tried to reach\ndoes not exist.\nLearn more',
    },
  ],
  [
    ['220-mail.example.com ESMTP', '220 welcome'],
    { code: 220, enhanced: null, text: 'mail.example.com ESMTP\nwelcome' },
  ],
  [['552 5.2.255 full'], { code: 552, enhanced: '5.2.255', text: 'full' }],
  [['250 1.2.3 not a status'], { code: 250, enhanced: null, text: '1.2.3 not a status' }],
  [['250 2.0.0.1 neither'], { code: 250, enhanced: null, text: '2.0.0.1 neither' }],
  [['550 5.1.1 a\u0000b\u001b[31m'], { code: 550, enhanced: '5.1.1', text: 'a b [31m' }],
])('%j is a reply', (lines, reply) => {
  expect(parseReply(lines)).toEqual(reply);
});

test.each([
  [[]],
  [['']],
  [['hello']],
  [['99 too short']],
  [['600 no such class']],
  [['100 nor this']],
  [['250-never ends']],
  [['250 ends', '250 too early']],
  [['250-one', '550 two']],
  [['2500 digits']],
  [['250\tTAB']],
])('%j is not a reply', (lines) => {
  expect(parseReply(lines)).toBeNull();
});

test('the text of a reply is limited', () => {
  expect(parseReply([`550 ${'x'.repeat(100_000)}`])?.text).toHaveLength(1000);
});

test.each<[SmtpStage, string, string]>([
  // Accepted.
  ['rcpt', '250 2.1.5 OK', 'accepted - message'],
  ['data', '354 go ahead', 'accepted - message'],
  ['body', '250 2.0.0 queued', 'accepted - message'],

  // The address does not exist.
  ['rcpt', '550 5.1.1 No such user', 'bounced recipient recipient suppress'],
  ['rcpt', '550 5.1.2 Bad host', 'bounced recipient recipient suppress'],
  ['rcpt', '501 5.1.3 Bad syntax', 'bounced recipient recipient suppress'],
  ['rcpt', '551 5.1.6 Moved away', 'bounced recipient recipient suppress'],
  ['rcpt', '556 5.1.10 Null MX', 'bounced recipient recipient suppress'],
  ['body', '550 5.1.1 No such user', 'bounced recipient message suppress'],
  ['rcpt', '550 user unknown', 'bounced recipient recipient suppress'],
  ['rcpt', '550 Unknown user bob@spamcop.example', 'bounced recipient recipient suppress'],
  ['rcpt', '550 <bob@example.org>: No such user here', 'bounced recipient recipient suppress'],
  ['rcpt', '550 Recipient <bob@example.org> does not exist', 'bounced recipient recipient suppress'],
  ['rcpt', "550 This mailbox doesn't exist", 'bounced recipient recipient suppress'],
  ['rcpt', '550 Invalid recipient', 'bounced recipient recipient suppress'],
  ['rcpt', '550 5.0.0 User unknown', 'bounced recipient recipient suppress'],
  ['rcpt', '550 5.1.0 Address unknown: no such mailbox', 'bounced recipient recipient suppress'],

  // The address may exist, so the message bounces but the address is not suppressed.
  ['rcpt', '550 mailbox unavailable', 'bounced recipient recipient'],
  ['rcpt', '550 5.1.0 Address rejected', 'bounced recipient recipient'],
  ['rcpt', '550 5.1.4 Ambiguous', 'bounced recipient recipient'],
  ['rcpt', '553 user unknown', 'bounced recipient recipient'],
  ['rcpt', '550 5.2.1 Mailbox disabled, user unknown', 'bounced recipient recipient'],
  ['rcpt', '552 5.2.2 Mailbox full', 'bounced recipient recipient'],
  ['rcpt', '550 5.4.1 Recipient address rejected: Access denied', 'bounced server recipient'],
  ['rcpt', '550 5.5.0 Requested action not taken: mailbox unavailable', 'bounced server recipient'],
  ['rcpt', '550 5.7.17 Mailbox owner has changed', 'bounced recipient recipient'],

  // Policy concerns the sender, whatever the text says.
  ['rcpt', '550 5.7.1 No such user', 'bounced sender recipient'],
  ['rcpt', '550 5.7.1 Relaying denied', 'bounced sender recipient'],
  ['rcpt', '554 5.7.1 Blocked using zen.spamhaus.org', 'bounced sender recipient'],
  ['rcpt', '550 unknown user, blocked by policy', 'bounced sender recipient'],
  ['rcpt', '550 blocked by our reputation filter', 'bounced sender recipient'],
  ['rcpt', '550 5.1.8 Bad sender system', 'bounced sender recipient'],
  ['mail', '550 5.1.1 Sender unknown', 'bounced sender message'],
  ['mail', '553 5.1.7 Bad sender address', 'bounced sender message'],
  ['mail', '550 user unknown', 'bounced sender message'],
  ['mail', '554 5.7.1 Go away', 'bounced sender message'],

  // The server rejects the message itself.
  ['mail', '552 5.3.4 Message too big', 'bounced message message'],
  ['mail', '552 too big', 'bounced message message'],
  ['rcpt', '552 5.2.3 Too long for this mailbox', 'bounced message recipient'],
  ['body', '554 5.6.0 Malformed', 'bounced message message'],
  ['body', '550 5.7.1 Looks like spam', 'bounced message message'],
  ['body', '554 Transaction failed', 'bounced message message'],
  ['data', '554 no valid recipients', 'bounced message message'],

  // Temporary, for this recipient or message only.
  ['rcpt', '450 4.2.0 Greylisted', 'deferred recipient recipient'],
  ['rcpt', '450 try again', 'deferred recipient recipient'],
  ['rcpt', '452 4.2.2 Mailbox full', 'deferred recipient recipient'],
  ['rcpt', '451 4.7.1 Try later', 'deferred sender recipient'],
  ['rcpt', '452 4.3.1 Out of storage', 'deferred server recipient'],
  ['rcpt', '450 4.1.1 user unknown', 'deferred recipient recipient'],
  ['body', '451 4.7.0 Temporary', 'deferred message message'],
  ['body', '451 local error', 'deferred server message'],

  // Temporary, for the whole server.
  ['rcpt', '421 4.7.0 Closing', 'deferred server session'],
  ['body', '421 Closing', 'deferred server session'],
  ['body', '452 4.3.1 Disk full', 'deferred server session'],
  ['connect', '554 No service here', 'deferred server session'],
  ['greeting', '421 Busy', 'deferred server session'],
  ['greeting', '554 5.7.1 Your address is blocked', 'deferred server session'],
  ['ehlo', '550 Who are you', 'deferred server session'],
  ['tls', '454 4.7.0 Not now', 'deferred server session'],
  ['auth', '535 5.7.8 Wrong password', 'deferred sender session'],
  ['auth', '454 4.7.0 Temporary', 'deferred sender session'],
  ['mail', '451 4.3.0 Try later', 'deferred server session'],
  ['mail', '450 4.7.1 Too fast', 'deferred server session'],
  ['mail', '451 later', 'deferred server session'],
  ['mail', '530 5.7.0 Authentication required', 'deferred sender session'],
  ['rcpt', '530 Must issue STARTTLS first', 'deferred sender session'],
  ['mail', '503 5.5.1 Bad sequence', 'deferred server session'],
])('at %s, "%s" is %s', (stage, line, expected) => {
  const { outcome, fault, scope, suppress } = classifyReply(parseReply([line])!, stage);
  expect([outcome, fault ?? '-', scope, suppress ? 'suppress' : ''].join(' ').trim()).toBe(expected);
});

test('unknown codes count as a server error', () => {
  for (const code of [0, 199, 600, 999]) {
    const judgement = classifyReply({ code, enhanced: null, text: 'user unknown' }, 'rcpt');
    expect(judgement).toEqual({ outcome: 'deferred', fault: 'server', scope: 'session', suppress: false });
  }
});

test('classifying any text takes linear time', () => {
  for (const text of [
    'user '.repeat(200),
    'no such '.repeat(125),
    `user${' '.repeat(990)}`,
    '<'.repeat(1000),
  ]) {
    classifyReply({ code: 550, enhanced: null, text: text.repeat(1000) }, 'rcpt');
  }
});
