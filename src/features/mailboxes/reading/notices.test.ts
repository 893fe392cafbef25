import { sql } from 'kysely';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';

interface Notice {
  type: string;
  data: Record<string, unknown>;
}

let world: MailWorld;
let sink: SmtpSink;
let receiver: Server;
const notices: Notice[] = [];

beforeAll(async () => {
  sink = await startSmtpSink();
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      notices.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  world = await startMailWorld({
    env: {
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
});
afterAll(async () => {
  await world.close();
  receiver.close();
  await sink.close();
});

test('webhooks receive events for received, sent and bounced mailbox messages', async () => {
  const { server, team } = world;
  const { body: domain } = await team.call('GET', '/domains');
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain[0].id}`.execute(server.db);
  const { port } = receiver.address() as AddressInfo;
  const hook = { url: `http://127.0.0.1:${port}/`, events: ['mailbox.*'] };
  expect((await team.call('POST', '/webhooks', hook)).status).toBe(200);
  const box = await world.createMailbox('crew');

  await world.write(box.address, rawMail({ subject: 'Lunch' }));
  await expect
    .poll(() => notices, { timeout: 15_000 })
    .toMatchObject([{ type: 'mailbox.message.received', data: { mailboxId: box.id, subject: 'Lunch' } }]);

  notices.length = 0;
  sink.behave({ rcptReplies: { 'gone@example.org': '550 5.1.1 No such user' } });
  const { body: sent } = await team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['here@example.org', 'there@example.org', 'gone@example.org'],
    subject: 'Answer',
    text: 'x',
    undo_seconds: 0,
  });
  await expect.poll(() => notices.length, { timeout: 15_000 }).toBe(2);
  const about = { mailboxId: box.id, messageId: sent.id, threadId: sent.thread_id, subject: 'Answer' };
  expect(notices.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
    { type: 'mailbox.message.bounced', data: { ...about, recipient: 'gone@example.org' } },
    { type: 'mailbox.message.sent', data: about },
  ]);
});
