import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countWaiting } from '../../../testing/count-waiting.ts';
import {
  shareTestServer,
  startTestServer,
  type TestServer,
  type TestTeam,
} from '../../../testing/test-server.ts';
import { removeRemainingSuppressions } from './suppressions.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function suppress(email: string, by = team) {
  const { status, body } = await by.call('POST', '/suppressions', { email });
  expect(status).toBe(200);
  return body;
}

async function list(query = '', of = team): Promise<string[]> {
  const { body } = await of.call('GET', `/suppressions${query}`);
  return body.items.map(({ email }: { email: string }) => email);
}

test('an address is suppressed once in any letter case, and entries are listed newest first in pages', async () => {
  const first = await suppress('Gone@Example.org');
  expect(first).toMatchObject({ email: 'Gone@Example.org', reason: 'MANUAL' });
  expect(await suppress('gone@example.org')).toEqual(first);
  await suppress('left@example.org');
  expect(await list()).toEqual(['left@example.org', 'Gone@Example.org']);
  expect(await list('?email=GONE@example.org')).toEqual(['Gone@Example.org']);
  expect(await list('?email=nobody@example.org')).toEqual([]);
  expect(await list('?reason=MANUAL')).toHaveLength(2);
  expect(await list('?reason=COMPLAINT')).toEqual([]);

  const { body } = await team.call('GET', '/suppressions?limit=1');
  expect(await list(`?limit=1&cursor=${body.next_cursor}`)).toEqual(['Gone@Example.org']);
  expect((await team.call('POST', '/suppressions', { email: 'gone@' })).status).toBe(400);
});

test('a removed entry can be added again', async () => {
  const { id } = await suppress('again@example.org');
  expect((await team.call('DELETE', `/suppressions/${id}`)).body).toEqual({ id, success: true });
  expect(await list('?email=again@example.org')).toEqual([]);
  expect((await team.call('DELETE', `/suppressions/${id}`)).status).toBe(404);
  expect((await suppress('again@example.org')).id).not.toBe(id);
});

test('another team can neither see nor remove entries', async () => {
  const other = await server.createTeam();
  const { id } = await suppress('ours@example.org');
  expect(await list('', other)).toEqual([]);
  expect((await other.call('DELETE', `/suppressions/${id}`)).status).toBe(404);
  expect(await list('?email=ours@example.org')).toEqual(['ours@example.org']);
});

test('adding an entry succeeds while others add and remove it', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { status, body } = await team.call('POST', '/suppressions', { email: 'race@example.org' });
      if (status === 200) await team.call('DELETE', `/suppressions/${body.id}`);
      return status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a long list is emptied by a job in batches, and what is suppressed meanwhile stays', async () => {
  const working = await startTestServer({ doors: ['http', 'worker'] });
  try {
    const [owner, other] = [await working.createTeam(), await working.createTeam()];
    await sql`
      insert into suppressions (team_id, address_key, id, address, reason)
      select team_id, address, gen_random_uuid(), address, 'HARD_BOUNCE'
      from unnest(${[owner.teamId, other.teamId]}::integer[]) as team_id,
        generate_series(1, 4100) as no, concat('p', no, '@example.org') as address
    `.execute(working.db);
    // Only the API of SendGrid can empty a list.
    const answer = await fetch(`${working.url}/sendgrid/v3/suppression/bounces`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      body: '{"delete_all":true}',
    });
    expect(answer.status).toBe(204);
    await suppress('late@example.org', owner);
    await sql`update suppressions set reason = 'HARD_BOUNCE' where team_id = ${owner.teamId}`.execute(
      working.db,
    );

    await expect.poll(() => list('', owner), { timeout: 30_000 }).toEqual(['late@example.org']);
    const { rows } = await sql<{ count: number }>`
      select count(*) from suppressions where team_id = ${other.teamId}`.execute(working.db);
    expect(rows[0]!.count).toBe(4_100);
  } finally {
    await working.close();
  }
});

test('a list is emptied although its entries are changed meanwhile', async () => {
  const owner = await server.createTeam();
  await sql`
    insert into suppressions (team_id, address_key, id, address, reason)
    select ${owner.teamId}, address, gen_random_uuid(), address, 'HARD_BOUNCE'
    from generate_series(1, 5) as no, concat('p', no, '@example.org') as address
  `.execute(server.db);
  const before = new Date(Date.now() + 60_000).toISOString();
  const other = new pg.Client(server.config.databaseUrl!);
  await other.connect();
  try {
    await other.query('begin');
    await other.query('update suppressions set address = upper(address) where team_id = $1', [owner.teamId]);
    const emptying = removeRemainingSuppressions(server.db, {
      teamId: owner.teamId,
      reason: 'HARD_BOUNCE',
      before,
    });
    await expect.poll(() => countWaiting(server.db, 'delete from "suppressions"')).toBe(1);
    await other.query('commit');
    await emptying;
  } finally {
    await other.end();
  }
  expect(await list('', owner)).toEqual([]);
});
