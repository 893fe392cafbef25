import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  addPerson,
  PASSWORD,
  setUpOwner,
  signIn,
  turnOnTwoFactor,
  type TestPerson,
} from '../../../testing/people.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createPasswordReset } from './account.ts';
import { stepAt, totpCode } from './totp.ts';

let server: TestServer;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
});
afterEach(() => vi.useRealTimers());
afterAll(() => server.close());

let addresses = 0;

/** Uses a new address each time, so that the limit per network does not apply. */
function tryCode(email: string, code?: string) {
  const headers = { 'x-forwarded-for': `203.0.113.${++addresses}` };
  return server.call('POST', '/auth/sign-in', { email, password: PASSWORD, code }, headers);
}

test('codes are checked by the clock of the database, not of the process', async () => {
  const person = await addPerson(server, owner, 'member');
  const { secret } = await turnOnTwoFactor(person);
  const code = totpCode(secret, stepAt(Date.now()));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  const answer = await tryCode(person.email, code);
  vi.useRealTimers();
  expect(answer.status).toBe(200);
});

test('after the clock of the database was set back, codes of the earlier time are accepted again', async () => {
  const person = await addPerson(server, owner, 'member');
  const { secret } = await turnOnTwoFactor(person);
  // The row looks as if the last code was accepted while the clock was two days ahead.
  await sql`update users set totp_last_step = totp_last_step + 2 * 2880 where email = ${person.email}`.execute(
    server.db,
  );
  const code = totpCode(secret, stepAt(Date.now()));
  const answers = [await tryCode(person.email, code), await tryCode(person.email, code)];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
});

test('codes match the test vectors of RFC 6238, appendix B', () => {
  const secret = Buffer.from('12345678901234567890');
  expect([59, 1111111109, 1234567890, 20000000000].map((s) => totpCode(secret, stepAt(s * 1000)))).toEqual([
    '287082',
    '081804',
    '005924',
    '353130',
  ]);
});

test('two-factor requires a code, and each code works once', async () => {
  const person = await addPerson(server, owner, 'member');
  const { secret, started, confirmed } = await turnOnTwoFactor(person);
  expect(started.uri).toBe(
    `otpauth://totp/Posthorn%3A${encodeURIComponent(person.email)}?secret=${started.secret}&issuer=Posthorn`,
  );
  expect(confirmed.status).toBe(200);
  expect(new Set(confirmed.body.recoveryCodes).size).toBe(10);
  expect((await person.call('GET', '/auth/session')).body.user.totpEnabled).toBe(true);

  const without = await tryCode(person.email);
  expect(without.body).toEqual({ needsCode: true, passkeys: null, session: null });
  expect(without.headers.get('set-cookie')).toBeNull();
  const now = stepAt(Date.now());
  const code = totpCode(secret, now + 1);
  expect((await tryCode(person.email, totpCode(secret, now - 5))).status).toBe(401);
  const answers = await Promise.all([tryCode(person.email, code), tryCode(person.email, code)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  expect((await tryCode(person.email, code)).status).toBe(401);
  // Using a code invalidates earlier codes too.
  expect((await tryCode(person.email, totpCode(secret, now))).status).toBe(401);
});

test('each recovery code works once in any spelling, and none is stored in clear', async () => {
  const person = await addPerson(server, owner, 'member');
  const { confirmed } = await turnOnTwoFactor(person);
  const [first, second] = confirmed.body.recoveryCodes as string[];
  expect(first).toMatch(/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
  expect((await tryCode(person.email, first!.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
  expect((await tryCode(person.email, first)).status).toBe(401);
  expect((await tryCode(person.email, second)).status).toBe(200);
  const { rows } = await sql<{ text: string }>`
    select u::text || coalesce(string_agg(r::text, ''), '') as text
    from users u left join recovery_codes r on r.user_id = u.id group by u.id, u.*`.execute(server.db);
  for (const code of confirmed.body.recoveryCodes) {
    expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''));
    expect(JSON.stringify(rows)).not.toContain(code);
  }
});

test('10 wrong codes lock an account out, and signing in without a code does not reset the count', async () => {
  const person = await addPerson(server, owner, 'member');
  const { secret } = await turnOnTwoFactor(person);
  const wrong = totpCode(secret, 1);
  for (let at = 0; at < 10; at++) {
    expect((await tryCode(person.email, wrong)).status).toBe(401);
    if (at < 9) expect((await tryCode(person.email)).status).toBe(200);
  }
  expect((await tryCode(person.email, totpCode(secret, stepAt(Date.now())))).status).toBe(429);
});

test('turning two-factor on or off requires the password', async () => {
  const person = await addPerson(server, owner, 'member');
  expect((await person.call('POST', '/auth/totp/confirm', { code: '123456' })).status).toBe(409);
  const wrong = await person.call('POST', '/auth/totp/start', { password: 'not the one' });
  expect([wrong.status, wrong.body.error.issues[0].path]).toEqual([400, '/password']);
  await person.call('POST', '/auth/totp/start', { password: PASSWORD });
  const unconfirmed = await person.call('POST', '/auth/totp/confirm', { code: '000000' });
  expect([unconfirmed.status, unconfirmed.body.error.issues[0].path]).toEqual([400, '/code']);
  expect((await tryCode(person.email)).body.needsCode).toBe(false);

  expect((await turnOnTwoFactor(person)).confirmed.status).toBe(200);
  expect((await person.call('POST', '/auth/totp/start', { password: PASSWORD })).status).toBe(409);
  expect((await person.call('DELETE', '/auth/totp', { password: 'not the one' })).status).toBe(400);
  expect((await tryCode(person.email)).body.needsCode).toBe(true);
  expect((await person.call('DELETE', '/auth/totp', { password: PASSWORD })).body).toEqual({ success: true });
  expect((await tryCode(person.email)).body.needsCode).toBe(false);
});

test('changing the password requires the current one and ends the other sessions', async () => {
  const person = await addPerson(server, owner, 'member');
  const other = await signIn(server, person.email);
  const renamed = await person.call('PATCH', '/auth/me', { name: ' Grace ' });
  expect(renamed.body.user.name).toBe('Grace');
  expect((await person.call('PATCH', '/auth/me', {})).body.user.name).toBe('Grace');
  const newPassword = 'a wholly new password';
  for (const [body, path] of [
    [{ newPassword }, '/currentPassword'],
    [{ newPassword, currentPassword: 'not the one' }, '/currentPassword'],
    [{ newPassword: 'short', currentPassword: PASSWORD }, '/newPassword'],
  ] as const) {
    const { status, body: answer } = await person.call('PATCH', '/auth/me', body);
    expect([status, answer.error.issues[0].path]).toEqual([400, path]);
  }
  expect((await other.call('GET', '/team')).status).toBe(200);
  const changed = await person.call('PATCH', '/auth/me', { newPassword, currentPassword: PASSWORD });
  expect(changed.status).toBe(200);
  await expect
    .poll(async () => (await other.call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
    .toBe(401);
  expect((await person.call('GET', '/team')).status).toBe(200);
  expect((await tryCode(person.email)).status).toBe(401);
  await signIn(server, person.email, newPassword);
});

test('a reset link works once for a day, ends every session, and replaces earlier links', async () => {
  const person = await addPerson(server, owner, 'member');
  const old = await createPasswordReset(server.db, person.email, 24);
  const token = await createPasswordReset(server.db, person.email, 24);
  const password = 'remembered this time';
  const reset = (used: string) => server.call('POST', '/auth/reset', { token: used, password });
  expect((await reset(old)).status).toBe(400);
  expect((await reset('x')).status).toBe(400);
  expect((await person.call('GET', '/team')).status).toBe(200);
  const answers = await Promise.all([reset(token), reset(token)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  await expect
    .poll(async () => (await person.call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
    .toBe(401);
  await signIn(server, person.email, password);

  const late = await createPasswordReset(server.db, person.email, 24);
  await sql`update password_resets set expires_at = now() - interval '1 second'`.execute(server.db);
  expect((await reset(late)).status).toBe(400);
});

test('the language of the app is that of the person, in every session, and nobody else’s', async () => {
  const person = await addPerson(server, owner, 'member');
  const { body } = await person.call('PATCH', '/auth/me', { language: 'de' });
  expect(body.user).toMatchObject({ language: 'de', email: person.email });
  const elsewhere = await tryCode(person.email);
  expect(elsewhere.body.session.user.language).toBe('de');
  expect((await owner.call('GET', '/auth/session')).body.user.language).toBeNull();

  for (const language of ['xx', 'DE', '', 7, ['de']]) {
    expect((await person.call('PATCH', '/auth/me', { language })).status).toBe(400);
  }
  expect((await person.call('PATCH', '/auth/me', { name: 'Grace' })).body.user.language).toBe('de');
  expect((await person.call('PATCH', '/auth/me', { language: null })).body.user.language).toBeNull();
});
