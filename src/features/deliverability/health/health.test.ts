import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { CHECK_NAMES } from './health.schema.ts';

const MAIL_HOST = 'mx.posthorn.example';
let dns: DnsServer;
let server: TestServer;
let team: TestTeam;
let count = 0;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({
    doors: ['http'],
    env: {
      DNS_SERVERS: dns.address,
      MAIL_HOST,
      MAIL_TRANSPORT: 'direct',
      DIRECT_ALLOW_PRIVATE: 'true',
      DNSBL_ZONES: 'bl.example, domain:dbl.example',
      BASE_URL: 'http://links.posthorn.example:1',
    },
  });
  team = await server.createTeam();
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

beforeEach(() => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name];
  dns.zone[MAIL_HOST] = { A: ['127.0.0.1'] };
  dns.zone['1.0.0.127.in-addr.arpa'] = { PTR: [MAIL_HOST] };
  dns.setBehaviour('normal');
});

interface Published {
  id: number;
  name: string;
}

interface CheckBody {
  name: string;
  status: string;
  found: string | null;
  expected: string | null;
  sentence: string;
}

/** Each domain has a new name, because results are kept for a while. */
async function publish(by = team): Promise<Published> {
  const name = `shop${(count += 1)}.example`;
  const { body } = await by.call('POST', '/domains', { name });
  for (const record of body.dnsRecords as { type: string; name: string; value: string }[]) {
    const entry = (dns.zone[record.name === '@' ? name : `${record.name}.${name}`] ??= {});
    if (record.type === 'TXT') (entry.TXT ??= []).push(record.value);
    if (record.type === 'MX') (entry.MX ??= []).push({ priority: 10, exchange: record.value });
  }
  dns.zone[`${name}._report._dmarc.${MAIL_HOST}`] = { TXT: ['v=DMARC1;'] };
  return { id: body.id, name };
}

async function look(id: number, by = team) {
  const { status, body } = await by.call('GET', `/domains/${id}/health`);
  expect(status).toBe(200);
  const checks = new Map((body.checks as CheckBody[]).map((check) => [check.name, check]));
  return { score: body.score, next: body.next, get: (name: string) => checks.get(name)!, checks };
}

/** The record of the domain itself, of which other senders are part. */
async function lookAtSpf(records: Record<string, string[]>) {
  const { id, name } = await publish();
  for (const [host, texts] of Object.entries(records)) {
    const entry = (dns.zone[host.replace('@', name)] ??= {});
    entry.TXT = texts;
  }
  return (await look(id)).get('spf');
}

const wide = (at: number) =>
  Array.from({ length: 90 }, (_one, no) => `include:w${at}-${no}.example`).join(' ');

async function lookAtDmarc(records: string[], prepare = (_name: string) => {}) {
  const { id, name } = await publish();
  dns.zone[`_dmarc.${name}`] = { TXT: records };
  prepare(name);
  return (await look(id)).get('dmarc');
}

const ptrStatus = async () => (await look((await publish()).id)).get('ptr').status;

const lookAtLogo = async (records: string[], policy: string) => {
  const { id, name } = await publish();
  dns.zone[`default._bimi.${name}`] = { TXT: records };
  dns.zone[`_dmarc.${name}`] = { TXT: [`v=DMARC1; p=${policy}`] };
  return (await look(id)).get('bimi');
};

const tlsReports = async (text: string) => {
  const { id, name } = await publish();
  dns.zone[`_smtp._tls.${name}`] = { TXT: [text] };
  return (await look(id)).get('tls_rpt').status;
};

describe('the health of a domain', () => {
  test('reports about a domain need a record of the host that gets them', async () => {
    const { id, name } = await publish();
    delete dns.zone[`${name}._report._dmarc.${MAIL_HOST}`];
    const { status, sentence } = (await look(id)).get('dmarc');
    expect(status).toBe('watch');
    expect(sentence).toContain(`${name}._report._dmarc.${MAIL_HOST} has no TXT record`);
    const other = await publish();
    dns.zone[`_dmarc.${other.name}`] = { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@elsewhere.example'] };
    delete dns.zone[`${other.name}._report._dmarc.${MAIL_HOST}`];
    expect((await look(other.id)).get('dmarc').status).toBe('good');
  });

  test('has every check once, each with a sentence', async () => {
    const { id } = await publish();
    const { checks, get } = await look(id);
    expect([...checks.keys()]).toEqual(CHECK_NAMES);
    for (const check of checks.values()) {
      expect(check.sentence).toMatch(/[.)]$/);
      expect(['good', 'watch', 'bad', 'off', 'unknown']).toContain(check.status);
    }
    for (const name of ['spf', 'dkim', 'dmarc', 'return_path', 'mx', 'ehlo', 'ptr', 'blocklists'])
      expect([name, get(name).status]).toEqual([name, 'good']);
    expect(get('spf').found).toContain('(1 of 10 look-ups)');
    expect(get('ptr').found).toBe(`127.0.0.1 is ${MAIL_HOST}`);
    expect(get('tls_certificate')).toMatchObject({ status: 'watch' });
    for (const name of ['mta_sts', 'bimi', 'link_host'])
      expect([name, get(name).status]).toEqual([name, 'off']);
  });

  test('is bad while something is missing, and names what to do first', async () => {
    const { body } = await team.call('POST', '/domains', { name: 'empty.example' });
    const { score, next, get } = await look(body.id);
    expect([score, next.name]).toEqual(['bad', 'spf']);
    expect(next.sentence).toContain('bounce.empty.example');
    for (const name of ['spf', 'dkim', 'dmarc', 'return_path'])
      expect(get(name)).toMatchObject({ status: 'bad', found: null, expected: expect.any(String) });
    expect(get('mx').status).toBe('watch');
  });

  test('is not found for another team, and for a number that no domain has', async () => {
    const { id } = await publish();
    const other = await server.createTeam();
    expect((await other.call('GET', `/domains/${id}/health`)).status).toBe(404);
    expect((await team.call('GET', '/domains/2147483647/health')).status).toBe(404);
    expect((await team.call('GET', '/domains/x/health')).status).toBe(400);
  });

  test('asks DNS once for many requests', async () => {
    const { id } = await publish();
    await look(id);
    dns.queries.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => look(id)));
    expect(dns.queries).toEqual([]);
  });

  test('is unknown while the DNS server does not respond', async () => {
    const { id } = await publish();
    dns.setBehaviour('servfail');
    const { score, get } = await look(id);
    expect([get('spf').status, get('dkim').status, get('dmarc').status]).toEqual(Array(3).fill('unknown'));
    expect(score).not.toBe('good');
  });
});

describe('SPF', () => {
  test('counts the look-ups of everything that is included', async () => {
    const includes = Array.from({ length: 4 }, (_one, at) => `include:s${at}.example`).join(' ');
    const some = await lookAtSpf({
      '@': [`v=spf1 ${includes} ~all`],
      's0.example': ['v=spf1 ip4:192.0.2.0/24 -all'],
      's1.example': ['v=spf1 a:mx.posthorn.example -all'],
      's2.example': ['v=spf1 exists:%{i}.x.example -all'],
      's3.example': ['v=spf1 redirect=s0.example'],
    });
    expect([some.status, some.found]).toEqual(['good', expect.stringContaining('(7 of 10 look-ups)')]);
  });

  test('says that receivers stop after 10 look-ups', async () => {
    const includes = Array.from({ length: 11 }, (_one, at) => `include:s${at}.example`);
    const zone = Object.fromEntries(includes.map((_one, at) => [`s${at}.example`, ['v=spf1 -all']]));
    const many = await lookAtSpf({ '@': [`v=spf1 ${includes.join(' ')} ~all`], ...zone });
    expect(many).toMatchObject({
      status: 'watch',
      sentence: expect.stringContaining('11 DNS look-ups'),
    });
    const ten = await lookAtSpf({ '@': [`v=spf1 ${includes.slice(1).join(' ')} ~all`], ...zone });
    expect(ten.status).toBe('good');
  });

  test.each([
    ['v=spf1 a:no1.example a:no2.example a:no3.example ~all', /3 of its DNS look-ups find nothing/],
    ['v=spf1 include:none.example ~all', /none\.example, which has no SPF record/],
    ['v=spf1 include:@ ~all', /includes itself/],
    ['v=spf1 ip4:192.0.2.256 ~all', /not valid/],
    ['v=spf1 ipv4:192.0.2.1 ~all', /not valid/],
    ['v=spf1 +all', /permits everyone/],
  ])('names the fault of %j', async (record, sentence) => {
    const { id, name } = await publish();
    dns.zone[name]!.TXT = [record.replace('@', name)];
    expect((await look(id)).get('spf')).toMatchObject({
      status: 'watch',
      sentence: expect.stringMatching(sentence),
    });
  });

  test('is bad when the return path has two records, or does not permit this server', async () => {
    const { id, name } = await publish();
    dns.zone[`bounce.${name}`]!.TXT!.push('v=spf1 -all');
    expect((await look(id)).get('spf').sentence).toContain('2 SPF records');
    const other = await publish();
    dns.zone[`bounce.${other.name}`]!.TXT = ['v=spf1 ip4:192.0.2.1 ~all'];
    expect((await look(other.id)).get('spf')).toMatchObject({
      status: 'bad',
      sentence: expect.stringContaining('does not permit this server'),
    });
    const third = await publish();
    dns.zone[`bounce.${third.name}`]!.TXT = ['v=spf1 ip4:127.0.0.0/8 ~all'];
    expect((await look(third.id)).get('spf').status).toBe('good');
  });

  test('a record that includes without end costs a limited number of queries', async () => {
    const { id, name } = await publish();
    dns.zone[name]!.TXT = [`v=spf1 ${wide(0)} ~all`];
    for (let no = 0; no < 90; no += 1) dns.zone[`w0-${no}.example`] = { TXT: [`v=spf1 ${wide(1)} ~all`] };
    dns.queries.length = 0;
    expect((await look(id)).get('spf').status).toBe('watch');
    expect(dns.queries.length).toBeLessThan(150);
  });
});

describe('DMARC', () => {
  test.each([
    [['v=DMARC1; p=none; rua=mailto:a@b.example'], 'good'],
    [['v=DMARC1; p=reject'], 'good'],
    [['v=DMARC1; rua=mailto:a@b.example'], 'good'],
    [['v=DMARC1; p=reject; pct=20'], 'watch'],
    [['v=DMARC1; p=rejekt'], 'bad'],
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'bad'],
    [['something else'], 'bad'],
  ])('%j is %s', async (records, status) => {
    expect((await lookAtDmarc(records)).status).toBe(status);
  });

  test('the policy of the domain above counts', async () => {
    dns.zone['_dmarc.above.example'] = { TXT: ['v=DMARC1; p=reject; sp=none'] };
    const { body } = await team.call('POST', '/domains', { name: 'a.b.above.example' });
    expect((await look(body.id)).get('dmarc')).toMatchObject({
      status: 'good',
      found: '_dmarc.above.example: v=DMARC1; p=reject; sp=none',
      sentence: expect.stringContaining('p=none'),
    });
  });
});

describe('the sending server', () => {
  test('needs reverse DNS that leads back to it', async () => {
    delete dns.zone['1.0.0.127.in-addr.arpa'];
    expect(await ptrStatus()).toBe('bad');
    dns.zone['1.0.0.127.in-addr.arpa'] = { PTR: ['elsewhere.example'] };
    expect(await ptrStatus()).toBe('bad');
    dns.zone['elsewhere.example'] = { A: ['127.0.0.1'] };
    expect(await ptrStatus()).toBe('watch');
  });

  test('needs a name with an address', async () => {
    delete dns.zone[MAIL_HOST];
    expect((await look((await publish()).id)).get('ehlo').status).toBe('bad');
  });

  test('is on a blocklist, or the list does not answer', async () => {
    const check = async () => (await look((await publish()).id)).get('blocklists');
    dns.zone['1.0.0.127.bl.example'] = { A: ['127.0.0.4'] };
    expect(await check()).toMatchObject({ status: 'bad', found: '127.0.0.1 is on bl.example (127.0.0.4)' });
    for (const code of [
      '127.255.255.252',
      '127.255.255.254',
      '127.255.255.255',
      '127.0.0.1',
      '93.184.216.34',
    ]) {
      dns.zone['1.0.0.127.bl.example'] = { A: [code] };
      expect([code, (await check()).status]).toEqual([code, 'unknown']);
    }
    delete dns.zone['1.0.0.127.bl.example'];
    const { id, name } = await publish();
    dns.zone[`${name}.dbl.example`] = { A: ['127.0.1.2'] };
    expect((await look(id)).get('blocklists').found).toBe(`${name} is on dbl.example (127.0.1.2)`);
  });
});

describe('the rest', () => {
  test('a logo needs a policy, an https URL and one record', async () => {
    const record = 'v=BIMI1; l=https://logo.example:1/logo.svg';
    expect((await lookAtLogo([record], 'none')).sentence).toContain('DMARC policy');
    expect((await lookAtLogo([record, record], 'reject')).sentence).toContain('several records');
    expect((await lookAtLogo(['v=BIMI1; l=http://logo.example/x.svg'], 'reject')).sentence).toContain(
      'https',
    );
    expect((await lookAtLogo([record], 'reject')).sentence).toContain('cannot be reached');
    expect((await lookAtLogo(['v=BIMI1; l='], 'reject')).status).toBe('off');
  });

  test('MTA-STS needs its record, and a policy that can be fetched', async () => {
    const { id } = await publish();
    await team.call('PATCH', `/domains/${id}`, { mtaSts: 'enforce' });
    expect((await look(id)).get('mta_sts')).toMatchObject({
      status: 'watch',
      expected: expect.stringMatching(/^v=STSv1; id=/),
    });
    expect((await look(id)).get('tls_certificate')).toMatchObject({ status: 'bad' });
    const other = await publish();
    dns.zone[`_mta-sts.${other.name}`] = { TXT: ['v=STSv1; id=1'] };
    expect((await look(other.id)).get('mta_sts').status).toBe('bad');
  });

  test('TLS reports need a record with an address', async () => {
    expect(await tlsReports('v=TLSRPTv1; rua=mailto:tls@example.com')).toBe('good');
    expect(await tlsReports('v=TLSRPTv1')).toBe('watch');
  });

  test('unsubscribing with one click needs a public URL that answers', async () => {
    const { get } = await look((await publish()).id);
    expect(get('one_click')).toMatchObject({ status: 'bad', found: 'http://links.posthorn.example:1' });
  });

  test('a mail server elsewhere is fine, unless the domain has mailboxes here', async () => {
    const { id, name } = await publish();
    dns.zone[name]!.MX = [{ priority: 1, exchange: 'mx.other.example' }];
    expect((await look(id)).get('mx')).toMatchObject({ status: 'good', found: 'mx.other.example' });
    await sql`update domains set held = true, status = 'SUCCESS' where id = ${id}`.execute(server.db);
    await team.call('POST', '/mailboxes', { address: `ada@${name}`, name: 'Ada' });
    expect((await look(id)).get('mx').status).toBe('watch');
  });
});
