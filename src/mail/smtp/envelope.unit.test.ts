import { expect, test } from 'vitest';
import { prepareEnvelope, readExtensions, type OutgoingMessage } from './envelope.ts';

const ALL = ['250-x', '250-SIZE 1000', '250-8BITMIME', '250-SMTPUTF8', '250 PIPELINING'];

function prepare(changes: Partial<OutgoingMessage>, lines = ALL) {
  const message = { mailFrom: 'a@x.test', recipients: ['b@y.test'], chunks: [], smtpUtf8: false, size: 42 };
  return prepareEnvelope({ ...message, ...changes }, readExtensions(lines));
}

test('EHLO lines are read in any case and with any parameters', () => {
  const extensions = readExtensions([
    '250-mx hello',
    '250-Size 10240000',
    '250-AUTH=LOGIN PLAIN',
    '250-auth PLAIN XOAUTH2',
    '250 starttls',
  ]);
  expect([...extensions]).toEqual([
    ['SIZE', '10240000'],
    ['AUTH', 'PLAIN XOAUTH2'],
    ['STARTTLS', ''],
  ]);
});

test('parameters are sent only when offered and needed', () => {
  const ascii = [Buffer.from('abc')];
  const utf8 = [Buffer.from('abc'), Buffer.from('é')];
  expect(prepare({ chunks: ascii }).envelope!.mail).toBe('MAIL FROM:<a@x.test> SIZE=42\r\n');
  expect(prepare({ chunks: utf8 }).envelope!.mail).toBe('MAIL FROM:<a@x.test> SIZE=42 BODY=8BITMIME\r\n');
  expect(prepare({ chunks: utf8 }, ['250 x']).envelope!.mail).toBe('MAIL FROM:<a@x.test>\r\n');
  expect(prepare({ smtpUtf8: true }).envelope!.mail).toBe('MAIL FROM:<a@x.test> SIZE=42 SMTPUTF8\r\n');
  expect(prepare({ mailFrom: '' }).envelope!.mail).toBe('MAIL FROM:<> SIZE=42\r\n');
});

test('an internationalised domain is sent in A-labels; a local part needs SMTPUTF8', () => {
  const idn = prepare({ recipients: ['b@bücher.test'] }, ['250 x']);
  expect(idn.envelope!.rcpts).toEqual(['RCPT TO:<b@xn--bcher-kva.test>\r\n']);
  expect(prepare({ recipients: ['bücher@y.test'] }).envelope).toEqual({
    mail: 'MAIL FROM:<a@x.test> SIZE=42 SMTPUTF8\r\n',
    rcpts: ['RCPT TO:<bücher@y.test>\r\n'],
  });
  expect(prepare({ recipients: ['bücher@y.test'] }, ['250 x']).failure).toMatchObject({
    stage: 'mail',
    reply: null,
    temporary: false,
    wholeSession: false,
  });
});

test('a message that the server would refuse is not offered', () => {
  expect(prepare({ size: 1001 }).failure).toMatchObject({ temporary: false, wholeSession: false });
  expect(prepare({ size: 1001 }, ['250-x', '250 SIZE 0']).failure).toBeNull();
  expect(prepare({ size: 1001 }, ['250-x', '250 SIZE']).failure).toBeNull();
  expect(prepare({ recipients: [] }).failure).not.toBeNull();
});

test.each(['b@y.test>\r\nRCPT TO:<c@y.test', 'b@y.test\n', 'b c@y.test', 'b\0@y.test', '<b@y.test>', ''])(
  'the address %j cannot inject a command',
  (address) => {
    expect(prepare({ recipients: [address] }).failure).toMatchObject({ temporary: false });
    if (address !== '') expect(prepare({ mailFrom: address }).failure).toMatchObject({ temporary: false });
  },
);
