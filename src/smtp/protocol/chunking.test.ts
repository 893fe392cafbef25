import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../testing/mail-world.ts';
import { openDialogue, type Dialogue } from '../../testing/smtp-dialogue.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld({ env: { MAX_MESSAGE_MB: '1', INBOUND_MAX_MESSAGE_MB: '1' } });
});
afterAll(() => world.close());

async function connect(to: string): Promise<Dialogue> {
  const dialogue = await openDialogue(world.server.smtpPort);
  expect(await dialogue.say('EHLO client.example')).toMatch(/^250[ -]CHUNKING$/m);
  await begin(dialogue, to);
  return dialogue;
}

async function begin(dialogue: Dialogue, to: string): Promise<void> {
  expect(await dialogue.say('MAIL FROM:<ada@example.org>')).toMatch(/^250/);
  expect(await dialogue.say(`RCPT TO:<${to}>`)).toMatch(/^250/);
}

function message(body: string, id = randomBytes(6).toString('hex')): string {
  return `From: ada@example.org\r\nSubject: Chunks\r\nMessage-ID: <${id}@example.org>\r\n\r\n${body}`;
}

/** Sends a chunk and returns the reply. */
function chunk(dialogue: Dialogue, bytes: string | Buffer, last = ''): Promise<string> {
  dialogue.write(`BDAT ${Buffer.byteLength(bytes)}${last}\r\n`);
  dialogue.write(bytes);
  return dialogue.hear();
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function rawOf(mailboxId: string): Promise<string> {
  const [thread] = await world.threads(mailboxId);
  const { messages } = await world.thread(thread!.id);
  return (await world.team.call('GET', `/messages/${messages[0]!.id}/raw`)).body;
}

test('a message in one chunk is stored as it was sent, with lines of dots and what looks like the end of DATA', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await connect(mailbox.address);
  const text = message('.\r\n..\r\nline\r\n.\r\nQUIT\r\nno line end');
  expect(await chunk(dialogue, text, ' LAST')).toMatch(/^250 2\.6\.0 Stored as /);
  expect(await dialogue.say('NOOP')).toMatch(/^250/);
  expect(await rawOf(mailbox.id)).toContain(text);
});

test('chunks in one write with the commands around them get one reply each, in order', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await openDialogue(world.server.smtpPort);
  await dialogue.say('EHLO client.example');
  const text = message('pipelined');
  dialogue.write(
    `MAIL FROM:<ada@example.org>\r\nRCPT TO:<${mailbox.address}>\r\nBDAT 10\r\n${text.slice(0, 10)}` +
      `BDAT ${text.length - 10}\r\n${text.slice(10)}BDAT 0 LAST\r\nNOOP\r\n`,
  );
  const replies = [];
  for (let count = 0; count < 6; count += 1) replies.push((await dialogue.hear()).slice(0, 9));
  expect(replies).toEqual(['250 2.1.0', '250 2.1.5', '250 2.0.0', '250 2.0.0', '250 2.6.0', '250 2.0.0']);
  expect(await world.messageCount(mailbox.id)).toBe(1);
});

test('a message byte by byte in thousands of pipelined chunks arrives whole', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await connect(mailbox.address);
  const text = message('x'.repeat(5_000));
  dialogue.write([...text].map((byte) => `BDAT 1\r\n${byte}`).join(''));
  for (let count = 0; count < text.length; count += 1) expect(await dialogue.hear()).toMatch(/^250/);
  expect(await dialogue.say('BDAT 0 LAST')).toMatch(/^250 2\.6\.0/);
  expect(await rawOf(mailbox.id)).toContain(text);
});

test('every byte of a large message arrives, in chunks that end in the middle of lines', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await connect(mailbox.address);
  const text = message(`${randomBytes(300_000).toString('base64')}\r\n`);
  for (let at = 0; at < text.length; at += 70_001)
    expect(await chunk(dialogue, text.slice(at, at + 70_001))).toMatch(/^250/);
  expect(await dialogue.say('BDAT 0 LAST')).toMatch(/^250 2\.6\.0/);
  const raw = await rawOf(mailbox.id);
  expect(hash(raw.slice(raw.indexOf('From: ada')))).toBe(hash(text));
});

test('the bytes of a rejected chunk are never read as commands', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await openDialogue(world.server.smtpPort);
  await dialogue.say('EHLO client.example');
  const commands = `MAIL FROM:<eve@example.org>\r\nRCPT TO:<${mailbox.address}>\r\n`;
  expect(await chunk(dialogue, commands, ' LAST')).toMatch(/^503 5\.5\.1/);
  expect(await dialogue.say('DATA')).toMatch(/^503/);
  dialogue.drop();
});

test('a message over the limit is rejected with the chunk that exceeds it, and the rest of it with 503', async () => {
  const mailbox = await world.freshMailbox();
  const dialogue = await connect(mailbox.address);
  const part = 'x'.repeat(600_000);
  expect(await chunk(dialogue, message(part))).toMatch(/^250/);
  expect(await chunk(dialogue, part)).toMatch(/^552 5\.3\.4/);
  expect(await chunk(dialogue, part, ' LAST')).toMatch(/^503 5\.5\.1/);
  await begin(dialogue, mailbox.address);
  expect(await chunk(dialogue, message('short'), ' LAST')).toMatch(/^250 2\.6\.0/);
  expect(await world.messageCount(mailbox.id)).toBe(1);
});

test.each(['BDAT', 'BDAT x', 'BDAT -1 LAST', 'BDAT 5 FIRST', 'BDAT 9999999999999999 LAST'])(
  '"%s" ends the connection, because the length of what follows is unknown',
  async (command) => {
    const mailbox = await world.freshMailbox();
    const dialogue = await connect(mailbox.address);
    expect(await dialogue.say(command)).toMatch(/^501 5\.5\.4/);
    await expect(dialogue.say('NOOP')).rejects.toThrow('closed');
  },
);

describe('after a first chunk', () => {
  test('DATA and RCPT are out of order, and the message can still be finished', async () => {
    const mailbox = await world.freshMailbox();
    const dialogue = await connect(mailbox.address);
    await chunk(dialogue, message('first'));
    expect(await dialogue.say('DATA')).toMatch(/^503/);
    expect(await dialogue.say(`RCPT TO:<${mailbox.address}>`)).toMatch(/^503/);
    expect(await chunk(dialogue, 'last', ' LAST')).toMatch(/^250 2\.6\.0/);
  });

  test.each(['RSET', 'EHLO again.example'])('%s abandons the message', async (command) => {
    const mailbox = await world.freshMailbox();
    const dialogue = await connect(mailbox.address);
    await chunk(dialogue, message('abandoned'));
    expect(await dialogue.say(command)).toMatch(/^250/);
    expect(await dialogue.say('BDAT 0 LAST')).toMatch(/^503/);
    await begin(dialogue, mailbox.address);
    expect(await dialogue.say('DATA')).toMatch(/^354/);
    expect(await dialogue.say(`${message('kept')}\r\n.`)).toMatch(/^250 2\.6\.0/);
    expect(await world.messageCount(mailbox.id)).toBe(1);
  });

  test('a lost connection stores nothing, and other connections go on', async () => {
    const mailbox = await world.freshMailbox();
    const dialogue = await connect(mailbox.address);
    await chunk(dialogue, message('lost'));
    dialogue.write('BDAT 100 LAST\r\nhalf');
    dialogue.drop();
    const other = await connect(mailbox.address);
    expect(await chunk(other, message('whole'), ' LAST')).toMatch(/^250 2\.6\.0/);
    expect(await world.messageCount(mailbox.id)).toBe(1);
  });
});

test('the submission port takes chunks, and sends the message', async () => {
  const dialogue = await openDialogue(world.server.submissionPort);
  expect(await dialogue.say('EHLO client.example')).toMatch(/^250[ -]CHUNKING$/m);
  expect(await chunk(dialogue, 'not yet', ' LAST')).toMatch(/^503/);
  const token = Buffer.from(`\0anyone\0${world.team.key}`).toString('base64');
  expect(await dialogue.say(`AUTH PLAIN ${token}`)).toMatch(/^235/);
  expect(await dialogue.say('MAIL FROM:<ada@harbour.test>')).toMatch(/^250/);
  expect(await dialogue.say('RCPT TO:<someone@example.org>')).toMatch(/^250/);
  const text = 'From: ada@harbour.test\r\nSubject: Sent in chunks\r\n\r\nBody\n.\nmore';
  const queued = await chunk(dialogue, text, ' LAST');
  expect(queued).toMatch(/^250 2\.6\.0 Queued as eml_/);
  const { body } = await world.team.call('GET', `/emails/${/eml_\w+/.exec(queued)![0]}`);
  expect(body).toMatchObject({ subject: 'Sent in chunks', to: [] });
});
