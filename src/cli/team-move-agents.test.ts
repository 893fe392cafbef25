/** Moves a team with keys of people, agents, approvals, passkeys and an audit log to another instance. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sealAudit } from '../features/audit/seal-audit.ts';
import { createSetupLink } from '../features/identity/people/setup.ts';
import { parseInstanceSecret } from '../platform/crypto.ts';
import { createSoftPasskey } from '../testing/clients/authenticator.ts';
import { createSendingTeam, type SendingTeam } from '../testing/fixtures/sending-team.ts';
import { addPerson, newEmail, PASSWORD, signIn, type TestPerson } from '../testing/people.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import {
  createCall,
  secretOfDatabase,
  startTestServer,
  type Call,
  type TestServer,
} from '../testing/test-server.ts';
import { teamCommand } from './team.ts';

let sink: SmtpSink;
let source: TestServer;
let target: TestServer;
let team: SendingTeam;
let owner: TestPerson;
let folder: string;

async function startInstance(name: string): Promise<TestServer> {
  return startTestServer({
    doors: ['http', 'worker'],
    env: {
      BASE_URL: `https://${name}.example`,
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      DKIM_SIGN: 'false',
    },
  });
}

/** The owner of a team, whose address is proven. */
async function addOwner(server: TestServer, teamId: number, email: string): Promise<TestPerson> {
  const token = await createSetupLink(server.db, teamId, email);
  await server.call('POST', '/auth/setup', { token, name: 'Ada', email, password: PASSWORD });
  return signIn(server, email);
}

beforeEach(async () => {
  sink = await startSmtpSink();
  source = await startInstance('one');
  target = await startInstance('two');
  folder = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
  team = await createSendingTeam(source, 'mover');
  // Takes the numbers of the team and its domains, and has a person of the same address.
  const other = await createSendingTeam(target, 'other');
  await other.addDomain('other-two.test');
  const email = newEmail();
  owner = await addOwner(source, team.teamId, email);
  await addOwner(target, other.teamId, email);
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source.close();
  await target.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

async function move(): Promise<void> {
  const { databaseUrl, dataDir, baseUrl } = target.config;
  const file = join(folder, 'target.env');
  writeFileSync(file, `DATABASE_URL='${databaseUrl}'\nDATA_DIR=${dataDir}\nBASE_URL=${baseUrl}\n`);
  await teamCommand(['move', '--team', String(team.teamId), '--to', file, '--new-links'], source.config);
}

const secretOf = ({ config }: TestServer) => parseInstanceSecret(secretOfDatabase(config.databaseUrl!));

async function made(call: Call, path: string, input: object) {
  const { status, body } = await call('POST', path, input);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

/** Signs in to the moved team. */
async function enter(email: string, more: { code?: string } = {}): Promise<TestPerson> {
  const { body } = await createCall(target.url, team.key)('GET', '/team');
  const person = await signIn(target, email, PASSWORD, more);
  expect((await person.call('POST', '/auth/switch-team', { teamId: body.id })).status).toBe(200);
  return person;
}

test('keys of people, policies and approvals work in the other instance, and an application asks again', async () => {
  const second = await team.addDomain('mover-two.test');
  const { body: domains } = await team.call('GET', '/domains');
  const domainIds = domains.map(({ id }: { id: number }) => id);
  const bound = await made(owner.call, '/api-keys', { name: 'Bound', permission: 'full', domainIds });
  const policy = await made(owner.call, '/send-policies', { name: 'Asks', mode: 'approve_all' });
  const agent = await made(owner.call, '/api-keys', {
    name: 'Agent',
    permission: 'full',
    kind: 'agent',
    policyId: policy.id,
  });
  const application = await made(owner.call, '/api-keys', { name: 'Application', permission: 'full' });
  await sql`update api_keys set client = 'mcp_x' where name = 'Application'`.execute(source.db);
  const email = { from: `ada@${team.domain}`, to: 'bob@example.org', subject: 'Hello', text: 'x' };
  const send = (call: Call, more: object = {}) => made(call, '/emails', { ...email, ...more });
  const rejected = await send(createCall(source.url, agent.key));
  await made(owner.call, `/approvals/${rejected.approvalId}/reject`, { reason: 'No.' });
  const pending = await send(createCall(source.url, agent.key));
  expect(domainIds).toContain(second);

  await move();
  const there = createCall(target.url, bound.key);
  const names = (await there('GET', '/domains')).body.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['mover-two.test', team.domain].toSorted());
  expect((await send(createCall(target.url, agent.key))).status).toBe('held');
  expect((await createCall(target.url, application.key)('GET', '/domains')).status).toBe(401);

  const person = await enter(owner.email);
  const decided = (await person.call('GET', `/approvals/${rejected.approvalId}`)).body;
  expect(decided).toMatchObject({ state: 'rejected', decidedBy: person.id });
  const { hash } = (await person.call('GET', `/approvals/${pending.approvalId}`)).body;
  await made(person.call, `/approvals/${pending.approvalId}/approve`, { hash });
  await expect.poll(() => sink.messages.map(({ recipients }) => recipients)).toEqual([['bob@example.org']]);
}, 120_000);

test('passkeys and the audit log come along, and the log is whole', async () => {
  const member = await addPerson(source, owner, 'member');
  const { body: options } = await member.call('POST', '/auth/passkeys/options', { password: PASSWORD });
  const credential = createSoftPasskey('https://one.example').make(options);
  const added = await made(member.call, '/auth/passkeys', { name: 'Laptop', credential });
  await sealAudit(source.db, secretOf(source));
  await made(owner.call, '/send-policies', { name: 'Not sealed yet', mode: 'free' });
  const { items: before } = (await owner.call('GET', '/audit')).body;
  expect(before[0].action).toBe('send-policy.created');

  await move();
  const [code] = added.recoveryCodes;
  const person = await enter(member.email, { code });
  expect((await person.call('GET', '/auth/passkeys')).body.items).toMatchObject([
    { id: added.id, name: 'Laptop', host: 'one.example', worksHere: false },
  ]);
  const there = createCall(target.url, team.key);
  const { items } = (await there('GET', '/audit')).body;
  expect(items.slice(-before.length)).toEqual(before);
  const verify = async () => (await there('GET', '/audit/verification')).body;
  const unsealed = await verify();
  expect(unsealed.faults).toEqual([]);
  expect(unsealed.foreign).toBeGreaterThan(0);
  await sealAudit(target.db, secretOf(target));
  expect(await verify()).toMatchObject({ faults: [], unsealed: 0, foreign: unsealed.foreign });
}, 120_000);
