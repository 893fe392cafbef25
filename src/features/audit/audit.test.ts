import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../platform/ids.ts';
import { addDomain } from '../../testing/factories.ts';
import { addPerson, PASSWORD, setUpOwner, signIn, type TestPerson } from '../../testing/people.ts';
import { parseInstanceSecret } from '../../platform/crypto.ts';
import {
  createCall,
  secretOfDatabase,
  startTestServer,
  type TestServer,
  type TestTeam,
} from '../../testing/test-server.ts';
import { DOORS } from '../../http/vendors/vendors.ts';
import { apiRoutes } from '../../http/routes.ts';
import { rolesOf } from '../api/roles.ts';
import type { CalledRoute } from '../api/route.ts';
import { AUDITED, AUDITED_SOMETIMES, UNRECORDED } from './actions.ts';
import type { AuditEntry } from './audit.schema.ts';
import { sealAudit } from './seal-audit.ts';
import { verifyAudit } from './verify-audit.ts';

let server: TestServer;
let team: TestTeam;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
  team = await server.createTeam();
});
afterAll(() => server.close());

async function list(query = '', { call }: Pick<TestTeam, 'call'> = team): Promise<AuditEntry[]> {
  const { status, body } = await call('GET', `/audit${query}`);
  expect(status).toBe(200);
  return body.items;
}

const secret = () => parseInstanceSecret(secretOfDatabase(server.config.databaseUrl!));
const seal = () => sealAudit(server.db, secret());
const verify = (head: string | null = null) => verifyAudit(server.db, secret(), team.teamId, head);

test('a change is recorded with who made it, what it was before and after, and no secret', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'audit.test' });
  await team.call('PATCH', `/domains/${domain.id}`, { clickTracking: true });
  const { body: key } = await team.call('POST', '/api-keys', { name: 'Website', permission: 'sending' });
  const [created, updated, made] = await list();
  expect(created).toMatchObject({ action: 'api-key.created', target: key.id, before: null });
  expect(created!.after).toMatchObject({ name: 'Website', permission: 'sending', key: '(hidden)' });
  expect(updated).toMatchObject({
    action: 'domain.updated',
    target: String(domain.id),
    before: { clickTracking: false },
    after: { clickTracking: true },
  });
  expect(updated!.before).not.toHaveProperty('name');
  expect(made).toMatchObject({ action: 'domain.created', actor: { kind: 'key', ip: '127.0.0.1' } });
  expect(made!.actor.id).toMatch(/^key_/);
  const { rows } = await sql<{ found: boolean }>`
    select bool_or(position(${key.key} in content) > 0) as found from audit_entries`.execute(server.db);
  expect(rows[0]!.found).toBe(false);
});

test('what is in a list only is recorded as it was, on whatever page it stands', async () => {
  const make = async (name: string) =>
    (await team.call('POST', '/api-keys', { name, scopes: ['mail.read'] })).body.id as string;
  const id = await make('Oldest');
  await sql`
    insert into api_keys (team_id, id, name, key_hash, key_start, permission, scopes, created_at)
    select team_id, gen_random_uuid(), 'Newer', sha256(n::text::bytea), key_start, permission, scopes, now() + interval '1 s'
    from api_keys, generate_series(1, 120) as n where id = ${decodeId('key', id)}
  `.execute(server.db);
  await team.call('PATCH', `/api-keys/${id}`, { name: 'Renamed' });
  await team.call('DELETE', `/api-keys/${id}`);
  const [revoked, updated] = await list(`?target=${id}`);
  expect(updated).toMatchObject({ before: { name: 'Oldest' }, after: { name: 'Renamed' } });
  expect(revoked).toMatchObject({ before: { name: 'Renamed', scopes: ['mail.read'] }, after: null });
});

test('what is made in a mailbox is recorded with what it is and the mailbox', async () => {
  await addDomain(server.db, team.teamId, 'made.test');
  const { body: box } = await team.call('POST', '/mailboxes', { address: 'ada@made.test' });
  const { body: app } = await team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Phone' });
  const { body: block } = await team.call('POST', `/mailboxes/${box.id}/blocks`, {
    entry: 'spam.test',
    action: 'spam',
  });
  await team.call('DELETE', `/mailboxes/${box.id}/app-passwords/${app.id}`);
  await team.call('PATCH', `/mailboxes/${box.id}/automatic-reply`, { enabled: true, text: 'Away' });
  const [replied, revoked, blocked, made] = await list();
  expect(made).toMatchObject({ action: 'app-password.created', target: app.id });
  expect(made!.after).toMatchObject({ parent: box.id, name: 'Phone', password: '(hidden)' });
  expect(blocked).toMatchObject({ action: 'block.added', target: block.id, after: { entry: '@spam.test' } });
  expect(revoked).toMatchObject({ action: 'app-password.revoked', before: { name: 'Phone' } });
  expect(replied).toMatchObject({ action: 'automatic-reply.updated', target: box.id });
  expect([replied!.before, replied!.after]).toMatchObject([{ enabled: false }, { enabled: true }]);
  expect(JSON.stringify(replied)).not.toContain('Away');
});

test('a rejected change is not recorded', async () => {
  const before = (await list()).length;
  expect((await team.call('POST', '/domains', { name: 'audit.test' })).status).toBe(409);
  expect((await team.call('PATCH', '/domains/2000000000', { clickTracking: true })).status).toBe(404);
  expect(await list()).toHaveLength(before);
});

test('sign-ins and people are recorded with the person', async () => {
  const admin = await addPerson(server, owner, 'admin');
  await signIn(server, admin.email);
  const entries = await list('', owner);
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['session.started', 'invitation.created']),
  );
  const joined = entries.find(({ action, target }) => action === 'member.joined' && target === admin.id);
  expect(joined).toMatchObject({
    actor: { id: admin.id },
    after: { role: 'admin' },
    requestId: expect.any(String),
  });
  const started = entries.find(({ action, target }) => action === 'session.started' && target === admin.id)!;
  expect(started.actor).toMatchObject({ kind: 'person', id: admin.id, name: admin.email });
  expect(started.requestId).toEqual(expect.any(String));
  expect((await owner.call('PATCH', `/members/${admin.id}`, { role: 'member' })).status).toBe(200);
  await owner.call('PATCH', '/auth/me', {
    name: 'Boss',
    currentPassword: PASSWORD,
    newPassword: `${PASSWORD}!`,
  });
  const [account] = await list('?action=account.updated', owner);
  expect(account!.after).toEqual({ name: 'Boss', currentPassword: '(hidden)', newPassword: '(hidden)' });
  const [changed] = await list('?action=member.role-changed', owner);
  expect(changed).toMatchObject({
    target: admin.id,
    actor: { id: owner.id },
    before: { role: 'admin' },
    after: { role: 'member' },
  });
  await owner.call('DELETE', `/members/${admin.id}`);
  const [removed] = await list('?action=member.removed', owner);
  expect(removed).toMatchObject({ target: admin.id, before: { email: admin.email }, after: null });
});

test('members and keys without audit.read cannot read the log, and other teams see their own', async () => {
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('GET', '/audit')).status).toBe(403);
  const { body: weak } = await team.call('POST', '/api-keys', { name: 'Weak', scopes: ['domains.read'] });
  expect((await createCall(server.url, weak.key)('GET', '/audit')).status).toBe(403);
  const { body: reader } = await team.call('POST', '/api-keys', { name: 'Reader', scopes: ['audit.read'] });
  expect((await createCall(server.url, reader.key)('GET', '/audit')).status).toBe(200);
  const other = await server.createTeam();
  expect((await list('?action=domain.', other)).length).toBe(0);
});

test('filters by actor, action, target and time', async () => {
  const [latest] = await list('?limit=1');
  expect(await list(`?target=${latest!.target}&action=${latest!.action}`)).toContainEqual(latest);
  expect((await list('?action=api-key.')).every(({ action }) => action.startsWith('api-key.'))).toBe(true);
  expect(await list('?actor=operator')).toEqual([]);
  expect(await list(`?from=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).toEqual([]);
  expect((await team.call('GET', '/audit?from=yesterday')).status).toBe(400);
  const first = await team.call('GET', '/audit?limit=2');
  const second = await team.call('GET', `/audit?limit=2&cursor=${first.body.next_cursor}`);
  expect(second.body.items[0].id < first.body.items[1].id).toBe(true);
});

test('the export has what the filters show, as lines of JSON or CSV, and is recorded itself', async () => {
  const { body: domain } = await team.call('POST', '/domains', { name: 'export.test' });
  const filters = `?action=domain.created&target=${domain.id}`;
  const { body: lines } = await team.call('GET', `/audit/export${filters}`);
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line)),
  ).toEqual(await list(filters));
  const { body: csv, headers } = await team.call('GET', `/audit/export.csv${filters}`);
  expect(headers.get('content-type')).toMatch(/^text\/csv/);
  const [head, row, ...rest] = csv.split('\r\n');
  expect([head.split(',').slice(5, 8), rest]).toEqual([['actor_ip', 'action', 'target'], ['']]);
  expect(row).toContain(`,127.0.0.1,domain.created,${domain.id},`);
  expect((await list('?action=audit.exported')).length).toBe(2);

  const { body: key } = await team.call('POST', '/api-keys', { name: '=1+1', scopes: ['audit.read'] });
  const reader = createCall(server.url, key.key);
  const { body: own } = await reader('GET', `/audit/export.csv?target=${key.id}`);
  expect(own).not.toContain(key.key);
  await reader('GET', '/audit/export.csv?limit=1');
  expect((await reader('GET', '/audit/export.csv?action=audit.exported')).body).toContain(",'=1+1,");
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', `/audit/export.csv${filters}`)).body).toBe(`${head}\r\n`);
  const member = await addPerson(server, owner, 'member');
  expect((await member.call('GET', '/audit/export.csv')).status).toBe(403);
});

test('the chain names a changed, a removed and an inserted entry, and a changed seal', async () => {
  await seal();
  await team.call('POST', '/domains', { name: 'chain.test' });
  await seal();
  const whole = await verify();
  expect(whole).toMatchObject({ faults: [], unsealed: 0 });
  expect(whole.seals).toBeGreaterThan(1);
  expect((await verify(whole.head)).faults).toEqual([]);
  expect((await verify('0'.repeat(64))).faults).toEqual([
    expect.stringContaining('does not contain the head'),
  ]);

  const [entry] = await list('?action=domain.created');
  const id = decodeId('aud', entry!.id)!;
  const tamper = async (change: ReturnType<typeof sql>, undo: ReturnType<typeof sql>) => {
    await change.execute(server.db);
    const { faults } = await verify();
    await undo.execute(server.db);
    return faults.join('\n');
  };
  expect(
    await tamper(
      sql`update audit_entries set action = 'domain.deleted' where id = ${id}`,
      sql`update audit_entries set action = 'domain.created' where id = ${id}`,
    ),
  ).toContain(`${entry!.id} (domain.deleted`);
  const content = JSON.stringify({ name: 'x', ip: null, before: null, after: null });
  const { rows } = await sql<{ content: string }>`select content from audit_entries where id = ${id}`.execute(
    server.db,
  );
  expect(
    await tamper(
      sql`update audit_entries set content = ${content} where id = ${id}`,
      sql`update audit_entries set content = ${rows[0]!.content} where id = ${id}`,
    ),
  ).toContain('The content of');
  await sql`create table kept as select * from audit_entries where id = ${id}`.execute(server.db);
  expect(
    await tamper(
      sql`delete from audit_entries where id = ${id}`,
      sql`insert into audit_entries select * from kept`,
    ),
  ).toContain('An entry of seal');
  expect(
    await tamper(
      sql`insert into audit_entries (team_id, id, at, actor_kind, action, content_hash, seal_no, content)
          select team_id, gen_random_uuid(), at, actor_kind, action, content_hash, seal_no, content from kept`,
      sql`delete from audit_entries e using kept k where e.seal_no = k.seal_no and e.team_id = k.team_id
          and e.at = k.at and e.id <> k.id and e.actor_id is null`,
    ),
  ).toContain('changed or inserted');
  expect(
    await tamper(
      sql`update audit_seals set entry_hashes = '' where team_id = ${team.teamId} and no = 1`,
      sql`select 1`,
    ),
  ).toContain('Seal 1 was changed');
});

test('what is done through the API of another vendor is recorded, and a campaign that starts when it is created', async () => {
  const vendor = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/resend${path}`, {
      method,
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(answer.status).toBeLessThan(300);
    return (await answer.json()) as { id: string };
  };
  const { id } = await vendor('POST', '/domains', { name: 'vendor.test' });
  await vendor('DELETE', `/domains/${id}`);
  const { id: hook } = await vendor('POST', '/webhooks', {
    endpoint: 'https://hooks.example/x',
    events: ['email.sent'],
  });
  expect((await list(`?target=${id}`)).map(({ action }) => action)).toEqual([
    'domain.deleted',
    'domain.created',
  ]);
  expect((await list('?action=webhook.created'))[0]).toMatchObject({ target: hook, actor: { kind: 'key' } });

  await addDomain(server.db, team.teamId, 'letters.test');
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Readers' });
  const create = async (more: object) =>
    (
      await team.call('POST', '/campaigns', {
        name: 'Spring',
        from: 'a@letters.test',
        subject: 's',
        html: '<p>x</p>',
        contactBookId: book.id,
        ...more,
      })
    ).body.id;
  const draft = await create({});
  const scheduled = await create({ scheduledAt: new Date(Date.now() + 86_400_000).toISOString() });
  expect(await list(`?target=${draft}`)).toEqual([]);
  expect(await list(`?target=${scheduled}`)).toMatchObject([{ action: 'campaign.started' }]);
});

test('every operation that needs an admin is recorded, or listed as one that changes nothing of note', () => {
  const everyRoute = [...apiRoutes, ...DOORS.flatMap(({ routes }) => routes)];
  const missing = everyRoute
    .filter((route): route is CalledRoute => route.method !== 'GET' && route.permission !== 'anyone')
    .filter((route) => !rolesOf(route).includes('member'))
    .map(({ operationId }) => operationId)
    .filter((id) => !(id in AUDITED) && !UNRECORDED.has(id));
  expect(missing).toEqual([]);
  const known = new Set(everyRoute.map(({ operationId }) => operationId));
  const named = [...Object.keys(AUDITED), ...Object.keys(AUDITED_SOMETIMES), ...UNRECORDED];
  const unknown = named.filter((id) => !known.has(id));
  expect(unknown).toEqual([]);
});
