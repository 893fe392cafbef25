import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../platform/crypto.ts';
import {
  addPerson,
  cookieOf,
  createPersonCall,
  newEmail,
  PASSWORD,
  setUpOwner,
  signIn,
  type TestPerson,
} from '../../../testing/people.ts';
import { createCall, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
});
afterAll(() => server.close());

test('an instance says that it waits for its first account, until there is one', async () => {
  const own = await startTestServer();
  onTestFinished(() => own.close());
  expect((await own.call('GET', '/auth/setup')).body).toEqual({ isPending: true });
  const input = { token: own.setupToken, name: 'First', email: newEmail(), password: PASSWORD };
  expect((await own.call('POST', '/auth/setup', input)).status).toBe(200);
  expect((await own.call('GET', '/auth/setup')).body).toEqual({ isPending: false });
});

test('only one of several concurrent requests can use the setup link', async () => {
  const own = await startTestServer();
  const people = [newEmail(), newEmail(), newEmail()].map((email) =>
    own.call('POST', '/auth/setup', { token: own.setupToken, name: 'First', email, password: PASSWORD }),
  );
  const answers = await Promise.all(people);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  const { body: members } = await createPersonCall(
    own.url,
    cookieOf(answers.find(({ status }) => status === 200)!),
  )('GET', '/members');
  expect(members.items).toHaveLength(1);
  expect(members.items[0].role).toBe('owner');
  const input = { token: own.setupToken, name: 'Late', email: newEmail(), password: PASSWORD };
  expect((await own.call('POST', '/auth/setup', input)).status).toBe(400);
  const { rows } = await sql<{ count: number }>`select count(*)::int8 as count from users`.execute(own.db);
  expect(rows[0]!.count).toBe(1);
  await own.close();
});

test.each([
  ['an unknown token', { token: 'x' }, 400],
  ['a short password', { password: 'ninechars' }, 400],
  ['a password of one character', { password: 'aaaaaaaaaaaaaa' }, 400],
  ['a password that everyone tries', { password: 'Password123' }, 400],
  ['an over-long password', { password: 'x'.repeat(201) }, 400],
  ['no address', { email: 'ada' }, 400],
  ['no name', { name: ' ' }, 400],
  ['NUL in the password', { password: 'ten chars\u0000 and more' }, 400],
])('setup with %s is refused', async (_name, change, status) => {
  const input = { token: 'y', name: 'A', email: 'a@b.example', password: PASSWORD, ...change };
  expect((await server.call('POST', '/auth/setup', input)).status).toBe(status);
});

test('the session cookie is HttpOnly, and the stored hash is not a valid token', async () => {
  const answer = await server.call('POST', '/auth/sign-in', { email: owner.email, password: PASSWORD });
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^ph_session=[0-9a-z]{52}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(
      /^ph_device=[0-9a-z]{52}; Path=\/api\/v1\/auth; Max-Age=34560000; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  const token = cookieOf(answer).slice('ph_session='.length);
  expect(JSON.stringify(answer.body)).not.toContain(token);
  const { rows } = await sql<{ hash: Buffer }>`
    select token_hash as hash from sessions where token_hash = ${sha256(token)}`.execute(server.db);
  expect(rows).toHaveLength(1);
  const stolen = createPersonCall(server.url, `ph_session=${rows[0]!.hash.toString('hex')}`);
  expect((await stolen('GET', '/auth/session')).status).toBe(401);
});

test('behind https the cookie is Secure', async () => {
  const own = await startTestServer({ env: { BASE_URL: 'https://mail.example.com' } });
  const input = { token: own.setupToken, name: 'A', email: newEmail(), password: PASSWORD };
  const answer = await own.call('POST', '/auth/setup', input, { origin: 'https://mail.example.com' });
  expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/);
  await own.close();
});

test('GET /auth/session returns the signed-in person and renews the cookie', async () => {
  const answer = await owner.call('GET', '/auth/session');
  expect(answer.body).toEqual({
    user: {
      id: owner.id,
      email: owner.email,
      name: 'Owner',
      totpEnabled: false,
      proven: true,
      language: null,
      createdAt: expect.stringMatching(/Z$/),
    },
    team: { id: 1, name: 'My team' },
    role: 'owner',
  });
  expect(cookieOf(answer)).toBe(owner.cookie);
  expect((await server.call('GET', '/auth/session')).status).toBe(401);
});

test('a session can do what a key can, and changes record the person', async () => {
  const { body: book } = await owner.call('POST', '/contactBooks', { name: 'By session' });
  expect(book.teamId).toBe(1);
  const added = await owner.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'r@example.com' });
  expect(added.status).toBe(200);
  const { rows } = await sql<{ by: string }>`
    select subscription_changed_by as by from contacts where email = 'r@example.com'`.execute(server.db);
  expect(rows[0]!.by).toBe(`user:${owner.id}`);
});

test('an Authorization header takes precedence over the cookie, even if it is wrong', async () => {
  const team = await server.createTeam();
  const both = await owner.call('GET', '/team', undefined, { authorization: `Bearer ${team.key}` });
  expect(both.body.id).toBe(team.teamId);
  expect((await owner.call('GET', '/team', undefined, { authorization: 'Bearer nonsense' })).status).toBe(
    401,
  );
  expect((await team.call('GET', '/auth/session')).status).toBe(403);
  expect((await team.call('POST', '/auth/sign-out')).status).toBe(403);
});

test('a change authenticated by cookie must come from our own origin', async () => {
  const call = createCall(server.url);
  const rename = (headers: Record<string, string>) =>
    call('PATCH', '/team', { name: 'My team' }, { cookie: owner.cookie, ...headers });
  const host = new URL(server.url).host;
  for (const headers of [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://${host}.evil.example` },
    { origin: `ftp://${host}` },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  ] as Record<string, string>[]) {
    const { status, body } = await rename(headers);
    expect([headers, status, body.error?.code]).toEqual([headers, 403, 'FORBIDDEN']);
  }
  for (const headers of [
    { origin: server.url },
    { origin: server.config.baseUrl },
    { 'sec-fetch-site': 'same-origin' },
  ] as Record<string, string>[]) {
    expect((await rename(headers)).status).toBe(200);
  }
  expect((await call('GET', '/team', undefined, { cookie: owner.cookie })).status).toBe(200);
  expect((await call('DELETE', '/api-keys/x', undefined, { cookie: owner.cookie })).status).toBe(403);
  const foreign = { origin: 'https://evil.example' };
  const input = { email: owner.email, password: PASSWORD };
  expect((await call('POST', '/auth/sign-in', input, foreign)).status).toBe(403);
  expect((await call('POST', '/auth/sign-in', input, { origin: server.url })).status).toBe(200);
});

test('signing out ends the session immediately and clears the cookie', async () => {
  const here = await signIn(server, owner.email);
  expect((await here.call('GET', '/team')).status).toBe(200);
  const answer = await here.call('POST', '/auth/sign-out');
  expect(answer.body).toEqual({ success: true });
  expect(answer.headers.get('set-cookie')).toMatch(/^ph_session=; Path=\/; Max-Age=0;/);
  expect((await here.call('GET', '/team')).status).toBe(401);
  expect((await owner.call('GET', '/team')).status).toBe(200);
});

test('signing out everywhere takes effect within a second in every process', async () => {
  const second = await startTestServer({ databaseUrl: server.config.databaseUrl! });
  const person = await addPerson(server, owner, 'admin');
  const other = await signIn(server, person.email);
  const calls = [person, other].flatMap(({ cookie }) =>
    [server, second].map(({ url }) => createPersonCall(url, cookie)),
  );
  for (const call of calls) expect((await call('GET', '/team')).status).toBe(200);
  await person.call('POST', '/auth/sign-out-everywhere');
  for (const call of calls) {
    await expect
      .poll(async () => (await call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
      .toBe(401);
  }
  expect((await owner.call('GET', '/team')).status).toBe(200);
  await second.close();
});

test('requests of a cached session do not query the sessions table', async () => {
  const person = await addPerson(server, owner, 'member');
  const lookUps = async () => {
    const { rows } = await sql<{ count: number }>`
      select coalesce(sum(calls), 0)::int8 as count from (
        select idx_scan as calls from pg_stat_user_indexes where indexrelname = 'sessions_token_hash'
      ) as s`.execute(server.db);
    return rows[0]!.count;
  };
  await person.call('GET', '/team');
  await sql`select pg_stat_force_next_flush()`.execute(server.db).catch(() => undefined);
  const before = await lookUps();
  for (let at = 0; at < 50; at++) await person.call('GET', '/team');
  await expect
    .poll(
      async () => {
        const { body } = await owner.call('GET', '/members');
        return body.items.find(({ id }: { id: string }) => id === person.id).lastSeenAt;
      },
      { interval: 200 },
    )
    .not.toBeNull();
  expect((await lookUps()) - before).toBeLessThan(20);
});

test('an expired session is rejected, and each use extends a session', async () => {
  const person = await addPerson(server, owner, 'member');
  const hash = sha256(person.cookie.slice('ph_session='.length));
  await sql`update sessions set expires_at = now() + interval '1 hour' where token_hash = ${hash}`.execute(
    server.db,
  );
  expect((await person.call('GET', '/team')).status).toBe(200);
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ days: number }>`
          select extract(day from expires_at - now())::integer as days from sessions
          where token_hash = ${hash}`.execute(server.db);
        return rows[0]!.days;
      },
      { interval: 200 },
    )
    .toBeGreaterThanOrEqual(29);

  const late = await signIn(server, person.email);
  const lateHash = sha256(late.cookie.slice('ph_session='.length));
  await sql`update sessions set expires_at = now() - interval '1 second' where token_hash = ${lateHash}`.execute(
    server.db,
  );
  expect((await late.call('GET', '/team')).status).toBe(401);
});
