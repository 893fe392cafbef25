import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OUTWARD_ADDRESS } from '../../testing/outward-address.ts';
import { openTestSession, testMessage } from '../../testing/clients/smtp-session.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { isThisMachine } from './auth.ts';
import type { OpenResult, SmtpOptions, SmtpTarget } from './client.ts';
import type { SmtpSession } from './session.ts';

let sink: SmtpSink;
let implicit: SmtpSink;
const sessions: SmtpSession[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
  implicit = await startSmtpSink({ implicitTls: true });
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  sink.reset();
});
afterAll(() => Promise.all([sink.close(), implicit.close()]));

async function open(target: Partial<SmtpTarget> = {}, options: SmtpOptions = {}): Promise<OpenResult> {
  const result = await openTestSession(sink, target, options);
  if (result.session) sessions.push(result.session);
  return result;
}

describe('TLS', () => {
  const verified = { verifyCertificate: true, servername: 'mx.example.test' } as const;

  test('STARTTLS is used when offered, and EHLO is repeated', async () => {
    sink.behave({ starttls: 'offered' });
    const { session } = await open({ tls: 'starttls-if-offered' });
    expect(session!.isSecured).toBe(true);
    await session!.send(testMessage());
    expect(sink.messages[0]!.isSecured).toBe(true);
    expect(sink.commands.filter((line) => line.startsWith('EHLO'))).toHaveLength(2);
  });

  test('without STARTTLS mail is sent in plain text, unless TLS is required', async () => {
    expect((await open({ tls: 'starttls-if-offered' })).session!.isSecured).toBe(false);
    expect((await open({ tls: 'starttls-required' })).failure).toMatchObject({
      stage: 'tls',
      temporary: true,
      wholeSession: true,
    });
  });

  test('a message that requires TLS goes only to a verified server that offers REQUIRETLS', async () => {
    sink.behave({ starttls: 'offered', extensions: ['PIPELINING', 'REQUIRETLS'] });
    const message = testMessage({ requiresTls: true });
    const { session } = await open({ ...verified, tls: 'starttls-required' });
    expect((await session!.send(message)).failure).toBeNull();
    expect(sink.messages[0]!.parameters).toContain('REQUIRETLS');

    const unverified = await open({ tls: 'starttls-required' });
    expect((await unverified.session!.send(message)).failure).toMatchObject({
      enhanced: '5.7.30',
      temporary: false,
    });
    sink.behave({ extensions: ['PIPELINING'] });
    const without = await open({ ...verified, tls: 'starttls-required' });
    expect((await without.session!.send(message)).failure).toMatchObject({ enhanced: '5.7.30' });
    expect(sink.messages).toHaveLength(1);
  });

  test('a verified certificate must be for the name and from a trusted authority', async () => {
    sink.behave({ starttls: 'offered' });
    const tls = 'starttls-required';
    expect((await open({ ...verified, tls })).session!.isSecured).toBe(true);
    const wrongName = await open({ ...verified, tls, servername: 'mx.elsewhere.test' });
    expect(wrongName.failure).toMatchObject({ stage: 'tls', temporary: true });
    expect(wrongName.failure!.cause).toContain('mx.elsewhere.test');
    expect((await open({ ...verified, tls }, { ca: undefined })).failure).toMatchObject({ stage: 'tls' });
    expect((await open({ ...verified, tls, servername: '127.0.0.1' })).session!.isSecured).toBe(true);
  });

  test('a broken handshake falls back to plain text on a new connection', async () => {
    sink.behave({ starttls: 'broken' });
    const before = sink.connections.total;
    const { session } = await open({ tls: 'starttls-if-offered' });
    expect(session!.isSecured).toBe(false);
    expect(sink.connections.total).toBe(before + 2);
    expect((await session!.send(testMessage())).data!.code).toBe(250);
  });

  test('a 454 to STARTTLS falls back too', async () => {
    sink.behave({ starttls: 'offered', replies: { STARTTLS: '454 4.7.0 Not now' } });
    expect((await open({ tls: 'starttls-if-offered' })).session!.isSecured).toBe(false);
  });

  test('there is no fallback with a password, a certificate to verify, or TLS required', async () => {
    sink.behave({ starttls: 'broken', auth: { user: 'u', pass: 'p' } });
    const tls = 'starttls-if-offered';
    for (const target of [
      { tls, auth: { user: 'u', pass: 'p' } },
      { tls, ...verified },
      { tls: 'starttls-required' },
    ] as const)
      expect((await open(target)).failure).toMatchObject({ stage: 'tls', temporary: true });
    expect(sink.commands.some((line) => line.startsWith('AUTH'))).toBe(false);
  });

  test('a reply injected after "220 go ahead" closes the connection', async () => {
    sink.behave({ starttls: 'injecting' });
    for (const tls of ['starttls-if-offered', 'starttls-required'] as const)
      expect((await open({ tls })).failure).toMatchObject({
        stage: 'tls',
        cause: 'the server sent data before the TLS handshake',
      });
  });

  test('implicit TLS works, and fails with a server that speaks plain text', async () => {
    const { session } = await open({ tls: 'implicit', port: implicit.port, ...verified });
    expect(session!.isSecured).toBe(true);
    expect((await session!.send(testMessage())).data!.code).toBe(250);
    expect(implicit.messages[0]!.isSecured).toBe(true);
    expect((await open({ tls: 'implicit' })).failure).toMatchObject({ stage: 'tls', temporary: true });
  });
});

describe('AUTH', () => {
  const auth = { user: 'üser', pass: 'sécret' };

  test.each([[['PLAIN', 'LOGIN']], [['LOGIN']]])('signs in with %s', async (authMechanisms) => {
    sink.behave({ auth, authMechanisms });
    const { session } = await open({ auth });
    await session!.send(testMessage());
    expect(sink.messages[0]!.user).toBe('üser');
  });

  test('a wrong password defers the message', async () => {
    sink.behave({ auth });
    expect((await open({ auth: { ...auth, pass: 'x' } })).failure).toMatchObject({
      stage: 'auth',
      reply: { code: 535, enhanced: '5.7.8' },
      temporary: true,
      wholeSession: true,
    });
  });

  test.skipIf(!OUTWARD_ADDRESS)(
    'sends the password over the network only with a valid certificate',
    async () => {
      const far = await startSmtpSink({ host: OUTWARD_ADDRESS!, behaviour: { auth, starttls: 'offered' } });
      const target = { host: far.host, port: far.port, tls: 'starttls-if-offered', auth } as const;
      expect((await open({ ...target, servername: 'mx.elsewhere.test' })).failure).toMatchObject({
        stage: 'tls',
        cause: expect.stringContaining('the certificate is not valid for mx.elsewhere.test'),
        temporary: true,
        wholeSession: true,
      });
      expect(far.commands.some((line) => line.startsWith('AUTH'))).toBe(false);
      expect((await open(target)).session!.isSecured).toBe(true);
      const unverified = { ca: undefined, allowUnverifiedAuth: true };
      expect((await open(target, unverified)).session!.isSecured).toBe(true);
      await far.close();
    },
  );

  test('a server without a supported AUTH mechanism is a failure', async () => {
    expect((await open({ auth })).failure).toMatchObject({ stage: 'auth', reply: null });
    sink.behave({ auth, authMechanisms: ['CRAM-MD5'] });
    expect((await open({ auth })).failure).toMatchObject({ stage: 'auth', reply: null });
  });
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.0.2.7', false],
  ['127.example.com', false],
  ['2001:db8::1', false],
  [undefined, false],
])('a password may go to %s without TLS: %s', (address, expected) => {
  expect(isThisMachine(address)).toBe(expected);
});
