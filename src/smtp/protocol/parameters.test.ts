import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../testing/mail-world.ts';
import { openDialogue, type Dialogue } from '../../testing/smtp-dialogue.ts';

let world: MailWorld;
let mailbox: { id: string; address: string };

beforeAll(async () => {
  world = await startMailWorld();
  mailbox = await world.freshMailbox();
});
afterAll(() => world.close());

async function connect(port: 'inbound' | 'submission', hello = 'EHLO'): Promise<Dialogue> {
  const { server, team } = world;
  const dialogue = await openDialogue(port === 'inbound' ? server.smtpPort : server.submissionPort);
  await dialogue.say(`${hello} client.example`);
  if (port === 'submission') {
    const token = Buffer.from(`\0anyone\0${team.key}`).toString('base64');
    expect(await dialogue.say(`AUTH PLAIN ${token}`)).toMatch(/^235/);
  }
  return dialogue;
}

async function sayMail(dialogue: Dialogue, parameters: string): Promise<string> {
  const answer = await dialogue.say(`MAIL FROM:<ada@harbour.test>${parameters}`);
  await dialogue.say('RSET');
  return answer;
}

describe.each(['inbound', 'submission'] as const)('on the %s port', (port) => {
  test.each([' FOO', ' FOO=bar', ' MT-PRIORITY=3', ' BY=120;R', ' BODY=BINARYMIME', ' constructor=x'])(
    'MAIL with%s, which is not offered, gets 555',
    async (parameters) => {
      const dialogue = await connect(port);
      expect(await sayMail(dialogue, parameters)).toMatch(/^555 5\.5\.4 /);
      expect(await sayMail(dialogue, ' SIZE=100')).toMatch(/^250 2\.1\.0 /);
      dialogue.drop();
    },
  );

  test.each([
    ' SIZE',
    ' SIZE=-1',
    ' SIZE=1 SIZE=2',
    ' BODY',
    ' BODY=9BIT',
    ' SMTPUTF8=yes',
    ' =x',
    ' SIZE==1',
    ' SIZE=1\u0007',
  ])('MAIL with the bad value in "%s" gets 501', async (parameters) => {
    const dialogue = await connect(port);
    expect(await sayMail(dialogue, parameters)).toMatch(/^501 5\.\d\.\d /);
    dialogue.drop();
  });

  test('RCPT with an unknown parameter gets 555, and the message continues without that recipient', async () => {
    const dialogue = await connect(port);
    await dialogue.say('MAIL FROM:<ada@harbour.test>');
    expect(await dialogue.say(`RCPT TO:<${mailbox.address}> RRVS=2014-04-03T23:01:00Z`)).toMatch(
      /^555 5\.5\.4 /,
    );
    expect(await dialogue.say('DATA')).toMatch(/^503/);
    expect(await dialogue.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^250 2\.1\.5/);
    dialogue.drop();
  });

  test('a client that said HELO was offered no parameters', async () => {
    const dialogue = await openDialogue(world.server.smtpPort);
    await dialogue.say('HELO client.example');
    expect(await sayMail(dialogue, ' SIZE=100')).toMatch(/^555 5\.5\.4 /);
    dialogue.drop();
  });

  test('an address outside ASCII needs SMTPUTF8', async () => {
    const dialogue = await connect(port);
    expect(await dialogue.say('MAIL FROM:<zoë@harbour.test>')).toMatch(/^553 5\.6\.7 /);
    expect(await dialogue.say('MAIL FROM:<ada@bücher.example>')).toMatch(/^553 5\.6\.7 /);
    expect(await dialogue.say('MAIL FROM:<ada@xn--bcher-kva.example>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<zoë@example.org>')).toMatch(/^553 5\.6\.7 /);
    await dialogue.say('RSET');
    expect(await dialogue.say('MAIL FROM:<zoë@harbour.test> SMTPUTF8')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<zoë@example.org>')).toMatch(
      port === 'inbound' ? /^550 5\.1\.1/ : /^250/,
    );
    dialogue.drop();
  });
});

test('AUTH of MAIL is accepted on submission, where AUTH is offered, and rejected on the inbound port', async () => {
  const submission = await connect('submission');
  expect(await sayMail(submission, ' AUTH=<>')).toMatch(/^250/);
  expect(await sayMail(submission, ' AUTH=ada+2Bx@harbour.test')).toMatch(/^250/);
  expect(await sayMail(submission, ' AUTH')).toMatch(/^501/);
  const inbound = await connect('inbound');
  expect(await sayMail(inbound, ' AUTH=<>')).toMatch(/^555/);
});

test('a received message with SMTPUTF8 says so in its Received field', async () => {
  const dialogue = await connect('inbound');
  await dialogue.say('MAIL FROM:<zoë@example.org> SIZE=10 BODY=8BITMIME SMTPUTF8');
  await dialogue.say(`RCPT TO:<${mailbox.address}>`);
  await dialogue.say('DATA');
  const text = 'From: zoë@example.org\r\nSubject: Grüße\r\nMessage-ID: <utf8@example.org>\r\n\r\nHallo\r\n.';
  expect(await dialogue.say(text)).toMatch(/^250/);
  const [thread] = await world.threads(mailbox.id);
  const { messages } = await world.thread(thread!.id);
  expect(messages[0]!.subject).toBe('Grüße');
  const { body: raw } = await world.team.call('GET', `/messages/${messages[0]!.id}/raw`);
  expect(raw).toMatch(/by \S+ with UTF8SMTP id /);
});
