import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

/** More endpoints than a process calls at the same time. */
const HANGING = 45;
/** More calls than an endpoint gets before it rests. */
const EVENTS = 6;
/** Shorter than the time until a hanging endpoint rests. */
const PATIENCE_MS = 40_000;

vi.setConfig({ testTimeout: 90_000 });

let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
beforeEach(async () => {
  receiver.forget();
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
});
afterEach(() => server.close());
afterAll(() => receiver.close());

async function addWebhook(team: TestTeam, path: string): Promise<string> {
  const { status, body } = await team.call('POST', '/webhooks', { url: receiver.url + path, events: ['*'] });
  expect(status).toBe(200);
  return body.id;
}

async function addHanging(team: TestTeam): Promise<void> {
  for (let no = 0; no < HANGING; no++) await addWebhook(team, `/hangs/${no}`);
}

/** Makes events for all webhooks of the team. */
async function makeEvents(team: TestTeam, count: number): Promise<void> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Readers' });
  for (let no = 0; no < count; no++) {
    const contact = { email: `reader-${no}@example.org` };
    expect((await team.call('POST', `/contactBooks/${book.id}/contacts`, contact)).status).toBe(200);
  }
}

function hang(): void {
  receiver.answer((call, response) => {
    if (!call.path.includes('/hangs/')) response.end();
  });
}

async function waitForCall(path: string): Promise<void> {
  const hasCome = () => receiver.calls.some((call) => call.path.endsWith(path));
  await expect.poll(hasCome, { timeout: PATIENCE_MS }).toBe(true);
}

test('endpoints of one team that never respond do not delay the webhooks of another team', async () => {
  const [hostile, other] = [await server.createTeam(), await server.createTeam()];
  hang();
  await addHanging(hostile);
  await addWebhook(other, '/other');
  await makeEvents(hostile, EVENTS);
  await receiver.waitForCalls(10);
  await makeEvents(other, 1);
  await waitForCall('/other');
});

test('endpoints that keep failing do not delay the other webhooks of their team', async () => {
  const team = await server.createTeam();
  receiver.answer(500);
  await addHanging(team);
  await makeEvents(team, 1);
  await receiver.waitForCalls(HANGING);
  receiver.forget();
  hang();
  await makeEvents(team, EVENTS);
  await receiver.waitForCalls(10);
  await addWebhook(team, '/healthy');
  await makeEvents(team, 1);
  await waitForCall('/healthy');
});
