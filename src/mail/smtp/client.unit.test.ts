import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestSession, testMessage } from '../../testing/clients/smtp-session.ts';
import { CLOSE, SILENCE } from '../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import type { OpenResult, SmtpOptions, SmtpTarget } from './client.ts';
import type { SmtpSession } from './session.ts';

let sink: SmtpSink;
const sessions: SmtpSession[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await sink.listenAgain();
  sink.reset();
});
afterAll(() => sink.close());

async function open(target: Partial<SmtpTarget> = {}, options: SmtpOptions = {}): Promise<OpenResult> {
  const result = await openTestSession(sink, target, options);
  if (result.session) sessions.push(result.session);
  return result;
}

describe('opening', () => {
  test('a refused connection is temporary and applies to the whole session', async () => {
    await sink.stopListening();
    const { failure } = await open();
    expect(failure).toMatchObject({ stage: 'connect', reply: null, temporary: true, wholeSession: true });
    expect(failure!.cause).toContain('ECONNREFUSED');
  });

  test.each([
    ['421 4.3.2 busy', 421],
    ['554 5.3.2 not here', 554],
  ])('a greeting of %s defers the message', async (greeting, code) => {
    sink.behave({ replies: { CONNECT: [greeting, CLOSE] } });
    expect((await open()).failure).toMatchObject({
      stage: 'greeting',
      reply: { code },
      temporary: true,
      wholeSession: true,
    });
  });

  test.each([
    ['says nothing', SILENCE, 'no reply within 100 ms'],
    ['closes at once', CLOSE, 'connection closed'],
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request', 'not an SMTP reply: "HTTP/1.1 400 Bad Request"'],
    ['sends a line without end', 'x'.repeat(5000), 'the reply line is too long'],
    ['sends a reply without end', '220-on and on\r\n'.repeat(300), 'the reply is too long'],
    ['changes its mind within a reply', '220-yes\r\n554 no', 'not an SMTP reply: "554 no"'],
  ])('a server that %s is a failure', async (_what, answer, cause) => {
    sink.behave({ replies: { CONNECT: answer } });
    const { failure } = await open({}, { timeouts: { greetingMs: 100 } });
    expect(failure).toMatchObject({ stage: 'greeting', cause, temporary: true, wholeSession: true });
  });

  test('a greeting may arrive byte by byte, and the time limit is for the whole greeting', async () => {
    sink.behave({ dripMs: 1, extensions: [] });
    expect((await open()).session!.isUsable).toBe(true);
    sink.behave({ dripMs: 30 });
    expect((await open({}, { timeouts: { greetingMs: 120 } })).failure).toMatchObject({ stage: 'greeting' });
  });

  test('a server without EHLO gets HELO', async () => {
    sink.behave({ replies: { EHLO: '502 5.5.1 What?' } });
    const { session } = await open();
    expect(session!.extensions.size).toBe(0);
    expect((await session!.send(testMessage())).data!.code).toBe(250);
    expect(sink.commands.slice(0, 2)).toEqual(['EHLO client.test', 'HELO client.test']);
  });

  test.each([
    ['192.0.2.1', '[192.0.2.1]'],
    ['[2001:db8::1]', '[IPv6:2001:db8::1]'],
  ])('the local name %s is sent as %s', async (localName, expected) => {
    expect((await open({ localName })).session).toBeTruthy();
    expect(sink.commands[0]).toBe(`EHLO ${expected}`);
  });

  test('a temporary error to EHLO fails the session', async () => {
    sink.behave({ replies: { EHLO: '451 4.3.0 later' } });
    expect((await open()).failure).toMatchObject({ stage: 'ehlo', temporary: true, wholeSession: true });
  });
});

test('close sends QUIT, and the session is no longer usable', async () => {
  const { session } = await open();
  expect(session!.isUsable).toBe(true);
  await session!.close();
  expect(session!.isUsable).toBe(false);
  expect(sink.commands.at(-1)).toBe('QUIT');
});
