/** What an agent is told by the tools that send, with a real send policy. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectNewClient, type McpClient } from '../../testing/clients/mcp-clients.ts';
import { startMailWorld, type MailWorld } from '../../testing/mail-world.ts';

let world: MailWorld;
let mailbox: { id: string; address: string };
let client: McpClient;

beforeAll(async () => {
  world = await startMailWorld();
  mailbox = await world.freshMailbox();
  await world.receive(mailbox);
  const { body: policy } = await world.team.call('POST', '/send-policies', {
    name: 'Known people',
    mode: 'approve_new',
    recipients: { allow: [], deny: ['rival.example'], threadParticipants: true, contactBookIds: [] },
  });
  const { body: key } = await world.team.call('POST', '/api-keys', {
    name: 'Assistant',
    kind: 'agent',
    policyId: policy.id,
    scopes: ['mail.read', 'mail.draft', 'mail.reply', 'emails.send'],
  });
  client = await connectNewClient(world.server.url, key.key);
});
afterAll(async () => {
  await client.close();
  await world.close();
});

async function pending(): Promise<{ id: string; hash: string }[]> {
  return (await world.team.call('GET', '/approvals?state=pending')).body.items;
}

test('an email to a stranger is held, with what would be allowed, and waits for a person', async () => {
  const email = { from: mailbox.address, to: ['new@example.org'], subject: 'Hello', text: 'Hi' };
  const { id, status, policy } = await client.call('send_email', email);
  expect(status).toBe('held');
  expect(policy).toMatchObject({ rule: expect.any(String), sentence: expect.stringMatching(/\w+ .*\.$/) });
  expect((await client.call('email_status', { email_id: id })).status).not.toBe('DELIVERED');
  expect(await pending()).toHaveLength(1);
});

test('an email to a denied address is blocked, and nobody is asked', async () => {
  const before = await pending();
  const email = { from: mailbox.address, to: ['ceo@rival.example'], subject: 'Hello', text: 'Hi' };
  const { status, policy } = await client.call('send_email', email);
  expect([status, policy.sentence]).toEqual(['blocked', expect.stringContaining('rival.example')]);
  expect(await pending()).toEqual(before);
});

test('a reply into the conversation that was read may go, and arguments that it does not have are refused', async () => {
  const [thread] = await world.threads(mailbox.id);
  await client.call('get_thread', { thread_id: thread!.id });
  const answer = { thread_id: thread!.id, text: 'Thank you.', undo_seconds: 0 };
  await expect(client.call('reply', { ...answer, cc: ['stranger@example.net'] })).rejects.toThrow(
    /BAD_REQUEST.*cc/,
  );
  expect((await world.threads(mailbox.id))[0]).toEqual(thread);
  expect(['accepted', 'waiting']).toContain((await client.call('reply', answer)).status);
});
