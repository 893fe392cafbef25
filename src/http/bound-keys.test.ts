/** Calls every operation on mailboxes with a key that is bound to another domain. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';
import type { OpenApi } from './openapi/document.ts';

let server: TestServer;
let team: TestTeam;
let bound: ReturnType<typeof createCall>;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'harbour.test');
  const domainId = await addDomain(server.db, team.teamId, 'second.test');
  const { body } = await team.call('POST', '/api-keys', { name: 'k', permission: 'full', domainId });
  bound = createCall(server.url, body.key);
});
afterAll(() => server.close());

async function create(path: string, input: object) {
  const { status, body } = await team.call('POST', path, input);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

/** Returns the IDs of things that exist, by the part of the path in front of them. */
async function fillMailbox(): Promise<Record<string, string>> {
  const { id } = await create('/mailboxes', { address: 'ada@harbour.test' });
  const of = `/mailboxes/${id}`;
  const later = { send_at: new Date(Date.now() + 86_400_000).toISOString() };
  const message = { to: ['bob@harbour.test'], subject: 'x', text: 'x', ...later };
  const waiting = await create(`${of}/messages`, message);
  const file = { filename: 'a.txt', content: 'eA==' };
  return {
    mailboxes: id,
    drafts: (await create(`${of}/drafts`, { subject: 'x', text: 'x', attachments: [file] })).id,
    attachments: '1',
    folders: (await create(`${of}/folders`, { name: 'Work' })).id,
    'saved-replies': (await create(`${of}/saved-replies`, { name: 'x', html: 'x' })).id,
    'app-passwords': (await create(`${of}/app-passwords`, { name: 'x' })).id,
    addresses: (await create(`${of}/addresses`, { address: 'help@harbour.test' })).id,
    signatures: (await create(`${of}/signatures`, { name: 'x', html: 'x' })).id,
    blocks: (await create(`${of}/blocks`, { entry: 'eve@example.org', action: 'spam' })).id,
    labels: (await create(`${of}/labels`, { name: 'x' })).id,
    rules: (
      await create(`${of}/rules`, {
        name: 'x',
        match: 'all',
        conditions: [{ field: 'subject', op: 'contains', value: 'x' }],
        actions: [{ type: 'star' }],
      })
    ).id,
    scheduled: waiting.id,
    messages: waiting.id,
    threads: waiting.thread_id,
  };
}

function exampleOf(operation: unknown): object | undefined {
  const { requestBody } = operation as {
    requestBody?: { content: { 'application/json': { example: object } } };
  };
  return requestBody?.content['application/json'].example;
}

test('a key bound to another domain does not find a mailbox or anything in it', async () => {
  const ids = await fillMailbox();
  const { paths }: OpenApi = (await server.call('GET', '/openapi.json')).body;
  const inMailboxes = Object.entries(paths).filter(([path]) =>
    /^\/v1\/(?:mailboxes|scheduled|threads|messages)\/\{id\}/.test(path),
  );
  expect(inMailboxes.length).toBeGreaterThan(25);
  for (const [path, operations] of inMailboxes) {
    const url = `${path}?q=ada`
      .replace('/v1', '')
      .replaceAll(/\/([\w-]+)\/\{\w+\}/g, (_, part: string) => `/${part}/${ids[part]!}`);
    expect(url).not.toContain('undefined');
    for (const [method, operation] of Object.entries(operations)) {
      const { status, body } = await bound(method.toUpperCase(), url, exampleOf(operation));
      expect([method, path, status, body?.error?.code]).toEqual([method, path, 404, 'NOT_FOUND']);
    }
  }
  expect((await team.call('GET', `/mailboxes/${ids['mailboxes']!}`)).status).toBe(200);
});
