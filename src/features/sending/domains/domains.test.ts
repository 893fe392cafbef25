import { sql } from 'kysely';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let dns: DnsServer;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { DNS_SERVERS: dns.address, MAIL_HOST: 'mx.posthorn.example', MAIL_TRANSPORT: 'direct' },
  });
  team = await server.createTeam();
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

interface DnsRecordBody {
  type: 'TXT' | 'MX';
  name: string;
  value: string;
  priority: string | null;
  status: string;
  recommended: boolean;
}

async function create(name: string, by = team) {
  const { status, body } = await by.call('POST', '/domains', { name });
  expect(status).toBe(200);
  return body;
}

async function get(id: number) {
  return (await team.call('GET', `/domains/${id}`)).body;
}

async function verify(id: number, by = team): Promise<void> {
  const answer = await by.call('PUT', `/domains/${id}/verify`);
  expect([answer.status, answer.body]).toEqual([200, { message: 'Domain verification started' }]);
}

async function statusAfterwards(id: number): Promise<void> {
  await expect.poll(async () => (await get(id)).lastCheckedTime).not.toBeNull();
}

/** Publishes a domain's records in the zone. `change` may alter or drop one. */
function publish(
  domain: { name: string; subdomain: string; dnsRecords: DnsRecordBody[] },
  change: (record: DnsRecordBody) => DnsRecordBody | null = (record) => record,
): void {
  const registrable = domain.subdomain ? domain.name.slice(domain.subdomain.length + 1) : domain.name;
  for (const name of Object.keys(dns.zone)) if (name.endsWith(registrable)) delete dns.zone[name];
  for (const record of domain.dnsRecords.map(change)) {
    if (!record) continue;
    const host = record.name === '@' ? registrable : `${record.name}.${registrable}`;
    const entry = (dns.zone[host] ??= {});
    if (record.type === 'TXT') (entry.TXT ??= []).push(record.value);
    else (entry.MX ??= []).push({ priority: Number(record.priority), exchange: record.value });
  }
}

describe('a new domain', () => {
  test('is NOT_STARTED, with a key of its own and the records to publish', async () => {
    const domain = await create('Mail.Example.COM');
    expect(domain).toMatchObject({
      name: 'mail.example.com',
      subdomain: 'mail',
      teamId: team.teamId,
      status: 'NOT_STARTED',
      region: 'default',
      dkimStatus: 'NOT_STARTED',
      spfDetails: 'NOT_STARTED',
      dmarcAdded: false,
      isVerifying: false,
      errorMessage: null,
      verificationError: null,
      lastCheckedTime: null,
      clickTracking: false,
      openTracking: false,
    });
    const key = createPublicKey({
      key: Buffer.from(domain.publicKey, 'base64'),
      type: 'spki',
      format: 'der',
    });
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048);
    const [dmarc, tls] = ['DMARC1; p=none', 'TLSRPTv1'].map((start) =>
      expect.stringMatching(`^v=${start}; rua=mailto:`),
    );
    expect(
      domain.dnsRecords.map((r: DnsRecordBody) => [
        r.type,
        r.name,
        r.value,
        r.priority,
        r.status,
        r.recommended,
      ]),
    ).toEqual([
      ['TXT', 'ph1._domainkey.mail', `v=DKIM1; k=rsa; p=${domain.publicKey}`, null, 'NOT_STARTED', false],
      ['MX', 'bounce.mail', 'mx.posthorn.example', '10', 'NOT_STARTED', false],
      ['TXT', 'bounce.mail', 'v=spf1 a:mx.posthorn.example ~all', null, 'NOT_STARTED', false],
      ['TXT', '_dmarc.mail', dmarc, null, 'NOT_STARTED', true],
      ['MX', 'mail', 'mx.posthorn.example', '10', 'NOT_STARTED', true],
      ['TXT', '_smtp._tls.mail', tls, null, 'NOT_STARTED', true],
    ]);
    expect(await get(domain.id)).toEqual(domain);
    const registrable = await create('registrable.example');
    expect(registrable.subdomain).toBe('');
    const names = ['ph1._domainkey', 'bounce', 'bounce', '_dmarc', '@', '_smtp._tls'];
    expect(registrable.dnsRecords.map((r: DnsRecordBody) => r.name)).toEqual(names);
  });

  test('has its private key encrypted in the database', async () => {
    const { id } = await create('sealed.example');
    const { private_key: sealed } = await server.db
      .selectFrom('domains')
      .select('private_key')
      .where('team_id', '=', team.teamId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(sealed.length).toBeGreaterThan(1000);
    // PKCS #8 starts with a sequence of version 0; encrypted bytes look random.
    expect(sealed.includes(Buffer.from('020100300d06092a864886f70d010101', 'hex'))).toBe(false);
  });

  test.each([
    '',
    'localhost',
    'com',
    'co.uk',
    'a b.com',
    'exa_mple.com',
    '-a.com',
    'http://example.com',
    'example.com/path',
    'example.com?query',
    'exam%70le.com',
    'user@example.com',
    '127.0.0.1',
    'x'.repeat(64) + '.com',
    'a..com',
    'example.com.',
  ])('the name %j is refused', async (name) => {
    expect((await team.call('POST', '/domains', { name })).status).toBe(400);
  });

  test.each(['UPPER', '', 'a b', 'x'.repeat(33), 5])('the region %j is refused', async (region) => {
    expect((await team.call('POST', '/domains', { name: 'region.example', region })).status).toBe(400);
  });

  test('of two concurrent requests for one name only one succeeds', async () => {
    const calls = [1, 2].map(() => team.call('POST', '/domains', { name: 'twins.test' }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('an IDN is stored in A-labels and cannot be added twice', async () => {
    expect((await create('bücher.example')).name).toBe('xn--bcher-kva.example');
    const again = await team.call('POST', '/domains', { name: 'xn--bcher-kva.example' });
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('verification', () => {
  test('detects missing, wrong and correct records', async () => {
    const domain = await create('journey.example');
    await verify(domain.id);
    await statusAfterwards(domain.id);
    expect(await get(domain.id)).toMatchObject({
      status: 'PENDING',
      isVerifying: true,
      dkimStatus: 'PENDING',
    });
    expect((await get(domain.id)).verificationError).toContain('ph1._domainkey.journey.example');

    publish(domain, (record) =>
      record.value.startsWith('v=DKIM1') ? { ...record, value: 'v=DKIM1; k=rsa; p=WRONG' } : record,
    );
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('FAILED');
    const failed = await get(domain.id);
    expect(failed).toMatchObject({
      isVerifying: false,
      dkimStatus: 'FAILED',
      spfDetails: 'SUCCESS',
      dmarcAdded: true,
    });
    expect(failed.verificationError).toMatch(
      /ph1\._domainkey\.journey\.example: expected ".*", found "v=DKIM1; k=rsa; p=WRONG"/,
    );

    publish(domain);
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
    const done = await get(domain.id);
    expect(done).toMatchObject({
      isVerifying: false,
      dkimStatus: 'SUCCESS',
      spfDetails: 'SUCCESS',
      dmarcAdded: true,
      verificationError: null,
    });
    expect(done.dnsRecords.every((record: DnsRecordBody) => record.status === 'SUCCESS')).toBe(true);
  });

  test('recommended records may be missing', async () => {
    const domain = await create('plain.example');
    publish(domain, (record) => (record.recommended ? null : record));
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
    expect((await get(domain.id)).dmarcAdded).toBe(false);
  });

  test('a key in several strings with spaces, and an SPF with other mechanisms, are accepted', async () => {
    const domain = await create('spread.example');
    publish(domain, (record) => {
      if (record.value.startsWith('v=spf1'))
        return { ...record, value: 'v=spf1 include:other.example +a:MX.posthorn.example -all' };
      return record.value.startsWith('v=DKIM1')
        ? { ...record, value: record.value.replace('p=', 'p= ') }
        : record;
    });
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
  });

  test.each([
    ['second SPF record', 'bounce', 'v=spf1 include:other.example -all', { spfDetails: 'FAILED' }],
    ['second DMARC record', '_dmarc', 'v=DMARC1; p=reject', { status: 'SUCCESS', dmarcAdded: false }],
    ['key of another team', 'ph1._domainkey', 'v=DKIM1; k=rsa; p=OTHER', { status: 'SUCCESS' }],
  ])('a %s beside ours counts as receivers count it', async (what, label, value, state) => {
    const domain = await create(`${what.replaceAll(' ', '-')}.example`);
    publish(domain);
    dns.zone[`${label}.${domain.name}`]!.TXT!.push(value);
    await verify(domain.id);
    await expect.poll(() => get(domain.id)).toMatchObject(state);
  });

  test.each(['silent', 'servfail'] as const)(
    'a resolver that is %s gives a temporary failure, and the check is repeated',
    async (behaviour) => {
      const domain = await create(`${behaviour}.example`);
      publish(domain);
      dns.setBehaviour(behaviour);
      await verify(domain.id);
      await expect.poll(async () => (await get(domain.id)).status).toBe('TEMPORARY_FAILURE');
      expect(await get(domain.id)).toMatchObject({ isVerifying: true, dkimStatus: 'TEMPORARY_FAILURE' });
      dns.setBehaviour('normal');
      // A new request does not wait for the delay of the planned job.
      await verify(domain.id);
      await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
    },
  );

  test('a verified domain that loses a record stays verified for 72 hours, and verifying again does not extend that', async () => {
    const domain = await create('fading.example');
    publish(domain);
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
    expect((await jobOf(domain.id))!.run_at.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);

    publish(domain, (record) => (record.type === 'MX' ? null : record));
    await hurryJob(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('TEMPORARY_FAILURE');
    const from = { doubleOptInFrom: 'News <news@fading.example>', name: 'Still ours' };
    expect((await team.call('POST', '/contactBooks', from)).status).toBe(200);

    await sql`update domains set checking_since = now() - interval '73 hours' where id = ${domain.id}`.execute(
      server.db,
    );
    await verify(domain.id);
    await expect.poll(async () => (await get(domain.id)).status).toBe('FAILED');
    expect((await team.call('POST', '/contactBooks', from)).status).toBe(400);
    expect(await jobOf(domain.id)).toBeUndefined();
  });

  test('20 concurrent calls check the records one after the other', async () => {
    const domain = await create('hurried.example');
    publish(domain);
    await Promise.all(Array.from({ length: 20 }, () => verify(domain.id)));
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
    await expect.poll(() => countJobs(domain.id)).toBe(1);
  });

  test('a new request during a check repeats the check', async () => {
    const domain = await create('asked-again.example');
    publish(domain, (record) =>
      record.value.startsWith('v=DKIM1') ? { ...record, value: 'v=DKIM1; k=rsa; p=WRONG' } : record,
    );
    const firstLook = new AbortController();
    dns.setBehaviour({ until: once(firstLook.signal, 'abort') });
    await verify(domain.id);
    const isAsked = () => dns.queries.some(({ name }) => name === 'ph1._domainkey.asked-again.example');
    await expect.poll(isAsked).toBe(true);
    publish(domain);
    dns.setBehaviour('normal');
    await verify(domain.id);
    firstLook.abort();
    await expect.poll(async () => (await get(domain.id)).status).toBe('SUCCESS');
  });

  test('two teams may add a name, but only one can hold it', async () => {
    const other = await server.createTeam();
    const mine = await create('claimed.example');
    const theirs = await create('claimed.example', other);
    publish(mine);
    await verify(mine.id);
    await expect.poll(async () => (await get(mine.id)).status).toBe('SUCCESS');
    publish(theirs);
    await verify(theirs.id, other);
    const read = async () => (await other.call('GET', `/domains/${theirs.id}`)).body;
    await expect.poll(async () => (await read()).status).toBe('FAILED');
    expect((await read()).errorMessage).toContain('Another team');
  });
});

async function jobOf(domainId: number): Promise<{ run_at: Date } | undefined> {
  const { rows } = await sql<{ run_at: Date }>`
    select due_at as run_at from jobs where key = ${`verify-domain ${domainId}`}`.execute(server.db);
  return rows[0];
}

async function countJobs(domainId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from jobs where queue = ${`verify-domain ${domainId}`}`.execute(server.db);
  return rows[0]!.count;
}

/** Runs the planned check now instead of tomorrow. */
async function hurryJob(domainId: number): Promise<void> {
  await sql`
    select add_job('verify-domain', ${JSON.stringify({ teamId: team.teamId, domainId })}::json,
      queue_name => ${`verify-domain ${domainId}`}, job_key => ${`verify-domain ${domainId}`})`.execute(
    server.db,
  );
}

describe('settings and access', () => {
  test('PATCH changes tracking, and DELETE also deletes the bound keys', async () => {
    const { id } = await create('around.example');
    expect((await team.call('PATCH', `/domains/${id}`, { clickTracking: true })).body).toMatchObject({
      clickTracking: true,
      openTracking: false,
    });
    expect((await team.call('PATCH', `/domains/${id}`, { openTracking: 'yes' })).status).toBe(400);
    const { body: bound } = await team.call('POST', '/api-keys', {
      name: 'Bound',
      permission: 'full',
      domainId: id,
    });
    const call = createCall(server.url, bound.key);
    expect((await call('GET', '/domains')).body.map((domain: { id: number }) => domain.id)).toEqual([id]);
    expect((await call('GET', `/domains/${id}`)).status).toBe(200);
    expect((await call('GET', `/domains/${id - 1}`)).status).toBe(403);
    expect((await call('POST', '/domains', { name: 'more.example' })).status).toBe(403);
    expect((await team.call('DELETE', `/domains/${id}`)).body).toEqual({
      id,
      success: true,
      message: 'Domain deleted successfully',
    });
    expect((await team.call('GET', `/domains/${id}`)).status).toBe(404);
    await expect.poll(async () => (await call('GET', '/domains')).status, { timeout: 1_000 }).toBe(401);
  });

  test('another team gets 404; ids that are not numbers are 400', async () => {
    const other = await server.createTeam();
    const { id } = await create('walled.example');
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/verify'],
    ] as const) {
      const answer = await other.call(method, `/domains/${id}${path}`, method === 'PATCH' ? {} : undefined);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    const missing = await team.call('PUT', '/domains/999999/verify');
    expect([missing.status, missing.body]).toEqual([404, { error: 'Domain not found' }]);
    expect((await team.call('GET', '/domains/-1')).status).toBe(404);
    for (const bad of ['abc', '1.5', '1e3', '99999999999']) {
      expect([bad, (await team.call('GET', `/domains/${bad}`)).status]).toEqual([bad, 400]);
    }
    expect((await other.call('GET', '/domains')).body).toEqual([]);
  });
});
