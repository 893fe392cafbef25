import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJmapClient, type JmapClient } from '../testing/clients/jmap-client.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

const MIB = 1024 * 1024;

let world: MailWorld;
let client: JmapClient;

beforeAll(async () => {
  world = await startMailWorld();
  client = await openJmapClient(world);
});
afterAll(() => world.close());

async function setLimit(storageMb: number | null): Promise<void> {
  await world.server.db
    .updateTable('teams')
    .set({ storage_mb: storageMb })
    .where('id', '=', world.team.teamId)
    .execute();
}

async function count(bytes: number): Promise<void> {
  await world.server.db
    .insertInto('team_storage')
    .values({ team_id: world.team.teamId, bytes, added: 0 })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ bytes, added: 0 }))
    .execute();
}

test('a team without a limit has no quota, and with one the quota appears, changes and goes', async () => {
  await setLimit(0);
  const none = await client.call('Quota/get');
  expect(none.list).toEqual([]);

  await setLimit(100);
  await count(30 * MIB);
  const created = await client.call('Quota/changes', { sinceState: none.state });
  expect(created).toMatchObject({ created: ['team'], updated: [], destroyed: [], hasMoreChanges: false });
  const some = await client.call('Quota/get', { ids: ['team', 'other'] });
  expect(some.notFound).toEqual(['other']);
  expect(some.list).toEqual([
    expect.objectContaining({
      id: 'team',
      resourceType: 'octets',
      used: 30 * MIB,
      hardLimit: 100 * MIB,
      scope: 'domain',
      types: ['Email', 'EmailSubmission'],
    }),
  ]);
  expect(created.newState).toBe(some.state);

  await count(40 * MIB);
  const more = await client.call('Quota/changes', { sinceState: some.state });
  expect(more).toMatchObject({ created: [], updated: ['team'], updatedProperties: ['used'] });
  await setLimit(50);
  const less = await client.call('Quota/changes', { sinceState: more.newState });
  expect(less).toMatchObject({ updated: ['team'], updatedProperties: null });
  expect(await client.call('Quota/changes', { sinceState: less.newState })).toMatchObject({ updated: [] });

  await setLimit(0);
  const gone = await client.call('Quota/changes', { sinceState: less.newState });
  expect(gone).toMatchObject({ created: [], updated: [], destroyed: ['team'] });
});

async function find(filter: object | null): Promise<string[]> {
  return (await client.call('Quota/query', { filter })).ids;
}

function failing(name: string, args: object): Promise<string> {
  return client.call(name, args).then(
    () => 'no error',
    (error: { type: string }) => error.type,
  );
}

test('quotas are found by what they limit', async () => {
  await setLimit(100);
  expect(await find(null)).toEqual(['team']);
  expect(await find({ type: 'Email', resourceType: 'octets', scope: 'domain', name: 'storage' })).toEqual([
    'team',
  ]);
  expect(await find({ type: 'Calendar' })).toEqual([]);
  expect(await find({ operator: 'NOT', conditions: [{ scope: 'domain' }] })).toEqual([]);
});

test('invalid quota calls are rejected', async () => {
  expect(await failing('Quota/get', { properties: ['size'] })).toBe('invalidArguments');
  expect(await failing('Quota/get', { accountId: 'other' })).toBe('accountNotFound');
  expect(await failing('Quota/changes', { sinceState: 'x' })).toBe('cannotCalculateChanges');
  expect(await failing('Quota/query', { filter: { __proto__x: 1 } })).toBe('unsupportedFilter');
  expect(await failing('Quota/query', { filter: { type: 1 } })).toBe('invalidArguments');
  expect(await failing('Quota/query', { sort: [{ property: 'id' }] })).toBe('unsupportedSort');
  expect(await failing('Quota/queryChanges', { sinceQueryState: 'x' })).toBe('cannotCalculateChanges');
  expect(await failing('Quota/set', {})).toBe('unknownMethod');
});
