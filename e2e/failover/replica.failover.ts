/** Two processes read lists from a standby (DATABASE_READ_URL). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiRoutes } from '../../src/http/routes.ts';
import type { Call } from '../../src/testing/test-server.ts';
import { readMetrics } from '../../src/testing/read-metrics.ts';
import { startProgram, type RunningProgram } from '../running.ts';
import { startReplicatedPostgres, type ReplicatedPostgres } from './replicated-postgres.ts';

const POLL = { timeout: 60_000, interval: 200 };
const KEY = 'r'.repeat(40);
const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-replica-'));
let postgres: ReplicatedPostgres;
let programs: RunningProgram[];
let write: Call;
let read: Call;
let bookId: string;

beforeAll(async () => {
  postgres = await startReplicatedPostgres('asynchronous');
  const env = {
    DATABASE_URL: postgres.url,
    DATABASE_READ_URL: postgres.standbyUrl,
    BOOTSTRAP_API_KEY: KEY,
    LOG_LEVEL: 'fatal',
  };
  programs = [];
  for (let at = 0; at < 2; at++) {
    programs.push(await startProgram(dataDir, env, ['--doors', at === 0 ? 'http,worker' : 'http']));
    await programs[at]!.ready();
  }
  write = programs[0]!.call(KEY);
  read = programs[1]!.call(KEY);
  bookId = (await write('POST', '/contactBooks', { name: 'Everyone' })).body.id;
}, 300_000);
afterAll(async () => {
  for (const program of programs) await program.stop('SIGTERM');
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function countReads(server: 'standby' | 'primary'): Promise<number> {
  const metrics = await readMetrics(`${programs[1]!.url}/metrics`);
  return metrics.get(`posthorn_replica_reads_total{server="${server}"}`) ?? 0;
}

async function addAndFind(email: string): Promise<unknown[]> {
  const path = `/contactBooks/${bookId}/contacts`;
  expect((await write('POST', path, { email })).status).toBe(200);
  const { body } = await read('GET', `${path}?email=${email}`);
  return body.items.map((item: { email: string }) => item.email);
}

/** The standby is tried once a second. */
async function readFromStandby(): Promise<void> {
  const before = await countReads('standby');
  await expect
    .poll(async () => (await read('GET', '/emails'), countReads('standby')), POLL)
    .toBeGreaterThan(before);
}

test('a list that the standby answers has what another process was told to be stored', async () => {
  await readFromStandby();
  const before = await countReads('standby');
  for (let at = 0; at < 100; at++)
    expect(await addAndFind(`p${at}@people.test`)).toEqual([`p${at}@people.test`]);
  expect(await countReads('standby')).toBeGreaterThan(before);
});

test('every route that may read from the standby can', async () => {
  const { body: domain } = await write('POST', '/domains', { name: 'news.test' });
  await write('PUT', `/domains/${domain.id}/verify`);
  await postgres.query(`update domains set held = true, status = 'SUCCESS'`);
  const ids: Record<string, string> = { contactBookId: bookId };
  ids.campaignId = (
    await write('POST', '/campaigns', {
      name: 'News',
      from: 'hello@news.test',
      subject: 'News',
      html: '<p>Hi</p>',
      contactBookId: bookId,
    })
  ).body.id;
  const filter = { all: [] };
  const segment = await write('POST', '/segments', { name: 'All', contactBookId: bookId, filter });
  ids.segmentId = segment.body.id;
  ids.webhookId = (
    await write('POST', '/webhooks', { url: 'https://hooks.example.com/a', events: ['email.delivered'] })
  ).body.id;
  ids.id = (await write('POST', '/mailboxes', { address: 'desk@news.test', name: 'Desk' })).body.id;
  ids.contactId = (await write('GET', `/contactBooks/${bookId}/contacts`)).body.items[0].id;
  await readFromStandby();
  const mayLag = apiRoutes.filter((route) => 'readsReplica' in route && route.readsReplica);
  expect(mayLag.length).toBeGreaterThan(10);
  for (const { method, path, operationId } of mayLag) {
    const at = path.slice('/v1'.length).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    const query =
      operationId === 'findPeople' ? '?q=a' : operationId === 'searchContacts' ? '?search=p1' : '';
    const body = method === 'POST' ? { contactBookId: bookId, filter } : undefined;
    const before = await countReads('standby');
    // On a busy machine the standby may be late for a read.
    await expect
      .poll(async () => {
        const { status } = await read(method, at + query, body);
        return { operationId, status, isFromStandby: (await countReads('standby')) > before };
      }, POLL)
      .toEqual({ operationId, status: 200, isFromStandby: true });
  }
});

test('a standby that falls behind is not read until it has caught up', async () => {
  await readFromStandby();
  await postgres.pauseReplay();
  const before = await countReads('standby');
  for (const name of ['late', 'later']) expect(await addAndFind(`${name}@people.test`)).toHaveLength(1);
  expect(await countReads('standby')).toBe(before);
  await postgres.resumeReplay();
  await readFromStandby();
});

test('reading goes on while the standby is away, and returns to it', async () => {
  await readFromStandby();
  await postgres.stopStandby();
  for (const name of ['away', 'still-away']) expect(await addAndFind(`${name}@people.test`)).toHaveLength(1);
  await postgres.startStandby();
  await readFromStandby();
});
