import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { SignJWT, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../audit/audit.schema.ts';
import { addDomain } from '../../../testing/factories.ts';
import {
  acceptInvitation,
  addPerson,
  createPersonCall,
  invite,
  PASSWORD,
  setUpOwner,
  type TestPerson,
} from '../../../testing/people.ts';
import { freePorts } from '../../../testing/servers/free-ports.ts';
import {
  CLIENT,
  openBrowser,
  startIdentityProvider,
  type IdentityProvider,
} from '../../../testing/servers/identity-provider.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const roleOf = (state: unknown) => (state as { role: string } | null)?.role ?? null;

let server: TestServer;
let provider: IdentityProvider;
let owner: TestPerson;
let team: TestTeam;

beforeAll(async () => {
  const [port] = await freePorts(1);
  server = await startTestServer({
    httpPort: port!,
    env: { WEBHOOK_ALLOW_PRIVATE: 'true', BASE_URL: `http://127.0.0.1:${port}` },
  });
  owner = await setUpOwner(server);
  team = await server.createTeam();
  provider = await startIdentityProvider([`${server.url}/sso/callback/1`], `${server.url}/sso/logout/1`);
  await addDomain(server.db, 1, 'harbour.test');
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

const settings = (more: object = {}) => ({
  issuer: provider.issuer,
  ...CLIENT,
  domains: ['harbour.test'],
  ...more,
});
const put = (more: object = {}) => owner.call('PUT', '/sso', settings(more));

beforeEach(async () => {
  await owner.call('DELETE', '/sso');
});

/** Signs in with the provider, and returns the session or the text of the page. */
async function signOn(name: string, claims: object, url = `${server.url}/sso/start?team=1`) {
  provider.people.set(name, { ...claims });
  const browser = openBrowser();
  const page = await browser.signIn(url, name);
  const cookie = browser.cookies.get('ph_session');
  const call = cookie === undefined ? null : createPersonCall(server.url, `ph_session=${cookie}`);
  const session = call ? (await call('GET', '/auth/session')).body : null;
  return { page, session, call, browser };
}
const verified = (email: string, more: object = {}) => ({
  email,
  email_verified: true,
  name: 'Grace',
  ...more,
});
const unique = () => randomBytes(4).toString('hex');

test('the settings are checked, and the secret is not shown', async () => {
  const saved = await put();
  expect(saved.status).toBe(200);
  expect(saved.body).toMatchObject({
    issuer: provider.issuer,
    clientId: 'posthorn',
    domains: ['harbour.test'],
    defaultRole: 'member',
    required: false,
    redirectUri: `${server.url}/sso/callback/1`,
  });
  expect(JSON.stringify(saved.body)).not.toContain(CLIENT.clientSecret);
  for (const wrong of [
    { issuer: 'http://127.0.0.1:1' },
    { issuer: 'ftp://x' },
    { domains: ['stranger.test'] },
    { groupRoles: { boss: 'owner' } },
    { defaultRole: 'owner' },
    { clientSecret: '' },
  ])
    expect([wrong, (await put(wrong)).status]).toEqual([wrong, 400]);
  expect((await owner.call('GET', '/sso')).body).toEqual(saved.body);
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('PUT', '/sso', settings())).status).toBe(403);
  expect((await team.call('GET', '/sso')).status).toBe(404);
});

test('a new person with a verified address of the domain joins, and comes back as the same person', async () => {
  await put();
  const name = `grace-${unique()}`;
  const first = await signOn(name, verified(`${name}@harbour.test`));
  expect(first.session).toMatchObject({
    user: { email: `${name}@harbour.test`, name: 'Grace', proven: true },
    team: { id: 1 },
    role: 'member',
  });
  // The address may change at the provider. The person is the subject.
  const again = await signOn(name, verified(`${name}-new@harbour.test`));
  expect(again.session.user.id).toBe(first.session.user.id);
});

test('a person who gets the address of another gets no account of theirs until that person was removed', async () => {
  await put();
  const email = `role-${unique()}@harbour.test`;
  const first = await signOn(`first-${unique()}`, verified(email));
  const name = `second-${unique()}`;
  const second = await signOn(name, verified(email));
  expect([second.session, second.page.status]).toEqual([null, 403]);
  expect(second.page.text).toContain('another person at your provider');
  expect((await owner.call('DELETE', `/members/${first.session.user.id}`)).status).toBe(200);
  const again = await signOn(name, verified(email));
  expect(again.session).toMatchObject({ user: { email }, role: 'member' });
  expect(again.session.user.id).not.toBe(first.session.user.id);
});

test.each([
  ['an address of another domain', (name: string) => verified(`${name}@elsewhere.test`)],
  [
    'an address that is not verified',
    (name: string) => ({ email: `${name}@harbour.test`, email_verified: false }),
  ],
  ['no address', () => ({})],
  ['an address that is none', () => verified('no address')],
])('a new person with %s gets no account', async (_case, claims) => {
  await put();
  const name = `stranger-${unique()}`;
  const { page, session } = await signOn(name, claims(name));
  expect(session).toBeNull();
  expect(page.status).toBe(403);
  expect(page.text).toContain('No account here belongs to you');
});

test('a provider opens no account whose domain the team has not verified', async () => {
  await put();
  const victim = await addPerson(server, owner, 'member');
  const { session } = await signOn(`thief-${unique()}`, verified(victim.email));
  expect(session).toBeNull();
});

test('an account is linked by its verified address; one of an owner only if an owner chose the provider', async () => {
  const boss = `boss-${unique()}@harbour.test`;
  const token = await invite(owner, 'owner', boss);
  const accepted = await acceptInvitation(server, token, 'Boss');
  expect(accepted.email).toBe(boss);
  await sql`update users set proven_at = now() where email = ${boss}`.execute(server.db);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'K', permission: 'full' });
  const byKey = await fetch(`${server.url}/api/v1/sso`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings()),
  });
  expect(byKey.status).toBe(200);
  expect((await signOn(`boss-${unique()}`, verified(boss))).session).toBeNull();
  await put();
  const { session } = await signOn(`boss-${unique()}`, verified(boss));
  expect(session).toMatchObject({ user: { id: accepted.id }, role: 'owner' });
});

test('an account that somebody made with the address of another person does not keep their password', async () => {
  await put();
  const email = `squatted-${unique()}@harbour.test`;
  const squatter = await acceptInvitation(server, await invite(owner, 'member', email), 'Someone');
  await sql`update users set proven_at = null where email = ${email}`.execute(server.db);
  const { session } = await signOn(`real-${unique()}`, verified(email));
  expect(session.user).toMatchObject({ id: squatter.id, proven: true });
  expect((await squatter.call('GET', '/auth/session')).status).toBe(401);
  expect((await server.call('POST', '/auth/sign-in', { email, password: PASSWORD })).status).toBe(401);
});

test('groups give the role at every sign-in, and without one nobody joins', async () => {
  await put({ groupsClaim: 'groups', groupRoles: { staff: 'member', boss: 'admin' }, defaultRole: null });
  const name = `groups-${unique()}`;
  const roleWith = async (groups: unknown) =>
    (await signOn(name, verified(`${name}@harbour.test`, { groups }))).session?.role ?? null;
  expect(await roleWith(undefined)).toBeNull();
  expect(await roleWith(['constructor'])).toBeNull();
  expect(await roleWith(['staff'])).toBe('member');
  expect(await roleWith(['staff', 'boss'])).toBe('admin');
  expect(await roleWith('staff')).toBe('member');
  expect(await roleWith(['other'])).toBeNull();
  const { items } = (await owner.call('GET', '/audit?action=member.')).body;
  const recorded = items
    .filter(({ actor }: AuditEntry) => actor.name === `${name}@harbour.test`)
    .map(({ action, before, after }: AuditEntry) => [action, roleOf(before), roleOf(after)]);
  expect(recorded).toEqual([
    ['member.role-changed', 'admin', 'member'],
    ['member.role-changed', 'member', 'admin'],
    ['member.joined', null, 'member'],
  ]);
});

test('a session of the provider of a team opens no other team', async () => {
  await put();
  const name = `only-${unique()}`;
  const { session, call } = await signOn(name, verified(`${name}@harbour.test`));
  await sql`
    insert into memberships (team_id, user_id, role)
    select ${team.teamId}, id, 'member' from users where email = ${session.user.email}`.execute(server.db);
  const switched = await call!('POST', '/auth/switch-team', { teamId: team.teamId });
  expect(switched.status).toBe(403);
  // Nor does it get the person another way in, which would.
  expect((await call!('POST', '/auth/identities/start')).status).toBe(403);
  const query = `?issuer=${encodeURIComponent(provider.issuer)}&subject=${name}`;
  expect((await call!('DELETE', `/auth/identities${query}`)).status).toBe(403);
  expect((await call!('POST', '/auth/passkeys/options', {})).status).toBe(409);
  expect((await call!('POST', '/auth/switch-team', { teamId: 999_999 })).status).toBe(404);
});

test('where it is required, members need it, and owners keep their password', async () => {
  const member = await addPerson(server, owner, 'member');
  expect((await put({ required: true })).status).toBe(200);
  expect((await member.call('GET', '/auth/session')).status).toBe(401);
  const refused = await server.call('POST', '/auth/sign-in', { email: member.email, password: PASSWORD });
  expect(refused.status).toBe(403);
  expect(refused.body.error.message).toContain('Sign in with your company');
  const wrong = await server.call('POST', '/auth/sign-in', { email: member.email, password: 'wrong' });
  expect(wrong.status).toBe(401);
  const { status } = await server.call('POST', '/auth/sign-in', { email: owner.email, password: PASSWORD });
  expect(status).toBe(200);
  expect((await owner.call('GET', '/sso')).status).toBe(200);
});

test('an identity is linked after signing in with the password, and unlinked', async () => {
  await put();
  const person = await addPerson(server, owner, 'member');
  const name = `linked-${unique()}`;
  const { body } = await person.call('POST', '/auth/identities/start');
  provider.people.set(name, verified('elsewhere@elsewhere.test'));
  // Another browser, in which nobody is signed in, cannot use the link.
  expect((await openBrowser().signIn(body.url, name)).status).toBe(401);
  const cookies = new Map([['ph_session', person.cookie.replace('ph_session=', '')]]);
  await openBrowser(cookies).signIn(body.url, name);
  const { session } = await signOn(name, verified('elsewhere@elsewhere.test'));
  expect(session.user.id).toBe(person.id);
  const { body: listed } = await person.call('GET', '/auth/identities');
  expect(listed.items).toMatchObject([{ issuer: provider.issuer, subject: name }]);
  const query = `?issuer=${encodeURIComponent(provider.issuer)}&subject=${name}`;
  expect((await owner.call('DELETE', `/auth/identities${query}`)).status).toBe(404);
  expect((await person.call('DELETE', `/auth/identities${query}`)).status).toBe(200);
  expect((await signOn(name, verified('elsewhere@elsewhere.test'))).session).toBeNull();
});

test('a response without its cookie, twice, or with another state signs nobody in', async () => {
  await put();
  for (const path of [
    'callback/1?code=x&state=y',
    'callback?code=x&state=y',
    'callback/0',
    'callback/x',
    'nothing',
  ])
    expect((await openBrowser().get(`${server.url}/sso/${path}`)).status).toBeGreaterThanOrEqual(400);
  const browser = openBrowser();
  const started = await fetch(`${server.url}/sso/start?team=1`, { redirect: 'manual' });
  browser.cookies.set('ph_sso', /ph_sso=([^;]*)/.exec(started.headers.get('set-cookie')!)![1]!);
  const forged = await browser.get(`${server.url}/sso/callback/1?code=x&state=y`);
  expect(forged.status).toBe(401);
  expect(browser.cookies.has('ph_session')).toBe(false);
  const other = await browser.get(`${server.url}/sso/callback?code=x&state=y`);
  expect(other.status).toBe(401);
});

test('an invitation is for the person whose address is verified', async () => {
  await put();
  const person = await addPerson(server, owner, 'member');
  const name = `guest-${unique()}`;
  const { body } = await person.call('POST', '/auth/identities/start');
  provider.people.set(name, { email: 'boss@harbour.test' });
  const cookies = new Map([['ph_session', person.cookie.replace('ph_session=', '')]]);
  await openBrowser(cookies).signIn(body.url, name);
  await sql`delete from memberships where user_id = (select id from users where email = ${person.email})`.execute(
    server.db,
  );
  await invite(owner, 'admin', 'boss@harbour.test');
  const { session } = await signOn(name, { email: 'boss@harbour.test', email_verified: false });
  expect([session?.user.id, session?.role]).toEqual([person.id, 'member']);
});

test('the address chooses the provider', async () => {
  await put();
  const start = (query: string) => fetch(`${server.url}/sso/start?${query}`, { redirect: 'manual' });
  expect((await start('email=ada@harbour.test')).headers.get('location')).toContain(
    'login_hint=ada%40harbour.test',
  );
  for (const query of ['email=ada@elsewhere.test', 'email=x', '', 'team=2', 'team=1e3', 'link=x'])
    expect((await start(query)).status).toBeGreaterThanOrEqual(400);
  expect((await server.call('GET', '/auth/ways')).body).toMatchObject({ singleSignOn: true });
});

test('the provider ends the sessions of a person, and nobody else can', async () => {
  await put();
  const name = `leaves-${unique()}`;
  const { call, browser } = await signOn(name, verified(`${name}@harbour.test`));
  expect((await call!('GET', '/auth/session')).status).toBe(200);
  const { privateKey } = await generateKeyPair('RS256');
  const forged = await new SignJWT({
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sub: name,
  })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(provider.issuer)
    .setAudience(CLIENT.clientId)
    .setIssuedAt()
    .setJti('1')
    .sign(privateKey);
  for (const token of [forged, 'x', '']) {
    const answer = await fetch(`${server.url}/sso/logout/1`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
    expect(answer.status).toBe(400);
  }
  expect((await call!('GET', '/auth/session')).status).toBe(200);
  const asked = await browser.get(`${provider.issuer}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)![1]!;
  await fetch(`${provider.issuer}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
    headers: { cookie: [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
  });
  await expect.poll(async () => (await call!('GET', '/auth/session')).status).toBe(401);
});

test('the provider of the instance signs in people of verified domains, in the team that has the domain', async () => {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const own = await startIdentityProvider([`${url}/sso/callback`]);
  const env = {
    BASE_URL: url,
    OIDC_ISSUER: own.issuer,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.clientSecret,
  };
  const other = await startTestServer({ env, httpPort: port! });
  try {
    const { teamId } = await other.createTeam();
    await addDomain(other.db, teamId, 'lighthouse.test');
    const visit = async (name: string, claims: object) => {
      own.people.set(name, { ...claims });
      const browser = openBrowser();
      const page = await browser.signIn(`${url}/sso/start`, name);
      const call = createPersonCall(url, `ph_session=${browser.cookies.get('ph_session')}`);
      return { page, session: await call('GET', '/auth/session') };
    };
    const known = await visit('ada', verified('ada@lighthouse.test'));
    expect(known.session.body).toMatchObject({ team: { id: teamId }, role: 'member' });
    const unknown = await visit('eve', verified('eve@elsewhere.test'));
    expect([unknown.page.status, unknown.session.status]).toEqual([403, 401]);
  } finally {
    await other.close();
    await own.close();
  }
});
