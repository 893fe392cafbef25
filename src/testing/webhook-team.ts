import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from './test-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Responses are untyped, as in `Call`. */
// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any;

export interface WebhookTeam extends TestTeam {
  hook: { id: string; secret: string };
  addHook(url: string): Promise<{ id: string; secret: string }>;
  getHook(): Promise<Shown>;
  /** Returns the delivery of the test event. */
  sendTest(): Promise<Shown>;
  /** Returns the delivery once this many attempts are recorded. */
  getCall(callId: string, attempts: number): Promise<Shown>;
  /** Makes deferred deliveries due now. */
  moveClock(): Promise<void>;
}

export interface WebhookWorld {
  server: TestServer;
  receiver: WebhookReceiver;
  close(): Promise<void>;
}

/** Starts a server that may send to the receiver, which is on a private address. */
export async function startWebhookWorld(): Promise<WebhookWorld> {
  const server = await startTestServer({
    doors: ['http', 'worker'],
    env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const receiver = await startWebhookReceiver();
  return {
    server,
    receiver,
    async close() {
      await server.close();
      await receiver.close();
    },
  };
}

/** Creates a team with one webhook that receives all events. */
export async function createWebhookTeam(server: TestServer, url: string): Promise<WebhookTeam> {
  const team = await server.createTeam();
  const addHook: WebhookTeam['addHook'] = async (to) => {
    const { status, body } = await team.call('POST', '/webhooks', { url: to, events: ['*'] });
    expect(status).toBe(200);
    return body;
  };
  const hook = await addHook(url);
  const path = `/webhooks/${hook.id}`;
  return {
    ...team,
    hook,
    addHook,
    getHook: async () => (await team.call('GET', path)).body,
    async sendTest() {
      const { status, body } = await team.call('POST', `${path}/test`);
      expect(status).toBe(200);
      return body;
    },
    async getCall(callId, attempts) {
      for (;;) {
        const { body } = await team.call('GET', `${path}/calls/${callId}`);
        if (body.attemptCount >= attempts) return body;
        await wait(20);
      }
    },
    async moveClock() {
      await sql`update webhooks set rests_until = now() where team_id = ${team.teamId}`.execute(server.db);
      await sql`update webhook_calls set due_at = now() where team_id = ${team.teamId}`.execute(server.db);
    },
  };
}
