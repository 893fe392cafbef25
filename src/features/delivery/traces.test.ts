import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { freePorts } from '../../testing/servers/free-ports.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import {
  startTraceCollector,
  type ReceivedSpan,
  type TraceCollector,
} from '../../testing/servers/trace-collector.ts';

const INSTANCE_SECRET = 'ab'.repeat(32);
const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const open: { close(): Promise<void> }[] = [];

async function closeAll(): Promise<void> {
  for (const one of open.splice(0).toReversed()) await one.close();
}
afterEach(closeAll);

async function startAll(
  env: Record<string, string>,
): Promise<{ server: TestServer; team: TestTeam; sink: SmtpSink; lines: string[] }> {
  const sink = await startSmtpSink();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const all = {
    INSTANCE_SECRET,
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    ...env,
  };
  const server = await startTestServer({ env: all, log });
  const databaseUrl = server.config.databaseUrl!;
  const worker = await startTestServer({ databaseUrl, doors: ['worker'], env: all });
  open.push(sink, server, worker);
  const team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
  return { server, team, sink, lines };
}

async function startCollector(): Promise<TraceCollector> {
  const collector = await startTraceCollector();
  open.push(collector);
  return collector;
}

async function send(team: TestTeam, headers: Record<string, string> = {}): Promise<string> {
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
  const { status, body } = await team.call('POST', '/emails', email, headers);
  expect(status).toBe(200);
  return body.emailId;
}

function attributesOf({ attributes }: ReceivedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

test('one trace leads from the request of the client to the relay', async () => {
  const collector = await startCollector();
  const { team } = await startAll({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
  });
  const emailId = await send(team, { traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-01` });
  const ours = () => collector.spans.filter(({ traceId }) => traceId === CLIENT.traceId);
  await expect.poll(() => ours().length).toBe(6);
  const spans = new Map(ours().map((span) => [span.name, span]));
  const parents = Object.fromEntries(
    [...spans.values()].map(({ name, parentSpanId }) => [
      name,
      ours().find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId,
    ]),
  );
  expect(parents).toEqual({
    'POST /v1/emails': CLIENT.spanId,
    'email.submit': 'POST /v1/emails',
    'delivery.claim': 'email.submit',
    'delivery.attempt': 'email.submit',
    'delivery.sign': 'delivery.attempt',
    'delivery.send': 'delivery.attempt',
  });
  expect(attributesOf(spans.get('POST /v1/emails')!)).toMatchObject({ 'http.response.status_code': '200' });
  expect(attributesOf(spans.get('delivery.attempt')!)).toMatchObject({ 'posthorn.email_id': emailId });
  expect(attributesOf(spans.get('delivery.send')!)).toMatchObject({
    'posthorn.outcome': 'delivered',
    'server.address': '127.0.0.1',
    'smtp.reply_code': '250',
  });
  for (const { startTimeUnixNano, endTimeUnixNano, status } of ours()) {
    expect(status).toEqual({});
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
  }
  expect(collector.requests[0]).toEqual({
    path: '/v1/traces',
    authorization: 'Bearer abc',
    type: 'application/json',
  });
});

test('a trace that the client does not record is not recorded; a refused request is no error', async () => {
  const collector = await startCollector();
  const { server, team, sink } = await startAll({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await send(team, { traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-00` });
  await sink.waitForMessages(1);
  expect((await team.call('POST', '/emails', { subject: 'x' })).status).toBe(400);
  const refused = () => collector.spans.find((span) => attributesOf(span)['error.type'] === 'BAD_REQUEST');
  await expect.poll(refused).toMatchObject({ name: 'POST /v1/emails', status: {} });
  expect(collector.spans.filter(({ traceId }) => traceId === CLIENT.traceId)).toEqual([]);
  const { rows } = await sql<{ traceparent: string }>`select traceparent from emails`.execute(server.db);
  expect(rows).toEqual([{ traceparent: null }]);
});

test('mail is sent while the collector cannot be reached, and the log says so once', async () => {
  const [port] = await freePorts(1);
  const { team, sink, lines } = await startAll({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  const warning = 'traces: the collector does not accept spans; they are dropped';
  await send(team);
  await expect.poll(() => lines).toContain(warning);
  await send(team);
  await sink.waitForMessages(2);
  // Closing tries to send the remaining spans.
  await closeAll();
  expect(lines.filter((line) => line === warning)).toHaveLength(1);
});
