import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { HELD_UP, longestWait } from '../../../testing/longest-wait.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
});
afterAll(() => server.close());

test('other requests are answered while a very large email is composed', async () => {
  const html = `<table>${'<td>&lt;</td>'.repeat(300_000)}</table>`;
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', html };
  const sending = team.call('POST', '/emails', email);
  expect(await longestWait(sending, () => team.call('GET', '/team'))).toBeLessThan(HELD_UP);
  const { emailId } = (await sending).body;
  const { text } = (await team.call('GET', `/emails/${emailId}`)).body;
  expect(text.startsWith('< < < <')).toBe(true);
});

test('other requests are answered while a batch of fifty emails is composed', async () => {
  const html = '<'.repeat(100_000);
  const batch = Array.from({ length: 50 }, () => ({
    from: 'a@shop.test',
    to: 'ada@example.org',
    subject: 'x',
    html,
    tracking: { opens: true, clicks: true },
  }));
  const sending = team.call('POST', '/emails/batch', batch);
  expect(await longestWait(sending, () => team.call('GET', '/team'))).toBeLessThan(HELD_UP);
  expect((await sending).status).toBe(200);
});

test('an email that crashes its worker thread is rejected, and the next one is sent', async () => {
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', html: '<b>x</b>'.repeat(50_000) };
  const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
    void this.terminate();
  });
  const refused = await team.call('POST', '/emails', email);
  post.mockRestore();
  expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE']);
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
});
