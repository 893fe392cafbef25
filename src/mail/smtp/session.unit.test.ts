import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  testMessage as message,
  trackSessions,
  type TestSessions,
} from '../../testing/clients/smtp-session.ts';
import { CLOSE, SILENCE } from '../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import type { SendResult, SmtpSession, SmtpTimeouts } from './session.ts';

const NO_PIPELINING = ['8BITMIME', 'SMTPUTF8'];

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

function codes(result: SendResult): (number | null)[] {
  return result.recipients.map(({ reply }) => reply?.code ?? null);
}

describe.each([
  ['pipelined', ['PIPELINING', ...NO_PIPELINING]],
  ['step by step', NO_PIPELINING],
  ['with the message inline', ['PIPELINING', 'CHUNKING', ...NO_PIPELINING]],
])('%s', (_how, extensions) => {
  const isInline = extensions.includes('CHUNKING');

  async function openWithExtensions(timeouts?: Partial<SmtpTimeouts>): Promise<SmtpSession> {
    sink.behave({ extensions });
    return sessions.open(timeouts);
  }

  test('messages are sent one after the other on one connection, without RSET', async () => {
    const session = await openWithExtensions();
    for (let index = 0; index < 3; index++) {
      const result = await session.send(message({ recipients: [`r${index}@x.test`, 'c@x.test'] }));
      expect(result).toMatchObject({ data: { code: 250, enhanced: '2.0.0' }, failure: null, unknown: false });
      expect(result.recipients).toMatchObject([
        { address: `r${index}@x.test`, reply: { code: 250 } },
        { address: 'c@x.test', reply: { code: 250, enhanced: '2.1.5', text: 'Recipient ok' } },
      ]);
      expect(session.isUsable).toBe(true);
    }
    expect(sink.messages.map(({ recipients }) => recipients[0])).toEqual([
      'r0@x.test',
      'r1@x.test',
      'r2@x.test',
    ]);
    expect(new Set(sink.messages.map(({ connection }) => connection)).size).toBe(1);
    expect(sink.messages[0]!.data.toString()).toBe('Subject: x\r\n\r\nhello\r\n');
    expect(sink.commands).not.toContain('RSET');
  });

  test('the transcript has every line', async () => {
    const session = await openWithExtensions();
    sink.behave({ rcptReplies: { 'bad@x.test': '550-5.1.1 No such\r\n550 5.1.1 user' } });
    const { transcript } = await session.send(message({ recipients: ['bad@x.test', 'good@x.test'] }));
    expect(transcript.map((line) => line.replace(/(MAIL FROM|RCPT TO):(<[^>]*>).*/, '$1:$2'))).toEqual([
      '(connected to 127.0.0.1)',
      `> MAIL FROM:<${message().mailFrom}>`,
      '< 250 2.1.0 Sender ok',
      '> RCPT TO:<bad@x.test>',
      '< 550 5.1.1 No such user',
      '> RCPT TO:<good@x.test>',
      '< 250 2.1.5 Recipient ok',
      ...(isInline
        ? [`> BDAT ${message().size} LAST`]
        : ['> DATA', expect.stringMatching(/^< 354 /), `> (${message().size} bytes of message)`]),
      expect.stringMatching(/^< 250 2\.0\.0 /),
    ]);
  });

  test('a refused recipient does not affect the others', async () => {
    const session = await openWithExtensions();
    sink.behave({
      rcptReplies: { 'bad@x.test': '550-5.1.1 No such\r\n550 5.1.1 user', 'full@x.test': '452 4.2.2 Full' },
    });
    const result = await session.send(message({ recipients: ['bad@x.test', 'good@x.test', 'full@x.test'] }));
    expect(codes(result)).toEqual([550, 250, 452]);
    expect(result.recipients[0]!.reply).toEqual({ code: 550, enhanced: '5.1.1', text: 'No such\nuser' });
    expect(result).toMatchObject({ data: { code: 250 }, failure: null });
    expect(sink.messages[0]!.recipients).toEqual(['good@x.test']);
  });

  test('when all are refused nothing is delivered, and the next message starts with RSET', async () => {
    const session = await openWithExtensions();
    sink.behave({ rcptReplies: { 'bad@x.test': '550 5.1.1 No such user' } });
    const result = await session.send(message({ recipients: ['bad@x.test'] }));
    expect(result).toMatchObject({ recipients: [{ reply: { code: 550 } }], data: null, failure: null });
    expect(session.isUsable).toBe(true);
    expect((await session.send(message())).data!.code).toBe(250);
    expect(sink.messages).toHaveLength(1);
    expect(sink.commands).toContain('RSET');
  });

  test('a permanent refusal of MAIL concerns the message, a temporary one the session', async () => {
    const session = await openWithExtensions();
    sink.behave({ replies: { MAIL: '550 5.7.1 Not you' } });
    expect(await session.send(message())).toMatchObject({
      recipients: [{ reply: null }],
      failure: { stage: 'mail', reply: { code: 550 }, temporary: false, wholeSession: false },
    });
    sink.behave({ replies: { MAIL: '451 4.7.1 Too fast' } });
    expect((await session.send(message())).failure).toMatchObject({ temporary: true, wholeSession: true });
    sink.behave({ replies: {} });
    expect((await session.send(message())).failure).toBeNull();
    expect(sink.messages).toHaveLength(1);
  });

  test.each(isInline ? [] : ['554 5.7.1 No'])(
    'DATA refused by %s concerns this message only',
    async (answer) => {
      const session = await openWithExtensions();
      sink.behave({ replies: { DATA: answer } });
      expect(await session.send(message())).toMatchObject({
        data: { code: 554 },
        failure: { stage: 'data', temporary: false, wholeSession: false },
      });
      expect(session.isUsable).toBe(true);
    },
  );

  test('the answer to the message concerns this message only', async () => {
    const session = await openWithExtensions();
    sink.behave({ replies: { DOT: '451 4.7.1 Greylisted' } });
    expect(await session.send(message())).toMatchObject({
      recipients: [{ reply: { code: 250 } }],
      data: { code: 451 },
      failure: { stage: 'body', reply: { code: 451 }, temporary: true, wholeSession: false },
      unknown: false,
    });
    sink.behave({ replies: { DOT: '552 5.3.4 Too big' } });
    expect((await session.send(message())).failure).toMatchObject({ stage: 'body', temporary: false });
    sink.behave({ replies: {} });
    expect((await session.send(message())).failure).toBeNull();
    expect(sink.messages).toHaveLength(1);
  });

  test.each(isInline ? ['MAIL', 'RCPT', 'DOT'] : ['MAIL', 'RCPT', 'DATA', 'DOT'])(
    '421 at %s ends the session',
    async (moment) => {
      const session = await openWithExtensions();
      sink.behave({ replies: { [moment]: ['421 4.3.2 Shutting down', CLOSE] } });
      const result = await session.send(message());
      expect(result.failure).toMatchObject({ reply: { code: 421 }, temporary: true, wholeSession: true });
      expect(result.unknown).toBe(false);
      expect(session.isUsable).toBe(false);
      expect((await session.send(message())).failure).toMatchObject({ temporary: true, wholeSession: true });
    },
  );

  test.each([
    ['closes', CLOSE, 'connection closed', isInline],
    ['says nothing', SILENCE, 'no reply within 100 ms', isInline],
    ['says nonsense', 'What? 250', 'not an SMTP reply: "What? 250"', isInline],
    ['says yes out of place', '354 Go on', 'unexpected reply to mail: 354 Go on', false],
  ])('a server that %s at MAIL is a failure', async (_what, answer, cause, unknown) => {
    const session = await openWithExtensions({ commandMs: 100 });
    sink.behave({ replies: { MAIL: answer } });
    const result = await session.send(message());
    expect(result.failure).toMatchObject({ stage: 'mail', cause, temporary: true, wholeSession: true });
    // An inline message may have been accepted although every reply was lost.
    expect(result.unknown).toBe(unknown);
    expect(session.isUsable).toBe(false);
  });

  test('every byte arrives, including dots, in messages of any size', async () => {
    const session = await openWithExtensions();
    const dots = Buffer.from('.\r\n..\r\n.x\r\n\0ü\r\nno end of line');
    for (const body of [dots, Buffer.concat([Buffer.alloc(65_536, 'a\r\n'), dots]), Buffer.alloc(0)]) {
      const result = await session.send(message({ chunks: [Buffer.from('Subject: x\r\n\r\n'), body] }));
      expect(result.failure).toBeNull();
      const arrived = sink.messages.at(-1)!.data;
      const sent = Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), body]);
      expect(arrived.subarray(0, sent.length).equals(sent)).toBe(true);
      // The last line gets a line end.
      const added = body === dots || body.length > 65_536 ? '\r\n' : '';
      expect(arrived.subarray(sent.length).toString()).toBe(added);
    }
    expect(new Set(sink.messages.map(({ connection }) => connection)).size).toBe(1);
  });

  test('replies may arrive byte by byte', async () => {
    const session = await openWithExtensions();
    sink.behave({ dripMs: 1 });
    expect((await session.send(message())).failure).toBeNull();
  });
});
