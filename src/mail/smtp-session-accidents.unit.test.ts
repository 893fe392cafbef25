import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestSession, testMessage as message } from '../testing/smtp-session.ts';
import { CLOSE, SILENCE } from '../testing/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import type { SmtpSession, SmtpTimeouts } from './smtp-session.ts';

let sink: SmtpSink;
const sessions: SmtpSession[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  sink.reset();
});
afterAll(() => sink.close());

async function open(timeouts: Partial<SmtpTimeouts> = {}): Promise<SmtpSession> {
  const { session } = await openTestSession(sink, {}, { timeouts });
  sessions.push(session!);
  return session!;
}

describe('between the body and its reply', () => {
  test('a server that closes in mid-DATA may have had it all', async () => {
    const session = await open();
    sink.behave({ midBody: { afterBytes: 5, answer: CLOSE } });
    expect(await session.send(message())).toMatchObject({
      data: null,
      failure: { stage: 'body', reply: null, temporary: true, wholeSession: true },
      unknown: true,
    });
    expect(session.isUsable).toBe(false);
  });

  test.each([
    ['closes', CLOSE],
    ['goes silent', SILENCE],
  ])('a server that takes the dot and %s leaves it unknown', async (_what, answer) => {
    const session = await open({ dataMs: 100 });
    sink.behave({ replies: { DOT: answer } });
    expect(await session.send(message())).toMatchObject({ failure: { stage: 'body' }, unknown: true });
    expect(sink.refused).toHaveLength(1);
  });

  test('a server that stops reading cannot have taken a message whose dot never left', async () => {
    const session = await open({ dataMs: 200 });
    sink.behave({ midBody: { afterBytes: 1000, answer: SILENCE } });
    const chunks = [Buffer.alloc(30_000_000, 'x'), Buffer.from('\r\n')];
    const result = await session.send({ ...message({ chunks }), size: 0 });
    expect(result).toMatchObject({ failure: { stage: 'body' }, unknown: false });
  });

  test.each([
    ['552 5.3.4 Too big', { stage: 'body', temporary: false, wholeSession: false }],
    ['250 2.0.0 Got it', { stage: 'body', temporary: true, wholeSession: true }],
  ])('an early %s counts as a refusal and ends the session', async (answer, failure) => {
    const session = await open();
    sink.behave({ midBody: { afterBytes: 1000, answer: [answer, SILENCE] } });
    const chunks = [Buffer.alloc(30_000_000, 'x'), Buffer.from('\r\n')];
    expect(await session.send(message({ chunks }))).toMatchObject({ failure, unknown: false });
    expect(session.isUsable).toBe(false);
  });

  test('close in the middle of a message cuts it', async () => {
    const session = await open();
    sink.behave({ replies: { DOT: SILENCE } });
    const sending = session.send(message());
    await expect(session.send(message())).rejects.toThrow('one message at a time');
    await expect.poll(() => sink.refused.length).toBe(1);
    await session.close();
    expect(await sending).toMatchObject({ failure: { cause: 'closed by us' }, unknown: true });
  });
});

describe('a message that goes along with its envelope', () => {
  const ALONG = { extensions: ['PIPELINING', 'CHUNKING'] };

  test.each([
    ['closes in the middle of it', { midBody: { afterBytes: 5, answer: CLOSE } }],
    ['takes it and closes', { replies: { DOT: CLOSE } }],
    ['takes it and goes silent', { replies: { DOT: SILENCE } }],
  ])('is unknown where the server %s', async (_what, behaviour) => {
    sink.behave(ALONG);
    const session = await open({ dataMs: 100 });
    sink.behave(behaviour);
    expect(await session.send(message())).toMatchObject({
      recipients: [{ reply: { code: 250 } }],
      data: null,
      failure: { stage: 'body', reply: null, temporary: true, wholeSession: true },
      unknown: true,
    });
    expect(session.isUsable).toBe(false);
  });

  test.each([
    ['MAIL', '550 5.7.1 Not you'],
    ['RCPT', '550 5.1.1 No such user'],
  ])('is read and thrown away where %s is refused, whatever it looks like', async (moment, answer) => {
    sink.behave(ALONG);
    const session = await open();
    sink.behave({ replies: { [moment]: answer } });
    const smuggled = Buffer.from(
      '\r\n.\r\nMAIL FROM:<evil@x.test>\r\nRCPT TO:<b@x.test>\r\nDATA\r\nspam\r\n.\r\n',
    );
    expect((await session.send(message({ chunks: [smuggled] }))).data).toBeNull();
    expect([...sink.messages, ...sink.refused]).toEqual([]);
    sink.behave({ replies: {} });
    expect(await session.send(message())).toMatchObject({ data: { code: 250 }, failure: null });
    expect(sink.messages).toHaveLength(1);
    expect(sink.commands).not.toContain('MAIL FROM:<evil@x.test>');
  });

  test('is for those of usual size alone: a large one waits until somebody will get it', async () => {
    sink.behave({ ...ALONG, rcptReplies: { 'b@x.test': '550 5.1.1 No such user' } });
    const session = await open();
    await session.send(message({ chunks: [Buffer.alloc(100_000, 'x\r\n')] }));
    expect(sink.commands.filter((line) => /^(BDAT|DATA)/.test(line))).toEqual(['DATA']);
    await session.send(message());
    expect(sink.commands.at(-1)).toMatch(/^BDAT \d+ LAST$/);
  });
});

describe('an empty message is never delivered', () => {
  test.each([
    ['MAIL is refused', { MAIL: '550 5.7.1 Not you', DATA: '354 Go ahead' }],
    ['every RCPT is refused', { RCPT: '550 5.1.1 No such user', DATA: '354 Go ahead' }],
  ])('when %s and DATA is answered with 354 all the same', async (_when, replies) => {
    const session = await open();
    sink.behave({ replies });
    const result = await session.send(message());
    expect(result.data).toBeNull();
    expect(session.isUsable).toBe(false);
    await expect.poll(() => sink.connections.open).toBe(0);
    expect([...sink.messages, ...sink.refused]).toEqual([]);
  });
});

test('when all are refused their replies stand, even where the server then hangs up', async () => {
  const session = await open();
  sink.behave({ replies: { RCPT: '550 5.1.1 No such user', DATA: CLOSE } });
  expect(await session.send(message())).toMatchObject({
    recipients: [{ reply: { code: 550 } }],
    failure: null,
  });
  expect(session.isUsable).toBe(false);
});

test('a 421 to an idle session makes it unusable, and is remembered', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\n421 4.4.2 Idle too long' } });
  const session = await open();
  expect((await session.send(message())).data!.code).toBe(250);
  await expect.poll(() => session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({ reply: { code: 421, enhanced: '4.4.2' } });
});

test('a second answer to one command never counts for the next message', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\n550 5.7.1 Spam' } });
  const session = await open();
  expect((await session.send(message())).failure).toBeNull();
  expect(session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({ temporary: true, wholeSession: true });
  expect(sink.messages).toHaveLength(1);
});

test('garbage behind the answer to a message takes nothing from it', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\nand thanks' } });
  const session = await open();
  expect(await session.send(message())).toMatchObject({ data: { code: 250 }, failure: null, unknown: false });
  expect(session.isUsable).toBe(false);
});

test('a connection that the server cuts while idle is noticed', async () => {
  const session = await open();
  sink.cut();
  await expect.poll(() => session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({
    stage: 'mail',
    cause: 'connection closed',
  });
});
