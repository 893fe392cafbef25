import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/test-server.ts';
import type { WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import {
  createWebhookTeam,
  startWebhookWorld,
  type WebhookTeam,
  type WebhookWorld,
} from '../../testing/fixtures/webhook-team.ts';
import { decodeId } from '../../platform/ids.ts';

let world: WebhookWorld;
let server: TestServer;
let receiver: WebhookReceiver;
let team: WebhookTeam;

beforeAll(async () => {
  world = await startWebhookWorld();
  ({ server, receiver } = world);
  // Stands for an event that cannot be written, whatever the reason.
  await sql`
    create function break_event() returns trigger language plpgsql as $$
    begin new.ids := '{"contactId": "con"}'; return new; end $$`.execute(server.db);
  await sql`
    create trigger break_event before insert on webhook_events for each row
    when (new.data ->> 'email' like 'broken%') execute function break_event()`.execute(server.db);
});
afterAll(() => world.close());
beforeEach(async () => {
  receiver.forget();
  receiver.answer(200);
  team = await createWebhookTeam(server, receiver.url);
});

async function addContacts(names: string[]): Promise<void> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'x' });
  const contacts = names.map((name) => ({ email: `${name}@example.com` }));
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts);
}

async function findCall(name: string) {
  const { status, body } = await team.call('GET', `/webhooks/${team.hook.id}/calls`);
  expect(status).toBe(200);
  return body.items.find(({ payload }: { payload: { data: { email: string } } }) =>
    payload.data.email.startsWith(name),
  );
}

async function untilAttempts(name: string, count: number) {
  await expect.poll(async () => (await findCall(name)).attemptCount).toBe(count);
  return findCall(name);
}

/** Makes the next attempt due, as if the wait were over. */
async function endWait(name: string): Promise<void> {
  const id = decodeId('whc', (await findCall(name)).id);
  await sql`update webhook_calls set due_at = now() where id = ${id}`.execute(server.db);
}

async function messages(): Promise<string[]> {
  const { body } = await team.call('GET', '/notices');
  return body.items.map(({ message }: { message: string }) => message);
}

describe.each(['posthorn', 'resend'])('an event that cannot be written in the format %s', (format) => {
  test('is retried with growing gaps and given up with a notice, while others are sent', async () => {
    expect((await team.call('PATCH', `/webhooks/${team.hook.id}`, { format })).status).toBe(200);
    await addContacts(['ada', 'broken', 'grace']);
    await receiver.waitForCalls(2);
    const gaps = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const { status, nextAttemptAt, lastAttempt } = await untilAttempts('broken', attempt);
      expect([status, lastAttempt.error, lastAttempt.statusCode]).toEqual(['waiting', 'internal', null]);
      gaps.push((Date.parse(nextAttemptAt) - Date.parse(lastAttempt.at)) / 1000);
      await endWait('broken');
    }
    for (const [at, seconds] of [5, 30, 120, 600].entries())
      expect(Math.abs(gaps[at]! - seconds)).toBeLessThanOrEqual(seconds / 5 + 1);
    expect(await messages()).toEqual([expect.stringContaining('Some events cannot be sent to the webhook')]);

    await untilAttempts('broken', 5);
    await sql`
      update webhook_calls set first_tried_at = now() - interval '4 days'
      where team_id = ${team.teamId} and status = 'waiting'`.execute(server.db);
    await endWait('broken');
    expect(await untilAttempts('broken', 6)).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(await messages()).toEqual([expect.stringContaining('An event was not sent to the webhook')]);
    // The endpoint has no part in it, so it is neither failing nor paused.
    expect(await team.getHook()).toMatchObject({ status: 'active', failures: 0, notice: null });
    expect(receiver.calls).toHaveLength(2);
  });
});
