import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addPerson,
  invite,
  newEmail,
  PASSWORD,
  setUpOwner,
  signIn,
  type TestPerson,
} from '../../../testing/people.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { createPasswordReset } from './account.ts';
import { createSetupLink } from './setup.ts';

let server: TestServer;
let owner: TestPerson;
let other: TestTeam;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
  other = await server.createTeam();
});
afterAll(() => server.close());

function accept(token: string, change: object = {}) {
  return server.call('POST', '/auth/accept-invitation', {
    token,
    name: 'Grace',
    password: PASSWORD,
    ...change,
  });
}

function changeRole(person: TestPerson, role: string) {
  return owner.call('PATCH', `/members/${person.id}`, { role });
}

test('an invitation link is shown once and adds one member', async () => {
  const email = newEmail();
  const made = await owner.call('POST', '/invitations', { email, role: 'member' });
  expect(made.body).toEqual({
    id: expect.stringMatching(/^inv_/),
    email,
    role: 'member',
    link: expect.stringMatching(new RegExp(`^${server.config.baseUrl}/invitation\\?token=[0-9a-z]{52}$`)),
    // The sandbox sends no email.
    mailed: false,
    notMailedBecause: 'sandbox',
    expiresAt: expect.stringMatching(/Z$/),
    createdAt: expect.stringMatching(/Z$/),
  });
  const days = (Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt)) / 86_400_000;
  expect(days).toBeCloseTo(7, 1);
  const token = new URL(made.body.link).searchParams.get('token')!;
  const listed = await owner.call('GET', '/invitations');
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(made.body.id);
  expect(JSON.stringify(listed.body)).not.toContain(token);

  const shown = await server.call('GET', `/auth/invitation?token=${token}`);
  expect(shown.body).toEqual({ email, teamName: 'My team', proves: false });
  const answers = await Promise.all([accept(token), accept(token)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  const { body } = answers.find(({ status }) => status === 200)!;
  expect(body).toMatchObject({ user: { email, name: 'Grace' }, team: { id: 1 }, role: 'member' });
  expect((await server.call('GET', `/auth/invitation?token=${token}`)).status).toBe(400);
  expect((await owner.call('POST', '/invitations', { email, role: 'admin' })).status).toBe(409);
});

test('a withdrawn, replaced or expired invitation cannot be accepted', async () => {
  const email = newEmail();
  const first = await invite(owner, 'member', email);
  const second = await invite(owner, 'member', email);
  expect((await accept(first)).status).toBe(400);
  await sql`update invitations set expires_at = now() - interval '1 second' where email = ${email}`.execute(
    server.db,
  );
  expect((await accept(second)).status).toBe(400);
  expect((await server.call('GET', `/auth/invitation?token=${second}`)).status).toBe(400);
  const third = await invite(owner, 'member', email);
  const { body } = await owner.call('GET', '/invitations');
  const { id } = body.items.find((item: { email: string }) => item.email === email);
  expect((await other.call('DELETE', `/invitations/${id}`)).status).toBe(404);
  expect((await owner.call('DELETE', `/invitations/${id}`)).body).toEqual({ id, success: true });
  expect((await owner.call('DELETE', `/invitations/${id}`)).status).toBe(404);
  expect((await accept(third)).status).toBe(400);
  for (const bad of ['', 'x'.repeat(300)])
    expect((await server.call('GET', `/auth/invitation?token=${bad}`)).status).toBe(400);
  expect((await accept(await invite(owner, 'member'), { password: 'short' })).status).toBe(400);
});

test('an account joins a second team only with its own password, and can switch between both', async () => {
  const added = await addPerson(server, owner, 'member');
  const made = await other.call('POST', '/invitations', { email: added.email.toUpperCase(), role: 'admin' });
  const token = new URL(made.body.link).searchParams.get('token')!;
  const early = await accept(token);
  expect([early.status, early.body.error.message]).toEqual([409, expect.stringContaining('not proven')]);
  // The operator's link proves the address.
  const reset = await createPasswordReset(server.db, added.email, 1);
  await server.call('POST', '/auth/reset', { token: reset, password: PASSWORD });
  const person = await signIn(server, added.email);
  expect((await accept(token, { password: 'the link alone' })).status).toBe(401);
  const joined = await accept(token, { name: 'Someone else' });
  expect(joined.body).toMatchObject({
    user: { id: person.id, name: 'A member' },
    team: { id: other.teamId },
    role: 'admin',
  });

  const teams = await person.call('GET', '/auth/teams');
  expect(teams.body.items).toEqual([
    { id: 1, name: 'My team', role: 'member' },
    { id: other.teamId, name: 'Test team', role: 'admin' },
  ]);
  expect((await person.call('GET', '/team')).body.id).toBe(1);
  const moved = await person.call('POST', '/auth/switch-team', { teamId: other.teamId });
  expect(moved.body.team.id).toBe(other.teamId);
  expect((await person.call('GET', '/team')).body.id).toBe(other.teamId);
  const third = await server.createTeam();
  expect((await person.call('POST', '/auth/switch-team', { teamId: third.teamId })).status).toBe(404);
  expect((await person.call('GET', '/auth/session')).body.team.id).toBe(other.teamId);

  await owner.call('DELETE', `/members/${person.id}`);
  expect((await person.call('GET', '/team')).body.id).toBe(other.teamId);
});

test('a changed role takes effect within a second', async () => {
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('GET', '/api-keys')).status).toBe(403);
  expect((await changeRole(member, 'admin')).body).toMatchObject({ id: member.id, role: 'admin' });
  const keys = async () => (await member.call('GET', '/api-keys')).status;
  await expect.poll(keys, { timeout: 1_000, interval: 20 }).toBe(200);
  await changeRole(member, 'member');
  await expect.poll(keys, { timeout: 1_000, interval: 20 }).toBe(403);
});

test('only owners can manage owners; admins and API keys cannot', async () => {
  const admin = await addPerson(server, owner, 'admin');
  const { body: made } = await admin.call('POST', '/api-keys', { name: 'K', permission: 'full' });
  const byKey = { authorization: `Bearer ${made.key}`, cookie: '' };
  for (const headers of [{}, byKey]) {
    expect((await admin.call('PATCH', `/members/${owner.id}`, { role: 'member' }, headers)).status).toBe(403);
    expect((await admin.call('PATCH', `/members/${admin.id}`, { role: 'owner' }, headers)).status).toBe(403);
    expect((await admin.call('DELETE', `/members/${owner.id}`, undefined, headers)).status).toBe(403);
    const invited = { email: newEmail(), role: 'owner' };
    expect((await admin.call('POST', '/invitations', invited, headers)).status).toBe(403);
  }
});

test('a team keeps its last owner, even when two owners leave at the same time', async () => {
  expect((await changeRole(owner, 'admin')).status).toBe(409);
  expect((await owner.call('DELETE', `/members/${owner.id}`)).status).toBe(409);

  const team = await server.createTeam();
  const token = await createSetupLink(server.db, team.teamId);
  const email = newEmail();
  await server.call('POST', '/auth/setup', { token, name: 'One', email, password: PASSWORD });
  const one = await signIn(server, email);
  const two = await addPerson(server, one, 'owner');
  const answers = await Promise.all([
    one.call('PATCH', `/members/${one.id}`, { role: 'member' }),
    two.call('DELETE', `/members/${two.id}`),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const { body } = await team.call('GET', '/members');
  expect(body.items.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1);
  await expect(createSetupLink(server.db, team.teamId)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a removed member loses access within a second and can join again as a new user', async () => {
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('GET', '/team')).status).toBe(200);
  expect((await other.call('DELETE', `/members/${member.id}`)).status).toBe(404);
  expect((await owner.call('DELETE', `/members/${member.id}`)).body).toEqual({
    id: member.id,
    success: true,
  });
  await expect
    .poll(async () => (await member.call('GET', '/team')).status, { timeout: 1_000, interval: 20 })
    .toBe(401);
  expect((await owner.call('DELETE', `/members/${member.id}`)).status).toBe(404);
  const input = { email: member.email, password: PASSWORD };
  expect((await server.call('POST', '/auth/sign-in', input)).status).toBe(401);
  const back = await accept(await invite(owner, 'member', member.email), { password: 'another password' });
  expect(back.status).toBe(200);
  expect(back.body.user.id).not.toBe(member.id);
});

test('a team cannot see the members of another team, and unknown ids are not found', async () => {
  expect((await other.call('GET', '/members')).body.items.map(({ id }: { id: string }) => id)).not.toContain(
    owner.id,
  );
  for (const id of [owner.id, 'x', 'usr_00000000000000000000000000']) {
    expect((await other.call('PATCH', `/members/${id}`, { role: 'member' })).status).toBe(404);
  }
  expect((await changeRole(owner, 'king')).status).toBe(400);
  expect((await owner.call('POST', '/invitations', { email: 'nobody', role: 'member' })).status).toBe(400);
  expect((await owner.call('POST', '/invitations', { email: newEmail() })).status).toBe(400);
});
