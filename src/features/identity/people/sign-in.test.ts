import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countWaiting } from '../../../testing/count-waiting.ts';
import { sha256 } from '../../../platform/crypto.ts';
import {
  addPerson,
  newEmail,
  PASSWORD,
  setUpOwner,
  turnOnTwoFactor,
  type TestPerson,
} from '../../../testing/people.ts';
import { startTestServer, type Answer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let owner: TestPerson;
let addresses = 0;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
});
afterAll(() => server.close());

/** The test client is a trusted proxy and names the client's address. */
function newAddress(): string {
  return `203.0.113.${++addresses}`;
}

function signIn(email: string, password: string, address = newAddress(), cookie = ''): Promise<Answer> {
  return server.call(
    'POST',
    '/auth/sign-in',
    { email, password },
    { 'x-forwarded-for': `8.8.8.8, ${address}`, cookie },
  );
}

/** Returns the cookie by which the browser is known from now on. */
function deviceOf({ headers }: Answer): string {
  return headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('ph_device='))!
    .split(';')[0]!;
}

/** Counts 100 failures for the account, as if each came from a network of its own. */
async function lockAccount(email: string): Promise<void> {
  await sql`
    insert into sign_in_failures (subject, failures, window_ends_at)
    values (${sha256(`account ${email}`)}, 100, now() + interval '15 minutes')
    on conflict (subject) do update set failures = 100, window_ends_at = excluded.window_ends_at`.execute(
    server.db,
  );
  expect((await signIn(email, PASSWORD)).status).toBe(429);
}

test('an unknown address and a wrong password get the same answer', async () => {
  const answers = [
    await signIn('nobody@people.example', PASSWORD),
    await signIn(owner.email, 'wrong password'),
  ];
  for (const { status, body, headers } of answers) {
    expect(status).toBe(401);
    expect(body).toEqual(answers[0]!.body);
    expect(headers.get('set-cookie')).toBeNull();
  }
  const { status, body } = await signIn(owner.email.toUpperCase(), PASSWORD);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { needsCode: false, session: { user: { id: owner.id }, team: { id: 1 }, role: 'owner' } },
  });
});

test('composed and decomposed characters are the same password', async () => {
  const person = await startTestServer();
  const input = {
    token: person.setupToken,
    name: 'É',
    email: newEmail(),
    password: 'caf\u00e9 caf\u00e9 noir',
  };
  await person.call('POST', '/auth/setup', input);
  const typed = { email: input.email, password: 'cafe\u0301 cafe\u0301 noir' };
  expect((await person.call('POST', '/auth/sign-in', typed)).status).toBe(200);
  await person.close();
});

test.each([
  [{ email: 'a@b.example' }],
  [{ password: PASSWORD }],
  [{ email: 'nobody', password: PASSWORD }],
  [{ email: 5, password: PASSWORD }],
  [{ email: 'a@b.example', password: 'x'.repeat(201) }],
  [{ email: 'a@b.example', password: PASSWORD, code: '' }],
  ['{broken'],
  [[]],
])('%j is 400', async (input) => {
  expect((await server.call('POST', '/auth/sign-in', input)).status).toBe(400);
});

test('after 10 failures an address is locked out for 15 minutes, even with the right password', async () => {
  const address = newAddress();
  for (let at = 0; at < 10; at++)
    expect((await signIn(owner.email, 'wrong password', address)).status).toBe(401);
  const closed = await signIn(owner.email, PASSWORD, address);
  expect([closed.status, closed.body.error.code]).toEqual([429, 'RATE_LIMITED']);
  const seconds = Number(closed.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(14 * 60);
  expect(seconds).toBeLessThanOrEqual(15 * 60);
  await sql`update sign_in_failures set window_ends_at = now() - interval '1 second'`.execute(server.db);
  expect((await signIn(owner.email, PASSWORD, address)).status).toBe(200);
  expect((await signIn(owner.email, 'wrong password', address)).status).toBe(401);
});

test('the addresses of one IPv6 network share their limit', async () => {
  const network = '2001:db8:0:7';
  for (let at = 0; at < 10; at++)
    expect((await signIn(owner.email, 'wrong password', `${network}::${at}`)).status).toBe(401);
  expect((await signIn(owner.email, PASSWORD, `${network}:ffff::1`)).status).toBe(429);
  expect((await signIn(owner.email, PASSWORD, '2001:db8:0:8::1')).status).toBe(200);
});

test('guessing from one address does not lock the owner out, however often', async () => {
  const address = newAddress();
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => signIn(owner.email, 'wrong password', address)),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect((await signIn(owner.email, PASSWORD)).status).toBe(200);
});

test('100 failures from many networks lock the account', async () => {
  const email = newEmail();
  expect((await signIn(email, 'wrong password')).status).toBe(401);
  // Pretend that 98 more attempts failed, each from its own address.
  await sql`update sign_in_failures set failures = 99 where failures = 1`.execute(server.db);
  expect((await signIn(email, 'wrong password')).status).toBe(401);
  expect((await signIn(email, 'wrong password')).status).toBe(429);
  await sql`delete from sign_in_failures`.execute(server.db);
});

test('40 concurrent guesses do not get around the limit', async () => {
  const [email, address] = [newEmail(), newAddress()];
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => signIn(email, 'wrong password', address)),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});

test('the limit of an address covers all accounts, and a success does not reset it', async () => {
  const address = newAddress();
  for (let at = 0; at < 9; at++)
    expect((await signIn(newEmail(), 'wrong password', address)).status).toBe(401);
  expect((await signIn(owner.email, PASSWORD, address)).status).toBe(200);
  expect((await signIn(newEmail(), 'wrong password', address)).status).toBe(401);
  expect((await signIn(newEmail(), 'wrong password', address)).status).toBe(429);
  const other = await addPerson(server, owner, 'member');
  expect((await signIn(other.email, PASSWORD, address)).status).toBe(429);
  expect((await signIn(other.email, PASSWORD)).status).toBe(200);
});

test('guessing from many networks does not lock out a known browser', async () => {
  const person = await addPerson(server, owner, 'member');
  const device = deviceOf(await signIn(person.email, PASSWORD));
  await lockAccount(person.email);
  const back = await signIn(person.email, PASSWORD, newAddress(), device);
  expect([back.status, deviceOf(back)]).toEqual([200, device]);
  // The account stays locked for everyone else, also for someone who makes up a cookie or has one of another account.
  const stranger = deviceOf(await signIn(owner.email, PASSWORD));
  for (const cookie of [stranger, 'ph_device=guessed', 'ph_device=', `ph_device=${'x'.repeat(5_000)}`])
    expect((await signIn(person.email, PASSWORD, newAddress(), cookie)).status).toBe(429);
});

test('guessing from elsewhere does not lock out a known network', async () => {
  const person = await addPerson(server, owner, 'member');
  const home = newAddress();
  expect((await signIn(person.email, PASSWORD, home)).status).toBe(200);
  await lockAccount(person.email);
  expect((await signIn(person.email, PASSWORD, home)).status).toBe(200);
  const cookie = `ph_device=network ${home}`;
  expect((await signIn(person.email, PASSWORD, newAddress(), cookie)).status).toBe(429);
});

test('a known browser has 10 failures of its own, and the network that it is in does not count', async () => {
  const person = await addPerson(server, owner, 'member');
  const home = newAddress();
  const device = deviceOf(await signIn(person.email, PASSWORD, home));
  for (let at = 0; at < 10; at++)
    expect((await signIn(person.email, 'wrong password', home)).status).toBe(401);
  expect((await signIn(person.email, PASSWORD, home)).status).toBe(429);
  for (let at = 0; at < 10; at++)
    expect((await signIn(person.email, 'wrong password', home, device)).status).toBe(401);
  expect((await signIn(person.email, PASSWORD, home, device)).status).toBe(429);
  await sql`delete from sign_in_failures`.execute(server.db);
  expect((await signIn(person.email, PASSWORD, home, device)).status).toBe(200);
});

test('an account knows its 20 latest browsers and networks', async () => {
  const person = await addPerson(server, owner, 'member');
  const first = deviceOf(await signIn(person.email, PASSWORD));
  for (let at = 0; at < 20; at++) await signIn(person.email, PASSWORD);
  const { rows } = await sql<{ kind: string; count: number }>`
    select p.kind, count(*)::integer as count from known_places p join users u on u.id = p.user_id
    where u.email = ${person.email} group by kind order by kind`.execute(server.db);
  expect(rows).toEqual([
    { kind: 'browser', count: 20 },
    { kind: 'network', count: 20 },
  ]);
  await lockAccount(person.email);
  expect((await signIn(person.email, PASSWORD, newAddress(), first)).status).toBe(429);
});

test('10 wrong passwords in a session lock its account settings, also with an Idempotency-Key', async () => {
  const person = await addPerson(server, owner, 'member');
  const guess = (at: number) =>
    at % 2 === 0
      ? person.call('POST', '/auth/totp/start', { password: `wrong ${at}` }, { 'idempotency-key': `a${at}` })
      : person.call(
          'PATCH',
          '/auth/me',
          { currentPassword: `wrong ${at}`, newPassword: 'another long password' },
          { 'idempotency-key': `a${at}` },
        );
  for (let at = 0; at < 10; at += 1) expect((await guess(at)).status).toBe(400);
  expect([(await guess(10)).status, (await guess(11)).status]).toEqual([429, 429]);
});

test('someone who guesses cannot keep a signed-in person from changing their password', async () => {
  const person = await addPerson(server, owner, 'member');
  await lockAccount(person.email);
  const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
  expect((await person.call('PATCH', '/auth/me', change)).status).toBe(200);
});

test('wrong two-factor codes from elsewhere do not lock out a known browser', async () => {
  const person = await addPerson(server, owner, 'member');
  const device = deviceOf(await signIn(person.email, PASSWORD));
  const { confirmed } = await turnOnTwoFactor(person);
  const [recovery, spare] = confirmed.body.recoveryCodes;
  const withCode = (address: string, typed: string, cookie = '') =>
    server.call(
      'POST',
      '/auth/sign-in',
      { email: person.email, password: PASSWORD, code: typed },
      { 'x-forwarded-for': address, cookie },
    );
  for (let at = 0; at < 10; at++) expect((await withCode(newAddress(), '000000')).status).toBe(401);
  expect((await withCode(newAddress(), spare)).status).toBe(429);
  expect((await withCode(newAddress(), recovery, device)).status).toBe(200);
});

test('attempts beyond those that can wait are rejected without a place in the queue', async () => {
  const address = newAddress();
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => signIn(newEmail(), 'wrong password', address)),
  );
  const rejected = answers.filter(({ headers }) => headers.get('retry-after') === '5');
  expect(rejected.length).toBeGreaterThan(0);
  expect(rejected.every(({ status }) => status === 429)).toBe(true);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect((await signIn(owner.email, PASSWORD)).status).toBe(200);
});

test('a lockout ends even if the clock of the database was set back meanwhile', async () => {
  const address = newAddress();
  for (let at = 0; at < 10; at += 1) await signIn('nobody@people.example', 'wrong password', address);
  expect((await signIn(owner.email, PASSWORD, address)).status).toBe(429);
  await sql`update sign_in_failures set window_ends_at = window_ends_at + interval '2 days'`.execute(
    server.db,
  );
  expect((await signIn(owner.email, PASSWORD, address)).status).toBe(200);
});

test('a sign-in that waited for a later one counts on from there', async () => {
  const address = newAddress();
  await signIn(newEmail(), 'wrong password', address);
  const { waiting } = await server.db.transaction().execute(async (trx) => {
    await sql`select from sign_in_failures for update`.execute(trx);
    const waiting = signIn(newEmail(), 'wrong password', address);
    await expect.poll(() => countWaiting(server.db, 'sign_in_failures')).toBe(1);
    await sql`
      update sign_in_failures
      set failures = 1000, window_ends_at = clock_timestamp() + interval '15 minutes'`.execute(trx);
    return { waiting };
  });
  expect((await waiting).status).toBe(429);
});
