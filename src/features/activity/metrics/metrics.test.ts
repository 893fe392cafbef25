import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMetricNames, readMetrics, type ReadMetrics } from '../../../testing/read-metrics.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

// Both processes decrypt the keys of domains.
const INSTANCE_SECRET = 'ab'.repeat(32);
let server: TestServer;
let worker: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'smtp'], env: { INSTANCE_SECRET } });
  worker = await startWorker();
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
  await team.call('POST', '/mailboxes', { address: 'desk@shop.test', name: 'Desk' });
});
afterAll(async () => {
  await worker.close();
  await server.close();
});

function startWorker(): Promise<TestServer> {
  const env = { INSTANCE_SECRET, METRICS_PORT: '9464' };
  return startTestServer({ databaseUrl: server.config.databaseUrl!, doors: ['worker'], env });
}

async function send(more: object = {}): Promise<void> {
  const email = { from: 'a@shop.test', to: 'ada@gmail.com', subject: 'x', text: 'x', ...more };
  expect((await team.call('POST', '/emails', email)).status).toBe(200);
}

async function receive(to: string): Promise<void> {
  const options = { host: '127.0.0.1', port: server.smtpPort, ignoreTLS: true };
  const message = { from: 'charles@elsewhere.test', to, subject: 'Hello', text: 'Hi' };
  await nodemailer.createTransport(options).sendMail(message);
}

function read(url: string): Promise<ReadMetrics> {
  return readMetrics(`${url}/metrics`);
}

test('a process without HTTP shows attempts, signing, connections and memory on METRICS_PORT', async () => {
  await send();
  const attempts =
    'posthorn_delivery_attempts_total{transport="sandbox",destination="google",outcome="delivered"}';
  await expect.poll(async () => (await read(worker.metricsUrl)).get(attempts)).toBe(1);
  const metrics = await read(worker.metricsUrl);
  expect(metrics.get('posthorn_signing_seconds_count')).toBe(1);
  expect(metrics.get('posthorn_delivery_attempt_seconds_count{transport="sandbox"}')).toBe(1);
  for (const pool of ['main', 'worker', 'urgent'])
    expect(metrics.has(`posthorn_database_connections{pool="${pool}",state="busy"}`)).toBe(true);
  expect(metrics.has('posthorn_threads{pool="offload",state="waiting"}')).toBe(true);
  expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(metrics.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  expect(metrics.has('posthorn_http_request_seconds_count')).toBe(false);
});

test('METRICS_PORT follows the access rules of /metrics, and answers health checks', async () => {
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.9' } };
  expect((await fetch(`${worker.metricsUrl}/metrics`, forwarded)).status).toBe(404);
  expect((await fetch(`${worker.metricsUrl}/api/v1/domains`)).status).toBe(404);
  const health = await fetch(`${worker.metricsUrl}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
});

test('received mail is counted by verdict', async () => {
  await receive('desk@shop.test');
  await expect(receive('nobody@shop.test')).rejects.toMatchObject({ responseCode: 550 });
  const metrics = await read(server.url);
  expect(metrics.get('posthorn_smtp_messages_total{port="inbound",verdict="accepted"}')).toBe(1);
  expect(metrics.get('posthorn_smtp_messages_total{port="inbound",verdict="refused"}')).toBe(0);
  expect(metrics.get('posthorn_inbound_accepted_total{folder="inbox"}')).toBe(1);
  expect(metrics.get('posthorn_smtp_refused_commands_total{port="inbound",command="rcpt"}')).toBe(1);
});

test('every process shows what waits in the queue, its age, and the lag of webhooks', async () => {
  await worker.close();
  await send();
  await send({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
  await team.call('POST', '/webhooks', { url: 'https://hooks.example.com/', events: ['contact.created'] });
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
  await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.com' });
  await sql`update deliveries set due_at = now() - interval '5 minutes'`.execute(server.db);
  await sql`update webhook_calls set due_at = now() - interval '5 minutes'`.execute(server.db);

  const due = 'posthorn_queue_deliveries{kind="transactional",state="due"}';
  await expect.poll(async () => (await read(server.url)).get(due)).toBe(1);
  const metrics = await read(server.url);
  expect(metrics.get('posthorn_queue_deliveries{kind="scheduled",state="later"}')).toBe(1);
  expect(metrics.get('posthorn_queue_deliveries{kind="bulk",state="due"}')).toBe(0);
  expect(metrics.get('posthorn_queue_oldest_seconds{kind="transactional"}')).toBeGreaterThan(290);
  expect(metrics.get('posthorn_queue_oldest_seconds{kind="scheduled"}')).toBe(0);
  expect(metrics.get('posthorn_webhook_calls_waiting')).toBe(1);
  expect(metrics.get('posthorn_webhook_lag_seconds')).toBeGreaterThan(290);
  expect(metrics.get('posthorn_relays_failing')).toBe(0);
  worker = await startWorker();
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test.skipIf(!hasPromtool)('promtool finds nothing to object to', async () => {
  for (const url of [server.url, worker.metricsUrl]) {
    const input = await (await fetch(`${url}/metrics`)).text();
    expect(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('');
  }
});

const MONITORING = ['alerts.yaml', 'grafana-dashboard.json'];

function readMonitoring(file: string): string {
  return readFileSync(new URL(`../../../../docs/monitoring/${file}`, import.meta.url), 'utf8');
}

async function readNames(): Promise<string[]> {
  const urls = [server.url, worker.metricsUrl];
  return (await Promise.all(urls.map((url) => readMetricNames(`${url}/metrics`)))).flat();
}

test.each(MONITORING)('every metric that docs/monitoring/%s uses exists', async (file) => {
  const existing = new Set(await readNames());
  const used = new Set(readMonitoring(file).match(/\b(?:posthorn|nodejs|process)_[a-z0-9_]+/g));
  expect(used.size).toBeGreaterThan(10);
  const isUnknown = (name: string) =>
    !existing.has(name) && !existing.has(name.replace(/_(bucket|count)$/, ''));
  expect([...used].filter(isUnknown)).toEqual([]);
});

test('the dashboard shows every metric of Posthorn', async () => {
  const dashboard = readMonitoring('grafana-dashboard.json');
  const own = (await readNames()).filter((name) => name.startsWith('posthorn_'));
  expect(own.filter((name) => !dashboard.includes(name))).toEqual([]);
});

test.skipIf(!hasPromtool)('promtool accepts the alert rules', () => {
  const file = new URL('../../../../docs/monitoring/alerts.yaml', import.meta.url).pathname;
  expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
});
