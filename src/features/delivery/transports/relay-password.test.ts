import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OUTWARD_ADDRESS as outward } from '../../../testing/outward-address.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

const RELAY = { starttls: 'offered', auth: { user: 'shop', pass: 'sesame' } } as const;

let server: TestServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Sends a message through the relay and returns its last event. */
async function sendBy(relayUrl: string) {
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: relayUrl },
  });
  const team = await server.createTeam();
  const domain = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.body.id}`.execute(
    server.db,
  );
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
  const { emailId } = (await team.call('POST', '/emails', email)).body;
  const read = async () => (await team.call('GET', `/emails/${emailId}`)).body;
  await expect.poll(async () => (await read()).status).not.toMatch(/QUEUED|SENT/);
  return (await read()).emailEvents.at(-1);
}

describe.skipIf(!outward)('a relay on the network with a self-signed certificate', () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await startSmtpSink({ behaviour: RELAY, host: outward! });
  });
  afterEach(() => sink.reset());
  afterAll(() => sink.close());

  test('does not get the password, and the message waits', async () => {
    const { status, data } = await sendBy(`smtp://shop:sesame@${outward}:${sink.port}`);
    expect(status).toBe('DELIVERY_DELAYED');
    expect(data.reason).toBe(`the certificate is not valid for ${outward}: self-signed certificate`);
    expect(sink.commands.some((line) => line.startsWith('AUTH'))).toBe(false);
  });

  test('gets the password when the URL accepts any certificate', async () => {
    const { status } = await sendBy(`smtp://shop:sesame@${outward}:${sink.port}?tls=unverified`);
    expect(status).toBe('DELIVERED');
    expect(sink.messages[0]).toMatchObject({ user: 'shop', isSecured: true });
  });

  test('gets mail over TLS when there is no password', async () => {
    sink.behave({ auth: null });
    expect((await sendBy(`smtp://${outward}:${sink.port}`)).status).toBe('DELIVERED');
    expect(sink.messages[0]!.isSecured).toBe(true);
  });
});

test('a relay on this machine gets the password with any certificate', async () => {
  const sink = await startSmtpSink({ behaviour: RELAY });
  expect((await sendBy(`smtp://shop:sesame@127.0.0.1:${sink.port}`)).status).toBe('DELIVERED');
  expect(sink.messages[0]).toMatchObject({ user: 'shop', isSecured: true });
  await sink.close();
});

test('implicit TLS accepts any certificate only when the URL says so', async () => {
  const sink = await startSmtpSink({ implicitTls: true });
  const url = `smtps://127.0.0.1:${sink.port}`;
  expect((await sendBy(url)).data.reason).toContain('self-signed certificate');
  await server!.close();
  expect((await sendBy(`${url}?tls=unverified`)).status).toBe('DELIVERED');
  await sink.close();
});
