/** The data of the last release (write-data.ts), upgraded to this version. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runPosthorn } from '../../src/testing/posthorn-process.ts';
import { startProgram, type RunningProgram } from '../running.ts';
import { readInstance, SAMPLE_KEY } from './sample-data.ts';

let dataDir: string;
let program: RunningProgram;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthorn-upgrade-'));
  const file = resolve('e2e/upgrade/data.backup');
  const restored = await runPosthorn(['restore', file], { DATA_DIR: dataDir });
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  program = await startProgram(dataDir);
  await program.ready();
}, 240_000);
afterAll(async () => {
  await program.stop('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

test('the API shows the data of the last release as that release showed it', async () => {
  const before = JSON.parse(readFileSync('e2e/upgrade/data.json', 'utf8')) as unknown;
  expect(await readInstance(program.call(SAMPLE_KEY))).toEqual(before);
});

test('a search finds mail of the last release, and a draft of it by the words that it has now', async () => {
  const call = program.call(SAMPLE_KEY);
  const [mailbox] = (await call('GET', '/mailboxes')).body.items;
  const search = async (q: string) =>
    (await call('GET', `/mailboxes/${mailbox.id}/threads?q=${q}`)).body.items.map(
      ({ subject }: { subject: string }) => subject,
    );
  expect([await search('lightho'), await search('draft')]).toEqual([['The lighthouse'], ['A draft']]);
  const [draft] = (await call('GET', `/mailboxes/${mailbox.id}/drafts`)).body.items;
  await call('PATCH', `/mailboxes/${mailbox.id}/drafts/${draft.id}`, { subject: 'A plan' });
  expect([await search('draft'), await search('plan')]).toEqual([[], ['A plan']]);
});

test('the upgraded instance goes on: it sends, and a new campaign reaches its contacts', async () => {
  const call = program.call(SAMPLE_KEY);
  const from = 'hello@harbour.test';
  const { body } = await call('POST', '/emails', {
    from,
    to: 'new@example.org',
    subject: 'New',
    text: 'Hello',
  });
  await expect.poll(async () => (await call('GET', `/emails/${body.emailId}`)).body.status).toBe('DELIVERED');
  const [book] = (await call('GET', '/contactBooks')).body;
  const input = { name: 'After', subject: 'After', from, html: '<p>Hello</p>', contactBookId: book.id };
  const { id } = (await call('POST', '/campaigns', input)).body;
  expect((await call('POST', `/campaigns/${id}/schedule`, {})).status).toBe(200);
  await expect
    .poll(async () => (await call('GET', `/campaigns/${id}`)).body)
    .toMatchObject({ status: 'SENT' });
  expect((await call('GET', `/campaigns/${id}/recipients?limit=100`)).body.items).toHaveLength(20);
});
