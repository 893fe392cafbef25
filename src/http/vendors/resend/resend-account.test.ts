import type { Resend } from 'resend';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  resend = clientOf(team.key);
});

const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422, name: 'validation_error' };
const RESTRICTED = { statusCode: 401, name: 'restricted_api_key' };

describe('domains', () => {
  test('are created, shown with their records, changed, verified and removed', async () => {
    const name = `d${team.teamId}.test`;
    const { data } = await resend.domains.create({ name, region: 'eu-west-1', openTracking: true });
    const { id } = data!;
    expect(data).toMatchObject({
      id: expect.any(String),
      name,
      status: 'not_started',
      region: 'eu-west-1',
      open_tracking: true,
      click_tracking: false,
      capabilities: { sending: 'enabled', receiving: 'enabled' },
    });
    const kinds = data!.records.map(({ record, type }) => `${record} ${type}`);
    // Resend has no other kinds, and its SDK for Rust rejects them.
    expect(kinds.toSorted()).toEqual(['DKIM TXT', 'Receiving MX', 'SPF MX', 'SPF TXT']);
    expect((await resend.domains.update({ id, clickTracking: true })).data).toEqual({ object: 'domain', id });
    expect((await resend.domains.verify(id)).data).toEqual({ object: 'domain', id });
    expect((await resend.domains.get(id)).data).toMatchObject({
      object: 'domain',
      status: 'verified',
      open_tracking: true,
      click_tracking: true,
    });
    expect((await resend.domains.create({ name })).error).toMatchObject({ statusCode: 409 });
    const removed = { object: 'domain', id, deleted: true };
    expect((await resend.domains.remove(id)).data).toEqual(removed);
    expect((await resend.domains.get(id)).error).toMatchObject(MISSING);
    expect((await resend.domains.get('4f2c')).error).toMatchObject(MISSING);
  });

  test('have a region and a status that Resend has', async () => {
    const shown = async (id: string) => {
      const domain = (await resend.domains.get(id)).data!;
      const listed = (await resend.domains.list()).data!.data.find((each) => each.id === id)!;
      expect([listed.region, listed.status]).toEqual([domain.region, domain.status]);
      return [domain.region, domain.status];
    };
    const { id } = (await resend.domains.create({ name: `r${team.teamId}.test` })).data!;
    expect(await shown(id)).toEqual(['us-east-1', 'not_started']);
    await server.db
      .updateTable('domains')
      .set({ status: 'TEMPORARY_FAILURE', region: 'frankfurt' })
      .where('id', '=', Number(id))
      .execute();
    expect(await shown(id)).toEqual(['us-east-1', 'pending']);
    await resend.domains.remove(id);
  });

  test('are refused with settings that would change how mail is sent', async () => {
    const name = `e${team.teamId}.test`;
    for (const settings of [
      { tls: 'enforced' as const },
      { customReturnPath: 'outbound' },
      { trackingSubdomain: 'links' },
      { capabilities: { sending: 'disabled' as const } },
    ])
      expect((await resend.domains.create({ name, ...settings })).error).toMatchObject(INVALID);
    expect((await resend.domains.create({ name: 'no domain' })).error).toMatchObject(INVALID);
    expect((await resend.domains.list()).data!.data).toEqual([]);
  });

  test('are listed in pages, forwards and backwards', async () => {
    const ids: string[] = [];
    for (const no of [1, 2, 3]) {
      const { body } = await team.call('POST', '/domains', { name: `p${no}.d${team.teamId}.test` });
      ids.unshift(String(body.id));
    }
    const page = async (options: object) => {
      const { data } = await resend.domains.list(options);
      return { ids: data!.data.map(({ id }) => id), more: data!.has_more };
    };
    expect(await page({ limit: 2 })).toEqual({ ids: [ids[0], ids[1]], more: true });
    expect(await page({ limit: 2, after: ids[1] })).toEqual({ ids: [ids[2]], more: false });
    expect(await page({ limit: 1, before: ids[2] })).toEqual({ ids: [ids[1]], more: true });
    expect(await page({ limit: 2, before: ids[2] })).toEqual({ ids: [ids[0], ids[1]], more: false });
    expect((await resend.domains.list({ after: '77' })).error).toMatchObject(INVALID);
  });
});

describe('API keys', () => {
  test('are created, renamed, listed and removed', async () => {
    const { data } = await resend.apiKeys.create({ name: 'Site', permission: 'sending_access' });
    const { id, token } = data!;
    expect((await clientOf(token).apiKeys.list()).error).toMatchObject(RESTRICTED);
    expect((await resend.apiKeys.update(id, { name: 'Shop' })).data).toEqual({ object: 'api_key', id });
    const listed = (await resend.apiKeys.list()).data!;
    expect(listed.data[0]).toMatchObject({ id, name: 'Shop', last_used_at: null });
    expect((await resend.apiKeys.remove(id)).data).toEqual({ object: 'api_key', id, deleted: true });
    expect((await resend.apiKeys.remove(id)).error).toMatchObject(MISSING);
    expect((await resend.apiKeys.update(id, { name: 'x' })).error).toMatchObject(MISSING);
    expect((await clientOf(token).emails.list()).error).toMatchObject({ name: 'invalid_api_key' });
    expect((await resend.apiKeys.create({ name: '' })).error).toMatchObject(INVALID);
  });

  test('are bound to a domain, and then work with that domain alone', async () => {
    const own = (await resend.domains.create({ name: `b${team.teamId}.test` })).data!;
    const other = (await resend.domains.create({ name: `c${team.teamId}.test` })).data!;
    const key = (await resend.apiKeys.create({ name: 'x', domain_id: own.id })).data!;
    const bound = clientOf(key.token);
    expect((await bound.domains.list()).data!.data.map(({ id }) => id)).toEqual([own.id]);
    expect((await bound.domains.get(other.id)).error).toMatchObject(RESTRICTED);
    expect((await bound.suppressions.list()).error).toMatchObject(RESTRICTED);
    expect((await bound.apiKeys.create({ name: 'y' })).error).toMatchObject(RESTRICTED);
    expect((await resend.apiKeys.create({ name: 'x', domain_id: 'none' })).error).toMatchObject(MISSING);
  });

  test('are listed backwards as well', async () => {
    for (const name of ['one', 'two', 'three']) await resend.apiKeys.create({ name });
    const { data } = (await resend.apiKeys.list()).data!;
    const [three, two, one] = data;
    expect(one!.name).toBe('one');
    const before = (await resend.apiKeys.list({ limit: 1, before: one!.id })).data!;
    expect(before).toMatchObject({ has_more: true, data: [{ id: two!.id }] });
    const all = (await resend.apiKeys.list({ limit: 2, before: one!.id })).data!;
    expect(all).toMatchObject({ has_more: false, data: [{ id: three!.id }, { id: two!.id }] });
  });
});

describe('suppressions', () => {
  test('are added, found by id and address, listed by origin and removed', async () => {
    const added = (await resend.suppressions.add({ email: 'Ada@Example.com' })).data!;
    expect(added).toEqual({ object: 'suppression', id: expect.any(String) });
    const shown = { ...added, email: 'Ada@Example.com', origin: 'manual', source_id: null };
    expect((await resend.suppressions.get(added.id)).data).toMatchObject(shown);
    expect((await resend.suppressions.get('ada@example.com')).data).toMatchObject(shown);
    expect((await resend.suppressions.add({ email: 'ada@example.com' })).data).toEqual(added);
    expect((await resend.suppressions.list({ origin: 'manual' })).data!.data).toHaveLength(1);
    expect((await resend.suppressions.list({ origin: 'bounce' })).data!.data).toEqual([]);
    const other = clientOf((await server.createTeam()).key);
    expect((await other.suppressions.get(added.id)).error).toMatchObject(MISSING);
    expect((await other.suppressions.remove('ada@example.com')).error).toMatchObject(MISSING);
    expect((await resend.suppressions.remove('ada@example.com')).data).toEqual({ ...added, deleted: true });
    expect((await resend.suppressions.remove(added.id)).error).toMatchObject(MISSING);
    expect((await resend.suppressions.add({ email: 'nobody' })).error).toMatchObject(INVALID);
  });

  test('are added and removed in batches, in the order of the request', async () => {
    const emails = ['c@example.com', 'a@example.com', 'b@example.com'];
    const { data } = (await resend.suppressions.batch.add({ emails })).data!;
    expect(data).toHaveLength(3);
    expect((await resend.suppressions.get('a@example.com')).data!.id).toBe(data[1]!.id);
    const wrong = await resend.suppressions.batch.add({ emails: ['d@example.com', 'nobody'] });
    expect(wrong.error).toMatchObject(INVALID);
    expect((await resend.suppressions.list()).data!.data).toHaveLength(3);
    const gone = (await resend.suppressions.batch.remove({ ids: [data[0]!.id] })).data!;
    expect(gone.data).toEqual([{ ...data[0], deleted: true }]);
    await resend.suppressions.batch.remove({ emails });
    expect((await resend.suppressions.list()).data!.data).toEqual([]);
  });
});
