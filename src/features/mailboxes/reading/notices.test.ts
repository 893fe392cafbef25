import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import {
  expectDocumentedFields,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../testing/servers/webhook-receiver.ts';

let world: MailWorld;
let sink: SmtpSink;
let receiver: WebhookReceiver;

beforeAll(async () => {
  sink = await startSmtpSink();
  receiver = await startWebhookReceiver();
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
  await receiver.close();
  await sink.close();
});

test('webhooks receive events for received, sent and bounced mailbox messages', async () => {
  const { server, team } = world;
  const { body: domain } = await team.call('GET', '/domains');
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain[0].id}`.execute(server.db);
  const hook = { url: receiver.url, events: ['mailbox.message.*'] };
  expect((await team.call('POST', '/webhooks', hook)).status).toBe(200);
  const box = await world.createMailbox('crew');

  await world.write(box.address, rawMail({ subject: 'Lunch' }));
  const received = (await receiver.waitForCalls(1)).map(({ json }) => json);
  expect(received).toMatchObject([
    { type: 'mailbox.message.received', data: { mailboxId: box.id, subject: 'Lunch' } },
  ]);
  expectDocumentedFields(received);

  receiver.forget();
  sink.behave({ rcptReplies: { 'gone@example.org': '550 5.1.1 No such user' } });
  const { body: sent } = await team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['here@example.org', 'there@example.org', 'gone@example.org'],
    subject: 'Answer',
    text: 'x',
    undo_seconds: 0,
  });
  const notices = (await receiver.waitForCalls(2)).map(({ json }) => json);
  const about = { mailboxId: box.id, messageId: sent.id, threadId: sent.thread_id, subject: 'Answer' };
  expect(notices.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
    { type: 'mailbox.message.bounced', data: { ...about, recipient: 'gone@example.org' } },
    { type: 'mailbox.message.sent', data: about },
  ]);
  expectDocumentedFields(notices);
});
