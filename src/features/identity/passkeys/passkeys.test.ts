import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSoftPasskey, type Lie, type SoftPasskey } from '../../../testing/clients/authenticator.ts';
import {
  addPerson,
  cookieOf,
  createPersonCall,
  PASSWORD,
  setUpOwner,
  turnOnTwoFactor,
  type TestPerson,
} from '../../../testing/people.ts';
import { startTestServer, type Answer, type TestServer } from '../../../testing/test-server.ts';
import { decodeId } from '../../../platform/ids.ts';
import { createPasswordReset } from '../people/account.ts';
import { totpCode, stepAt } from '../people/totp.ts';

const ORIGIN = 'https://mail.harbour.test';
const HOST = 'mail.harbour.test';

let server: TestServer;
let owner: TestPerson;
let addresses = 0;

beforeAll(async () => {
  server = await startTestServer({ env: { BASE_URL: ORIGIN } });
  owner = await setUpOwner(server);
});
afterAll(() => server.close());

/** Each call comes from a network of its own, unless it names one. */
function from(address = `198.51.100.${++addresses}`) {
  return { 'x-forwarded-for': address };
}

async function register(person: TestPerson, passkey: SoftPasskey, lie: Lie = {}): Promise<Answer> {
  const { body: options } = await person.call('POST', '/auth/passkeys/options', {});
  return person.call('POST', '/auth/passkeys', { name: 'Laptop', credential: passkey.make(options, lie) });
}

/** A member with a passkey. */
async function addKeyHolder(start: { counter?: number } = {}) {
  const person = await addPerson(server, owner, 'member');
  const passkey = createSoftPasskey(ORIGIN, start);
  const { status, body } = await register(person, passkey);
  expect([status, body.error]).toEqual([200, undefined]);
  return { person, passkey, id: body.id as string, recoveryCodes: body.recoveryCodes as string[] };
}

async function options() {
  return (await server.call('POST', '/auth/passkeys/sign-in-options')).body;
}

function send(credential: unknown, headers: Record<string, string> = from()): Promise<Answer> {
  return server.call('POST', '/auth/passkeys/sign-in', { credential }, headers);
}

async function signIn(passkey: SoftPasskey, lie: Lie = {}): Promise<Answer> {
  return send(passkey.use(await options(), lie));
}

function withPassword({ email }: TestPerson, more: object = {}): Promise<Answer> {
  return server.call('POST', '/auth/sign-in', { email, password: PASSWORD, ...more }, from());
}

test('a passkey is added, listed, renamed and deleted', async () => {
  const { person, id } = await addKeyHolder();
  const { body } = await person.call('GET', '/auth/passkeys');
  expect(body.items).toEqual([
    {
      id,
      name: 'Laptop',
      host: HOST,
      worksHere: true,
      backedUp: false,
      createdAt: expect.any(String),
      lastUsedAt: null,
    },
  ]);
  const renamed = await person.call('PATCH', `/auth/passkeys/${id}`, { name: ' Old laptop ' });
  expect([renamed.status, renamed.body.name]).toEqual([200, 'Old laptop']);
  expect((await person.call('DELETE', `/auth/passkeys/${id}`)).status).toBe(200);
  expect((await person.call('GET', '/auth/passkeys')).body.items).toEqual([]);
  expect((await person.call('DELETE', `/auth/passkeys/${id}`)).status).toBe(404);
});

test('a passkey signs in alone, and the audit log says so', async () => {
  const { person, passkey, id } = await addKeyHolder();
  const started = await signIn(passkey);
  expect([started.status, started.body.user?.id]).toEqual([200, person.id]);
  const call = createPersonCall(server.url, cookieOf(started));
  const { body } = await call('GET', '/auth/passkeys');
  expect(body.items[0].lastUsedAt).not.toBeNull();
  const { body: audit } = await owner.call('GET', `/audit?actor=${person.id}`);
  expect(audit.items.slice(0, 2)).toMatchObject([
    { action: 'session.started', after: { passkeyId: id, withPassword: false } },
    { action: 'passkey.added', target: id },
  ]);
});

test('a device that counts its uses signs in again and again', async () => {
  const { passkey } = await addKeyHolder({ counter: 7 });
  for (const _ of [1, 2]) expect((await signIn(passkey)).status).toBe(200);
});

test('after the password, a passkey or a recovery code is needed', async () => {
  const { person, passkey, recoveryCodes } = await addKeyHolder();
  expect(recoveryCodes).toHaveLength(10);
  const asked = await withPassword(person);
  expect(asked.body).toMatchObject({ needsCode: true, session: null });
  expect(asked.headers.getSetCookie()).toEqual([]);
  expect(asked.body.passkeys).toMatchObject({ rpId: HOST, allowCredentials: [{ id: passkey.id }] });
  // A security key need not say whose passkey it is, and may only ask for a touch.
  const proof = passkey.use(asked.body.passkeys, { isVerified: false, userHandle: null });
  const { status, body } = await withPassword(person, { passkey: proof });
  expect([status, body.session?.user.id]).toEqual([200, person.id]);
  expect((await withPassword(person, { passkey: proof })).status).toBe(401);
  expect((await withPassword(person, { code: '123456' })).status).toBe(401);
  expect((await withPassword(person, { code: recoveryCodes[0] })).status).toBe(200);
  expect((await withPassword(person, { code: recoveryCodes[0] })).status).toBe(401);
});

test('a challenge for the second factor signs in nobody alone, nor another person', async () => {
  const { person, passkey } = await addKeyHolder();
  const other = await addKeyHolder();
  const { body } = await withPassword(person);
  expect((await send(passkey.use(body.passkeys))).status).toBe(401);
  const { body: again } = await withPassword(other.person);
  expect((await withPassword(person, { passkey: passkey.use(again.passkeys) })).status).toBe(401);
  const { body: own } = await withPassword(person);
  expect((await withPassword(person, { passkey: other.passkey.use(own.passkeys) })).status).toBe(401);
  const proof = passkey.use(await options());
  expect((await withPassword(person, { passkey: proof })).status).toBe(401);
});

test.each<[string, Lie]>([
  ['another origin', { origin: 'https://mail.harbour.test.evil.test' }],
  ['another host', { rpId: 'evil.test' }],
  ['a frame of another site', { crossOrigin: true }],
  ['another kind of response', { type: 'webauthn.create' }],
  ['nobody verified', { isVerified: false }],
  ['nobody present', { isPresent: false }],
  ['another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ['a challenge of its own', { challenge: 'YWJj' }],
  ['a changed challenge', { challenge: Buffer.alloc(54, 7).toString('base64url') }],
  ['no user handle', { userHandle: null }],
  ['the user handle of another person', { userHandle: Buffer.from('usr_x').toString('base64url') }],
  ['an unknown credential', { id: 'AAAA' }],
])('a sign-in with %s is 401', async (_what, lie) => {
  const { passkey } = await addKeyHolder();
  const { status, body, headers } = await signIn(passkey, lie);
  expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  expect(headers.getSetCookie()).toEqual([]);
  expect((await signIn(passkey)).status).toBe(200);
});

test('an unknown and a wrong passkey get the same answer', async () => {
  const { passkey } = await addKeyHolder();
  const unknown = await signIn(createSoftPasskey(ORIGIN), { userHandle: 'eA' });
  const wrong = await signIn(passkey, { isVerified: false });
  expect(unknown.body).toEqual(wrong.body);
});

test('a challenge works once, also when two use it at the same time', async () => {
  const { passkey } = await addKeyHolder();
  const proof = passkey.use(await options());
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(proof)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  expect((await send(proof)).status).toBe(401);
});

test('a challenge that was answered wrongly works no more', async () => {
  const { passkey } = await addKeyHolder();
  const asked = await options();
  expect((await send(passkey.use(asked, { isVerified: false }))).status).toBe(401);
  expect((await send(passkey.use(asked))).status).toBe(401);
});

test('a counter that goes back is rejected and recorded', async () => {
  const { person, passkey, id } = await addKeyHolder({ counter: 5 });
  expect((await signIn(passkey)).status).toBe(200);
  for (const counter of [6, 3, 0]) {
    const { status, body } = await signIn(passkey, { counter });
    expect([status, body.error.message]).toEqual([401, expect.stringContaining('counter')]);
  }
  const { body } = await owner.call('GET', '/audit?action=passkey.rejected');
  expect(body.items[0]).toMatchObject({ target: id, actor: { id: person.id } });
});

test('of two uses with one counter, one succeeds', async () => {
  const { passkey } = await addKeyHolder({ counter: 1 });
  const proofs = await Promise.all([1, 2, 3].map(async () => passkey.use(await options(), { counter: 9 })));
  const answers = await Promise.all(proofs.map((proof) => send(proof)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
});

test('a deleted passkey signs nobody in, and the password suffices again', async () => {
  const { person, passkey, id, recoveryCodes } = await addKeyHolder();
  await person.call('DELETE', `/auth/passkeys/${id}`);
  expect((await signIn(passkey)).status).toBe(401);
  const { body } = await withPassword(person);
  expect(body).toMatchObject({ needsCode: false, passkeys: null });
  await turnOnTwoFactor(person);
  expect((await withPassword(person, { code: recoveryCodes[0] })).status).toBe(401);
});

test('the passkeys of others are 404', async () => {
  const { id } = await addKeyHolder();
  const { person } = await addKeyHolder();
  for (const [method, body] of [
    ['PATCH', { name: 'Mine' }],
    ['DELETE', {}],
  ] as const)
    for (const name of [id, 'pky_x', 'x'])
      expect((await person.call(method, `/auth/passkeys/${name}`, body)).status).toBe(404);
});

test('adding and deleting need the password, unless the person has just signed in', async () => {
  const { person, id } = await addKeyHolder();
  const uuid = decodeId('usr', person.id);
  await sql`update sessions set created_at = now() - interval '11 minutes' where user_id = ${uuid}`.execute(
    server.db,
  );
  for (const password of [undefined, 'wrong password']) {
    const begun = await person.call('POST', '/auth/passkeys/options', { password });
    expect([begun.status, begun.body.error.issues?.[0]?.path]).toEqual([400, '/password']);
    expect((await person.call('DELETE', `/auth/passkeys/${id}`, { password })).status).toBe(400);
    expect((await person.call('POST', '/auth/recovery-codes', { password })).status).toBe(400);
  }
  await sql`update sessions set created_at = now(), only_team = true where user_id = ${uuid}`.execute(
    server.db,
  );
  // Who controls the provider of a team must not get a way into the other teams of a person.
  expect((await person.call('POST', '/auth/passkeys/options', {})).status).toBe(400);
  expect((await person.call('POST', '/auth/passkeys/options', { password: PASSWORD })).status).toBe(200);
  expect((await person.call('POST', '/auth/recovery-codes', { password: PASSWORD })).status).toBe(200);
  for (let at = 0; at < 10; at++) await person.call('POST', '/auth/passkeys/options', { password: 'guess' });
  const closed = await person.call('DELETE', `/auth/passkeys/${id}`, { password: PASSWORD });
  expect(closed.status).toBe(429);
});

test('the challenge of one session adds no passkey in another', async () => {
  const person = await addPerson(server, owner, 'member');
  const { body } = await person.call('POST', '/auth/passkeys/options', {});
  const credential = createSoftPasskey(ORIGIN).make(body);
  expect((await owner.call('POST', '/auth/passkeys', { name: 'x', credential })).status).toBe(400);
  expect((await person.call('POST', '/auth/passkeys', { name: 'x', credential })).status).toBe(200);
  expect((await person.call('POST', '/auth/passkeys', { name: 'x', credential })).status).toBe(400);
});

test.each<[string, Lie]>([
  ['another origin', { origin: 'https://evil.test' }],
  ['another host', { rpId: 'evil.test' }],
  ['nobody verified', { isVerified: false }],
  ['another kind of response', { type: 'webauthn.get' }],
  ['no credential ID', { id: '' }],
])('a passkey made with %s is 400', async (_what, lie) => {
  const person = await addPerson(server, owner, 'member');
  const { status } = await register(person, createSoftPasskey(ORIGIN), lie);
  expect(status).toBe(400);
  expect((await person.call('GET', '/auth/passkeys')).body.items).toEqual([]);
});

test('an attestation is not read, whatever it says', async () => {
  const person = await addPerson(server, owner, 'member');
  const attStmt = new Map<unknown, unknown>([
    ['alg', -7],
    ['sig', Buffer.from('x')],
    ['x5c', [Buffer.from('no certificate')]],
  ]);
  const { status } = await register(person, createSoftPasskey(ORIGIN), {
    statement: { fmt: 'packed', attStmt },
  });
  expect(status).toBe(200);
});

test.each([
  [{}],
  [{ credential: 5 }],
  [{ credential: { id: 'x', rawId: 'x', type: 'public-key', response: {} } }],
  [{ credential: { id: '', rawId: '', type: 'public-key', response: { clientDataJSON: 'x' } } }],
  ['{broken'],
  [[]],
])('signing in with %j is 400', async (body) => {
  expect((await server.call('POST', '/auth/passkeys/sign-in', body, from())).status).toBe(400);
});

test('a passkey of another person cannot be registered again', async () => {
  const { passkey } = await addKeyHolder();
  const other = await addPerson(server, owner, 'member');
  expect((await register(other, createSoftPasskey(ORIGIN), { id: passkey.id })).status).toBe(409);
  expect((await signIn(passkey)).status).toBe(200);
});

test('a person has at most 20 passkeys', async () => {
  const person = await addPerson(server, owner, 'member');
  const begun = await Promise.all(
    Array.from({ length: 22 }, () => person.call('POST', '/auth/passkeys/options', {})),
  );
  const statuses = [];
  for (const { body } of begun) {
    const credential = createSoftPasskey(ORIGIN).make(body);
    statuses.push((await person.call('POST', '/auth/passkeys', { name: 'x', credential })).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(2);
  expect((await person.call('POST', '/auth/passkeys/options', {})).status).toBe(409);
});

test('the last way to sign in cannot be deleted', async () => {
  const { person, id } = await addKeyHolder();
  const uuid = decodeId('usr', person.id)!;
  await sql`update users set has_password = false where id = ${uuid}`.execute(server.db);
  const kept = await person.call('DELETE', `/auth/passkeys/${id}`);
  expect([kept.status, kept.body.error.code]).toEqual([409, 'CONFLICT']);
  await sql`insert into identities (issuer, subject, user_id) values ('https://login.test', ${uuid}, ${uuid})`.execute(
    server.db,
  );
  const unlink = `/auth/identities?issuer=${encodeURIComponent('https://login.test')}&subject=${uuid}`;
  // Of two requests at the same time, each would leave the way that the other takes away.
  const answers = await Promise.all([
    person.call('DELETE', `/auth/passkeys/${id}`),
    person.call('DELETE', unlink),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('a code of the authenticator app works beside a passkey, and recovery codes last as long as either', async () => {
  const { person, id } = await addKeyHolder();
  const { secret, confirmed } = await turnOnTwoFactor(person);
  expect((await withPassword(person, { code: totpCode(secret, stepAt(Date.now())) })).status).toBe(200);
  const codes = confirmed.body.recoveryCodes as string[];
  expect((await person.call('DELETE', '/auth/totp', { password: PASSWORD })).status).toBe(200);
  expect((await withPassword(person, { code: codes[0] })).status).toBe(200);
  const { body } = await person.call('POST', '/auth/recovery-codes', {});
  expect((await withPassword(person, { code: codes[1] })).status).toBe(401);
  expect((await withPassword(person, { code: body.recoveryCodes[0] })).status).toBe(200);
  await person.call('DELETE', `/auth/passkeys/${id}`);
  expect((await person.call('POST', '/auth/recovery-codes', {})).status).toBe(409);
});

test('an app that was never confirmed gives no codes', async () => {
  const { person } = await addKeyHolder();
  const { secret } = await turnOnTwoFactor(person);
  await person.call('DELETE', '/auth/totp', { password: PASSWORD });
  await sql`
    update users set totp_secret = (select totp_secret from users where id = ${decodeId('usr', owner.id)})
    where id = ${decodeId('usr', person.id)}`.execute(server.db);
  expect((await withPassword(person, { code: totpCode(secret, stepAt(Date.now())) })).status).toBe(401);
});

test('ten wrong attempts from one network are enough', async () => {
  const { passkey } = await addKeyHolder();
  const here = from();
  const asked = await Promise.all(Array.from({ length: 11 }, options));
  const statuses = [];
  for (const one of asked) statuses.push((await send(passkey.use(one, { isVerified: false }), here)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect((await send(passkey.use(await options()), here)).status).toBe(429);
  expect((await signIn(passkey)).status).toBe(200);
});

test('where a provider is required, a passkey opens the team for owners alone', async () => {
  const { person, passkey } = await addKeyHolder();
  const { teamId } = await server.createTeam();
  const uuid = decodeId('usr', person.id);
  await sql`delete from sessions where user_id = ${uuid}`.execute(server.db);
  await sql`update memberships set team_id = ${teamId} where user_id = ${uuid}`.execute(server.db);
  await sql`
    insert into team_sign_on (team_id, issuer, client_id, client_secret, domains, group_roles, required, by_owner)
    values (${teamId}, 'https://login.test', 'x', '', '{}', '{}', true, true)`.execute(server.db);
  const refused = await signIn(passkey);
  expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []]);
  await sql`update memberships set role = 'owner' where user_id = ${uuid}`.execute(server.db);
  expect((await signIn(passkey)).status).toBe(200);
});

test('the first proof of an address removes the passkeys of whoever had the account', async () => {
  const { person, passkey } = await addKeyHolder();
  await sql`update users set proven_at = null where id = ${decodeId('usr', person.id)}`.execute(server.db);
  const token = await createPasswordReset(server.db, person.email, 1);
  await server.call('POST', '/auth/reset', { token, password: 'a staple of batteries' });
  expect((await signIn(passkey)).status).toBe(401);
});

test('passkeys of another host are listed and do not sign in', async () => {
  const { person, passkey, recoveryCodes } = await addKeyHolder();
  await sql`
    update passkeys set rp_id = 'old.harbour.test' where user_id = ${decodeId('usr', person.id)}`.execute(
    server.db,
  );
  const { body } = await person.call('GET', '/auth/passkeys');
  expect(body.items).toMatchObject([{ host: 'old.harbour.test', worksHere: false }]);
  expect((await signIn(passkey)).status).toBe(401);
  // The password does not suffice either.
  expect((await withPassword(person)).body).toMatchObject({ needsCode: true, passkeys: null });
  expect((await withPassword(person, { code: recoveryCodes[0] })).status).toBe(200);
});
