import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  testMessage as message,
  trackSessions,
  type TestSessions,
} from '../../testing/clients/smtp-session.ts';
import { CLOSE, SILENCE } from '../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';

let sink: SmtpSink;
let sessions: TestSessions;

beforeAll(async () => {
  sink = await startSmtpSink();
  sessions = trackSessions(sink);
});
afterEach(async () => {
  await sessions.closeAll();
  sink.reset();
});
afterAll(() => sink.close());

describe('between the body and its reply', () => {
  test('the outcome is unknown when a server closes during DATA', async () => {
    const session = await sessions.open();
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
  ])('the outcome is unknown when a server reads the final dot and %s', async (_what, answer) => {
    const session = await sessions.open({ dataMs: 100 });
    sink.behave({ replies: { DOT: answer } });
    expect(await session.send(message())).toMatchObject({ failure: { stage: 'body' }, unknown: true });
    expect(sink.refused).toHaveLength(1);
  });

  test('a server that stops reading cannot have accepted a message whose final dot was not sent', async () => {
    const session = await sessions.open({ dataMs: 200 });
    sink.behave({ midBody: { afterBytes: 1000, answer: SILENCE } });
    const chunks = [Buffer.alloc(30_000_000, 'x'), Buffer.from('\r\n')];
    const result = await session.send({ ...message({ chunks }), size: 0 });
    expect(result).toMatchObject({ failure: { stage: 'body' }, unknown: false });
  });

  test.each([
    ['552 5.3.4 Too big', { stage: 'body', temporary: false, wholeSession: false }],
    ['250 2.0.0 Got it', { stage: 'body', temporary: true, wholeSession: true }],
  ])('an early %s is a refusal and ends the session', async (answer, failure) => {
    const session = await sessions.open();
    sink.behave({ midBody: { afterBytes: 1000, answer: [answer, SILENCE] } });
    const chunks = [Buffer.alloc(30_000_000, 'x'), Buffer.from('\r\n')];
    expect(await session.send(message({ chunks }))).toMatchObject({ failure, unknown: false });
    expect(session.isUsable).toBe(false);
  });

  test('close during a message cuts the connection', async () => {
    const session = await sessions.open();
    sink.behave({ replies: { DOT: SILENCE } });
    const sending = session.send(message());
    await expect(session.send(message())).rejects.toThrow('one message at a time');
    await expect.poll(() => sink.refused.length).toBe(1);
    await session.close();
    expect(await sending).toMatchObject({ failure: { cause: 'closed by us' }, unknown: true });
  });
});

describe('a message that is sent with its envelope', () => {
  const ALONG = { extensions: ['PIPELINING', 'CHUNKING'] };

  test.each([
    ['closes in the middle of it', { midBody: { afterBytes: 5, answer: CLOSE } }],
    ['takes it and closes', { replies: { DOT: CLOSE } }],
    ['takes it and goes silent', { replies: { DOT: SILENCE } }],
  ])('has an unknown outcome when the server %s', async (_what, behaviour) => {
    sink.behave(ALONG);
    const session = await sessions.open({ dataMs: 100 });
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
  ])('is read and discarded when %s is refused, whatever it contains', async (moment, answer) => {
    sink.behave(ALONG);
    const session = await sessions.open();
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

  test('must be small: a large one waits until a recipient is accepted', async () => {
    sink.behave({ ...ALONG, rcptReplies: { 'b@x.test': '550 5.1.1 No such user' } });
    const session = await sessions.open();
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
  ])('when %s and DATA is still answered with 354', async (_when, replies) => {
    const session = await sessions.open();
    sink.behave({ replies });
    const result = await session.send(message());
    expect(result.data).toBeNull();
    expect(session.isUsable).toBe(false);
    await expect.poll(() => sink.connections.open).toBe(0);
    expect([...sink.messages, ...sink.refused]).toEqual([]);
  });
});

test('when all recipients are refused their replies count, even if the server then closes', async () => {
  const session = await sessions.open();
  sink.behave({ replies: { RCPT: '550 5.1.1 No such user', DATA: CLOSE } });
  expect(await session.send(message())).toMatchObject({
    recipients: [{ reply: { code: 550 } }],
    failure: null,
  });
  expect(session.isUsable).toBe(false);
});

test('a 421 to an idle session makes it unusable, and is kept as the reason', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\n421 4.4.2 Idle too long' } });
  const session = await sessions.open();
  expect((await session.send(message())).data!.code).toBe(250);
  await expect.poll(() => session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({ reply: { code: 421, enhanced: '4.4.2' } });
});

test('a second answer to one command never counts for the next message', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\n550 5.7.1 Spam' } });
  const session = await sessions.open();
  expect((await session.send(message())).failure).toBeNull();
  expect(session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({ temporary: true, wholeSession: true });
  expect(sink.messages).toHaveLength(1);
});

test('garbage after the answer to a message does not change its outcome', async () => {
  sink.behave({ replies: { DOT: '250 2.0.0 Ok\r\nand thanks' } });
  const session = await sessions.open();
  expect(await session.send(message())).toMatchObject({ data: { code: 250 }, failure: null, unknown: false });
  expect(session.isUsable).toBe(false);
});

test('a connection that the server cuts while idle is detected', async () => {
  const session = await sessions.open();
  sink.cut();
  await expect.poll(() => session.isUsable).toBe(false);
  expect((await session.send(message())).failure).toMatchObject({
    stage: 'mail',
    cause: 'connection closed',
  });
});
