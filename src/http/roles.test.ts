/** Calls every operation of the OpenAPI document with each role and compares the result with docs/roles.md. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, setUpOwner, signIn, type TestPerson } from '../testing/people.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import type { OpenApi } from './openapi/document.ts';

const ROLES = ['owner', 'admin', 'member'] as const;

let server: TestServer;
let people: Record<(typeof ROLES)[number], TestPerson>;
let document: OpenApi;

beforeAll(async () => {
  server = await startTestServer();
  const owner = await setUpOwner(server);
  people = {
    owner,
    admin: await addPerson(server, owner, 'admin'),
    member: await addPerson(server, owner, 'member'),
  };
  document = (await server.call('GET', '/openapi.json')).body;
});
afterAll(() => server.close());

/** Maps an operation to its columns in docs/roles.md. */
function readTable(): Map<string, boolean[]> {
  const lines = readFileSync('docs/roles.md', 'utf8').split('\n');
  const rows = lines.filter((line) => /\| `[A-Z]+ \//.test(line));
  return new Map(
    rows.map((line) => {
      const [, operation, , ...marks] = line.split('|').map((cell) => cell.trim());
      return [operation!, marks.slice(0, ROLES.length).map((mark) => mark === 'yes')];
    }),
  );
}

/** An authorised call fails validation or finds nothing, so it changes nothing. */
const INVALID = { 'idempotency-key': 'x'.repeat(300) };

test('each role may call exactly the operations of the table', async () => {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => operation['x-permission'] !== 'anyone');
  const table = readTable();
  expect([...table.keys()].toSorted()).toEqual(operations.map((one) => one.operation.operationId).toSorted());

  const found = new Map<string, boolean[]>();
  for (const { path, method, operation } of operations) {
    const url = path.replace('/v1', '').replaceAll(/\{\w+\}/g, '0');
    const answers = await Promise.all(
      ROLES.map((role) => people[role].call(method.toUpperCase(), url, undefined, INVALID)),
    );
    expect([operation.operationId, ...answers.map(({ status }) => status)]).not.toContain(401);
    // These operations end the session.
    if (path.includes('sign-out'))
      for (const role of ROLES) people[role] = await signIn(server, people[role].email);
    found.set(
      operation.operationId,
      answers.map(({ status, body }) => {
        if (status === 403) expect(JSON.stringify(body)).toContain('can do this');
        return status !== 403;
      }),
    );
    expect(operation['x-roles']).toEqual(
      ROLES.filter((_, index) => found.get(operation.operationId)![index]),
    );
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(table));
});

test('members can use the product but not change the team, people, domains, keys or webhooks', async () => {
  const { member: worker, owner: boss } = people;
  expect((await worker.call('POST', '/contactBooks', { name: 'Daily' })).status).toBe(200);
  const { body: domain } = await boss.call('POST', '/domains', { name: 'shop.test' });
  expect((await worker.call('GET', '/domains')).body).toHaveLength(1);
  expect((await worker.call('DELETE', `/domains/${domain.id}`)).status).toBe(403);
  expect((await worker.call('PUT', `/domains/${domain.id}/verify`)).body).toEqual({
    error: 'Only owners and admins can do this.',
  });
  expect((await worker.call('PATCH', '/team', { name: 'Mine' })).body.error).toEqual({
    code: 'FORBIDDEN',
    message: 'Only owners and admins can do this.',
  });
  expect((await boss.call('GET', '/team')).body.name).toBe('My team');
});
