/** Moves a team to an instance where someone has made accounts for the addresses of its people. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSetupLink } from '../features/identity/people/setup.ts';
import {
  acceptInvitation,
  newEmail,
  PASSWORD,
  setUpOwner,
  signIn,
  turnOnTwoFactor,
  type TestPerson,
} from '../testing/people.ts';
import { createSendingTeam, type SendingTeam } from '../testing/fixtures/sending-team.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { teamCommand } from './team.ts';

const ATTACKERS = 'a staple of batteries';

let sink: SmtpSink;
let source: TestServer;
let target: TestServer;
let team: SendingTeam;
/** The owner of the team that moves. */
let victim: TestPerson;
/** A customer of the instance that the team moves to. */
let hostile: SendingTeam;
let folder: string;

async function startInstance(): Promise<TestServer> {
  return startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}`, DKIM_SIGN: 'false' },
  });
}

beforeEach(async () => {
  sink = await startSmtpSink();
  source = await startInstance();
  target = await startInstance();
  folder = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
  team = await createSendingTeam(source, 'mover');
  hostile = await createSendingTeam(target, 'hostile');
  await team.call('PATCH', '/team', { name: 'Mover' });
  await hostile.call('PATCH', '/team', { name: 'Hostile' });
  const email = newEmail();
  const token = await createSetupLink(source.db, team.teamId, email);
  await source.call('POST', '/auth/setup', { token, name: 'Victim', email, password: PASSWORD });
  victim = await signIn(source, email);
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source.close();
  await target.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

async function move(from = source, to = target, teamId = team.teamId): Promise<void> {
  const { databaseUrl, dataDir, baseUrl } = to.config;
  const file = join(folder, 'target.env');
  writeFileSync(file, `DATABASE_URL='${databaseUrl}'\nDATA_DIR=${dataDir}\nBASE_URL=${baseUrl}\n`);
  await teamCommand(['move', '--team', String(teamId), '--to', file, '--new-links'], from.config);
}

async function receiveToken(email: string, path: '/invitation' | '/reset'): Promise<string> {
  const find = () =>
    sink.messages.findLast(({ recipients, data }) => recipients.includes(email) && data.includes(path));
  await expect.poll(find, { interval: 20 }).toBeDefined();
  const { text } = await PostalMime.parse(find()!.data);
  return /token=([0-9a-z]+)/.exec(text!)![1]!;
}

/** Makes an account in the target for the address, with a link that the inviter has used. */
async function squat(email: string): Promise<TestPerson> {
  await hostile.call('POST', '/invitations', { email, role: 'admin' });
  await sql`update invitations set proves = false`.execute(target.db);
  return acceptInvitation(target, await receiveToken(email, '/invitation'), 'Squatter', ATTACKERS);
}

async function proveByMail(email: string, password: string): Promise<TestPerson> {
  await target.call('POST', '/auth/forgotten', { email });
  const token = await receiveToken(email, '/reset');
  expect((await target.call('POST', '/auth/reset', { token, password })).status).toBe(200);
  return signIn(target, email, password);
}

const rolesOf = async (person: TestPerson) =>
  Object.fromEntries(
    (await person.call('GET', '/auth/teams')).body.items.map(
      ({ name, role }: { name: string; role: string }) => [name, role],
    ),
  );

test('someone who has made an account for the address of an owner gets nothing of the team', async () => {
  const squatter = await squat(victim.email);
  await turnOnTwoFactor(squatter, ATTACKERS);
  const { body: mailbox } = await team.call('POST', '/mailboxes', { address: `desk@${team.domain}` });
  const path = `/mailboxes/${mailbox.id}/app-passwords`;
  expect((await victim.call('POST', path, { name: 'Phone' })).status).toBe(200);

  await move();

  expect(Object.keys(await rolesOf(squatter))).toEqual(['Hostile']);
  const { rows } = await sql<{ id: number }>`
    select id from teams where arrived_from is not null`.execute(target.db);
  const moved = rows[0]!.id;
  expect((await squatter.call('POST', '/auth/switch-team', { teamId: moved })).status).toBe(404);
  const again = await target.call('POST', '/auth/sign-in', { email: victim.email, password: PASSWORD });
  expect(again.status).toBe(401);

  // The real owner proves the address, and the squatter loses the account.
  const owner = await proveByMail(victim.email, 'correct horse and cart');
  expect(await rolesOf(owner)).toEqual({ Hostile: 'admin', Mover: 'owner' });
  expect((await squatter.call('GET', '/auth/session')).status).toBe(401);
  await owner.call('POST', '/auth/switch-team', { teamId: moved });
  expect((await owner.call('GET', path)).body.items).toMatchObject([{ name: 'Phone' }]);
  const { body: members } = await owner.call('GET', '/members');
  expect(members.items).toMatchObject([{ email: victim.email, role: 'owner', proven: true }]);
  expect((await sql`select from users where waiting`.execute(target.db)).rows).toEqual([]);
}, 120_000);

test('a person joins the account with the same address if it is proven', async () => {
  await hostile.call('POST', '/invitations', { email: victim.email, role: 'member' });
  const token = await receiveToken(victim.email, '/invitation');
  const known = await acceptInvitation(target, token, 'Victim', ATTACKERS);
  await move();
  expect(await rolesOf(known)).toEqual({ Hostile: 'member', Mover: 'owner' });
}, 120_000);

test('people without an account in the other instance keep their password, their proof and their second factor', async () => {
  await turnOnTwoFactor(victim);
  await move();
  const input = { email: victim.email, password: PASSWORD };
  expect((await target.call('POST', '/auth/sign-in', input)).body.needsCode).toBe(true);
  const { rows } = await sql<{ proven: boolean }>`
    select proven_at is not null as proven from users where email = ${victim.email}`.execute(target.db);
  expect(rows).toEqual([{ proven: true }]);
}, 120_000);

test('who waits can prove the address even after the other account is gone', async () => {
  const squatter = await squat(victim.email);
  const owner = await setUpOwner(target);
  await move();
  await sql`delete from memberships where user_id in (select id from users where name = 'Squatter')`.execute(
    target.db,
  );
  await sql`delete from users where name = 'Squatter'`.execute(target.db);
  expect((await squatter.call('GET', '/auth/session')).status).toBe(401);
  expect((await owner.call('GET', '/auth/session')).status).toBe(200);
  const back = await proveByMail(victim.email, 'correct horse and cart');
  expect(await rolesOf(back)).toEqual({ Mover: 'owner' });
}, 120_000);
