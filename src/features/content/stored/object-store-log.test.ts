import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordLines } from '../../../testing/record-lines.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { startObjectStore } from '../../../testing/servers/object-store.ts';

const polled = { interval: 50 };
const lines: string[] = [];

let objects: Awaited<ReturnType<typeof startObjectStore>>;
let world: MailWorld;

beforeAll(async () => {
  objects = await startObjectStore();
  world = await startMailWorld({ env: { BLOB_URL: objects.url }, log: recordLines(lines) });
});
afterAll(async () => {
  objects.set('open');
  await world.close();
  objects.close();
});

async function countFailed(operation: string): Promise<number> {
  const metrics = await readMetrics(`${world.server.url}/metrics`);
  const labels = `operation="${operation}",outcome="failed"`;
  return metrics.get(`posthorn_object_store_requests_total{${labels}}`) ?? 0;
}

test('the log has one line when the object store is away and one when it is back, however many requests failed', async () => {
  const box = await world.freshMailbox();
  const text = randomBytes(60_000).toString('base64').replaceAll(/.{76}/g, '$&\n');
  await expect
    .poll(async () => (await world.write(box.address, rawMail({ text }))).data, polled)
    .toMatch(/^250/);
  const [thread] = await world.threads(box.id);
  const { messages } = await world.thread(thread!.id);
  const read = async () => (await world.team.call('GET', `/messages/${messages[0]!.id}/raw`)).status;
  lines.length = 0;
  objects.set('away');
  expect([await read(), await read(), await read()]).toEqual([503, 503, 503]);
  expect(lines).toEqual(['object store: not available']);
  const failed = await countFailed('put');
  const arrive = async () => (await world.write(box.address, rawMail({ text }))).data;
  for (const data of [await arrive(), await arrive()]) expect(data).toMatch(/^451 4\.3\.0 The object store/);
  expect(lines).toEqual(['object store: not available']);
  await expect.poll(() => countFailed('put'), polled).toBeGreaterThan(failed);
  objects.set('open');
  await expect.poll(read, polled).toBe(200);
  expect(await read()).toBe(200);
  expect(lines).toEqual(['object store: not available', 'object store: available again']);
});
