import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

test('mail from a deleted domain bounces, even if the worker has the domain in its cache', async () => {
  const { call } = await server.createTeam();
  const { id } = (await call('POST', '/domains', { name: 'shop.test' })).body;
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${id}`.execute(server.db);
  sink.behave({ replies: { DOT: '451 4.3.0 Try later' } });
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
  const { emailId } = (await call('POST', '/emails', email)).body;
  const read = async () => (await call('GET', `/emails/${emailId}`)).body;
  const polled = { timeout: 15_000, interval: 100 };
  await expect.poll(async () => (await read()).status, polled).toBe('DELIVERY_DELAYED');

  expect((await call('DELETE', `/domains/${id}`)).status).toBe(200);
  const statusAfterRetry = async () => {
    await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
    return (await read()).status;
  };
  await expect.poll(statusAfterRetry, polled).toBe('BOUNCED');
  expect((await read()).emailEvents.at(-1).data.reason).toBe('The sending domain was deleted.');
});
