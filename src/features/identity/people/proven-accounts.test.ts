/** An account is a proven address: on an instance that can send mail, a link goes to the address alone. */
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  acceptInvitation,
  createPersonCall,
  newEmail,
  PASSWORD,
  setUpOwner,
  signIn,
  turnOnTwoFactor,
  type TestPerson,
} from '../../../testing/people.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { createPasswordReset } from './account.ts';
import { createSetupLink } from './setup.ts';

const NEW_PASSWORD = 'a staple of batteries';

let sink: SmtpSink;
let server: TestServer;
/** The owner of the first team, which runs the server and has a domain. */
let operator: TestPerson;
/** A customer without a domain. */
let hostile: TestTeam;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  operator = await setUpOwner(server);
  hostile = await server.createTeam();
  await hold(operator.call, 'host.test');
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(async () => {
  sink.reset();
  await sql`delete from sign_in_failures`.execute(server.db);
});

async function hold(call: TestPerson['call'], name: string): Promise<void> {
  const { body } = await call('POST', '/domains', { name });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
}

async function receiveToken(email: string, path: '/invitation' | '/reset'): Promise<string> {
  const find = () =>
    sink.messages.findLast(({ recipients, data }) => recipients.includes(email) && data.includes(path));
  await expect.poll(find, { interval: 20 }).toBeDefined();
  const { text } = await PostalMime.parse(find()!.data);
  return /token=([0-9a-z]+)/.exec(text!)![1]!;
}

async function resetByMail(email: string, password = NEW_PASSWORD) {
  sink.reset();
  expect((await server.call('POST', '/auth/forgotten', { email })).status).toBe(200);
  const token = await receiveToken(email, '/reset');
  return server.call('POST', '/auth/reset', { token, password });
}

/** Makes an account as it was made before links went to the address alone: the inviter has used the link. */
async function squat(email: string, role = 'member'): Promise<TestPerson> {
  await hostile.call('POST', '/invitations', { email, role });
  await sql`update invitations set proves = false where email = ${email}`.execute(server.db);
  return acceptInvitation(server, await receiveToken(email, '/invitation'), 'Squatter');
}

const session = async (person: TestPerson) => (await person.call('GET', '/auth/session')).body;
const teamsOf = async (person: TestPerson) =>
  (await person.call('GET', '/auth/teams')).body.items.map(({ id }: { id: number }) => id);

test('a team without a domain invites through the domain of the team that runs the server', async () => {
  const email = newEmail();
  const { body } = await hostile.call('POST', '/invitations', { email, role: 'member' });
  expect(body).toMatchObject({ mailed: true, link: null });
  const person = await acceptInvitation(server, await receiveToken(email, '/invitation'), 'Grace');
  expect((await session(person)).user).toMatchObject({ email, proven: true });
  const { body: members } = await hostile.call('GET', '/members');
  expect(members.items).toEqual([expect.objectContaining({ email, proven: true })]);
});

test('no setting of its own lets a team see the link: not a suppression, not another spelling', async () => {
  const email = newEmail();
  await hostile.call('POST', '/suppressions', { email });
  for (const spelled of [email, email.toUpperCase(), ` ${email} `]) {
    const { body } = await hostile.call('POST', '/invitations', { email: spelled, role: 'member' });
    expect(body.link).toBeNull();
  }
});

test('the domain of another customer sends no invitations, and the account is then not proven', async () => {
  await sql`update domains set held = false`.execute(server.db);
  const other = await server.createTeam();
  await hold(other.call, 'other.test');
  const { body } = await hostile.call('POST', '/invitations', { email: newEmail(), role: 'member' });
  expect(body).toMatchObject({ mailed: false, notMailedBecause: 'no_domain' });
  const token = new URL(body.link).searchParams.get('token')!;
  expect((await session(await acceptInvitation(server, token, 'Grace'))).user.proven).toBe(false);
  await sql`update domains set held = name = 'host.test'`.execute(server.db);
});

test('an address gets at most five invitations in 15 minutes, from all teams together', async () => {
  const email = newEmail();
  const teams = [hostile.call, operator.call];
  const answers = [];
  for (let at = 0; at < 6; at++)
    answers.push((await teams[at % 2]!('POST', '/invitations', { email, role: 'member' })).status);
  expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
});

test('a reset by mail takes an account away from someone who made it for a foreign address', async () => {
  const victim = newEmail();
  const squatter = await squat(victim, 'admin');
  expect((await session(squatter)).user.proven).toBe(false);
  await turnOnTwoFactor(squatter, PASSWORD);
  await squatter.call('POST', '/api-keys', { name: 'K', permission: 'full' });

  expect((await resetByMail(victim)).status).toBe(200);

  expect((await createPersonCall(server.url, squatter.cookie)('GET', '/auth/session')).status).toBe(401);
  await expect(signIn(server, victim, PASSWORD)).rejects.toThrow('Not let in');
  // The second factor of the other person is gone, so the new password is enough.
  const owner = await signIn(server, victim, NEW_PASSWORD);
  expect((await session(owner)).user).toMatchObject({ proven: true, totpEnabled: false });
  const { rows } = await sql`
    select from recovery_codes c join users u on u.id = c.user_id where u.email = ${victim}`.execute(
    server.db,
  );
  expect(rows).toEqual([]);
});

test('the first proof revokes app passwords, and later resets keep the second factor', async () => {
  const victim = newEmail();
  const squatter = await squat(victim, 'admin');
  await hold(hostile.call, 'hostile.test');
  const { body: mailbox } = await hostile.call('POST', '/mailboxes', { address: 'desk@hostile.test' });
  const path = `/mailboxes/${mailbox.id}/app-passwords`;
  expect((await squatter.call('POST', path, { name: 'Phone' })).status).toBe(200);
  await resetByMail(victim);
  expect((await hostile.call('GET', path)).body.items).toEqual([]);

  const owner = await signIn(server, victim, NEW_PASSWORD);
  await turnOnTwoFactor(owner, NEW_PASSWORD);
  expect((await resetByMail(victim, PASSWORD)).status).toBe(200);
  const again = await server.call('POST', '/auth/sign-in', { email: victim, password: PASSWORD });
  expect(again.body).toEqual({ needsCode: true, passkeys: null, session: null });
  await sql`delete from domains where name = 'hostile.test'`.execute(server.db);
});

test('a team that suppresses an address cannot keep it from being proven', async () => {
  const victim = newEmail();
  await squat(victim);
  await hold(hostile.call, 'hostile2.test');
  await hostile.call('POST', '/suppressions', { email: victim });
  expect((await resetByMail(victim)).status).toBe(200);
  await sql`delete from domains where name = 'hostile2.test'`.execute(server.db);
});

test('an invitation by mail takes over an unproven account, with the name and password of its owner', async () => {
  const victim = newEmail();
  const squatter = await squat(victim);
  await turnOnTwoFactor(squatter, PASSWORD);
  sink.reset();
  await operator.call('POST', '/invitations', { email: victim, role: 'admin' });
  const owner = await acceptInvitation(
    server,
    await receiveToken(victim, '/invitation'),
    'Victim',
    NEW_PASSWORD,
  );
  expect(await session(owner)).toMatchObject({
    user: { email: victim, name: 'Victim', proven: true, totpEnabled: false },
    team: { id: 1 },
    role: 'admin',
  });
  expect((await createPersonCall(server.url, squatter.cookie)('GET', '/auth/session')).status).toBe(401);
  await expect(signIn(server, victim, PASSWORD)).rejects.toThrow('Not let in');
});

test('of two links that prove an address at the same time, only one sets its password', async () => {
  const victim = newEmail();
  await squat(victim);
  const third = await server.createTeam();
  const tokens = [];
  for (const call of [operator.call, third.call]) {
    sink.reset();
    await call('POST', '/invitations', { email: victim, role: 'member' });
    tokens.push(await receiveToken(victim, '/invitation'));
  }
  const answers = await Promise.all(
    tokens.map((token, at) =>
      server.call('POST', '/auth/accept-invitation', { token, name: 'V', password: `${NEW_PASSWORD} ${at}` }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  // The other one comes too late for the first proof, or finds a proven account whose password it does not have.
  expect(statuses[0]).toBe(200);
  expect([401, 409]).toContain(statuses[1]);
  const won = answers.findIndex(({ status }) => status === 200);
  await signIn(server, victim, `${NEW_PASSWORD} ${won}`);
});

test('a proven account is not opened by an invitation alone, and joins with its password', async () => {
  const email = newEmail();
  await operator.call('POST', '/invitations', { email, role: 'member' });
  const person = await acceptInvitation(server, await receiveToken(email, '/invitation'), 'Grace');
  sink.reset();
  await hostile.call('POST', '/invitations', { email, role: 'member' });
  const token = await receiveToken(email, '/invitation');
  const answer = await server.call('POST', '/auth/accept-invitation', {
    token,
    name: 'X',
    password: NEW_PASSWORD,
  });
  expect(answer.status).toBe(401);
  await acceptInvitation(server, token, 'X');
  expect(await teamsOf(person)).toEqual([1, hostile.teamId]);
});

test('a link for a new team proves an address only if the operator has named it', async () => {
  const setUp = (token: string, email: string) =>
    server.call('POST', '/auth/setup', { token, name: 'Customer', email, password: PASSWORD });
  const first = await server.createTeam();
  const typed = await setUp(await createSetupLink(server.db, first.teamId), newEmail());
  expect(typed.body.user.proven).toBe(false);

  const second = await server.createTeam();
  const email = newEmail();
  const token = await createSetupLink(server.db, second.teamId, email);
  const wrong = await setUp(token, newEmail());
  expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringContaining(email)]);
  expect((await setUp(token, email.toUpperCase())).body.user.proven).toBe(true);
  expect((await session(operator)).user.proven).toBe(true);
});

test('the operator’s reset link proves an address and works on a squatted account', async () => {
  const victim = newEmail();
  const squatter = await squat(victim);
  await turnOnTwoFactor(squatter, PASSWORD);
  const token = await createPasswordReset(server.db, victim, 1);
  expect((await server.call('POST', '/auth/reset', { token, password: NEW_PASSWORD })).status).toBe(200);
  expect((await session(await signIn(server, victim, NEW_PASSWORD))).user.proven).toBe(true);
});

const from = (address: string) => ({ 'x-forwarded-for': address });

test('a browser that has just reset the password is known, so guessing does not keep it out', async () => {
  const victim = newEmail();
  await squat(victim);
  const answer = await resetByMail(victim);
  const device = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  expect(device).toMatch(/^ph_device=[0-9a-z]{52}$/);
  const wrong = { email: victim, password: 'wrong password' };
  for (let at = 0; at < 101; at++)
    await server.call('POST', '/auth/sign-in', wrong, from(`198.51.100.${at}`));
  const right = { email: victim, password: NEW_PASSWORD };
  const elsewhere = await server.call('POST', '/auth/sign-in', right, from('203.0.113.200'));
  expect(elsewhere.status).toBe(429);
  const here = await server.call('POST', '/auth/sign-in', right, {
    ...from('203.0.113.201'),
    cookie: device,
  });
  expect(here.status).toBe(200);
});

test('a sign-in that began before the proof does not outlive it', async () => {
  const victim = newEmail();
  await squat(victim);
  const token = await createPasswordReset(server.db, victim, 1);
  const before = server.db.transaction().execute(async (trx) => {
    await sql`select from users where email = ${victim} for update`.execute(trx);
    const late = server.call('POST', '/auth/sign-in', { email: victim, password: PASSWORD });
    await expect
      .poll(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for share%'
            and datname = current_database()`.execute(server.db);
        return rows.length;
      })
      .toBe(1);
    // What a reset does, on the connection that holds the lock.
    await sql`update users set password_hash = 'another' where email = ${victim}`.execute(trx);
    return { late };
  });
  expect((await (await before).late).status).toBe(401);
  expect((await server.call('POST', '/auth/reset', { token, password: NEW_PASSWORD })).status).toBe(200);
});
