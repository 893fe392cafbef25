import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { reportMail } from '../../../testing/fixtures/dmarc-reports.ts';
import { tlsReport } from '../../../testing/fixtures/tls-reports.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

const REPORTER = 'tls@receiver.example';
const DAY_MS = 86_400_000;
let world: MailWorld;
let names = 0;

beforeAll(async () => {
  world = await startMailWorld({
    env: { MAIL_HOST: 'mx.posthorn.example', REPORT_HOST: 'reports.posthorn.example' },
  });
  world.dns.zone['receiver.example'] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'] };
  world.dns.zone['_dmarc.receiver.example'] = { TXT: ['v=DMARC1; p=reject'] };
});
afterAll(() => world.close());

async function newDomain() {
  const name = `site${(names += 1)}.example`;
  const id = await addDomain(world.server.db, world.team.teamId, name);
  const { body } = await world.team.call('GET', `/domains/${id}`);
  const { value } = body.dnsRecords.find((each: { name: string }) => each.name === '_smtp._tls');
  const [, address, url] = /^v=TLSRPTv1; rua=mailto:([^,]+),(.*)$/.exec(value)!;
  return { id, name, address: address!, url: `${world.server.url}${new URL(url!).pathname}` };
}

type Domain = Awaited<ReturnType<typeof newDomain>>;

async function post(
  url: string,
  body: string | Buffer<ArrayBuffer>,
  type = 'application/tlsrpt+gzip',
  method = 'POST',
) {
  return fetch(url, { method, headers: { 'content-type': type }, body });
}

async function report({ id }: Pick<Domain, 'id'>, query = '', by = world.team) {
  return (await by.call('GET', `/domains/${id}/reports/tls${query}`)).body;
}

const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const modeOf = async ({ id }: Domain) => (await world.team.call('GET', `/domains/${id}`)).body.mtaSts;
async function testing(settings: object) {
  const domain = await newDomain();
  await world.team.call('PATCH', `/domains/${domain.id}`, { mtaSts: 'testing', ...settings });
  return domain;
}

test.each([
  ['gzip', (json: string) => gzipSync(json), 'application/tlsrpt+gzip'],
  ['plain JSON', (json: string) => json, 'application/tlsrpt+json'],
  ['JSON with a wrong type', (json: string) => json, 'text/plain'],
] as const)('a posted report as %s is read', async (_, pack, type) => {
  const domain = await newDomain();
  const failures = [
    { type: 'certificate-expired', count: 3 },
    { type: 'starttls-not-supported', count: 4, mx: 'MX2.site.example.' },
    { type: 'certificate-expired', count: 2 },
  ];
  const json = tlsReport({ domain: domain.name, succeeded: 100, failures, day: '2026-11-01' });
  expect((await post(domain.url, pack(json), type)).status).toBe(200);
  expect(await report(domain)).toMatchObject({
    sessions: 109,
    failed: 9,
    failures: [
      {
        type: 'certificate-expired',
        count: 5,
        mx: `mail.${domain.name}`,
        sentence: `The certificate of mail.${domain.name} has expired. Renew it. This affected 5 connections.`,
      },
      { type: 'starttls-not-supported', count: 4, mx: 'mx2.site.example' },
    ],
    byDay: [{ date: '2026-11-01', sessions: 109, failed: 9 }],
    reporters: [{ name: 'Company-X', contact: 'sts-reporting@company-x.example', reports: 1, sessions: 109 }],
  });
  expect(await report(domain, '?from=2026-11-02')).toMatchObject({ sessions: 0, failures: [] });
});

test('a report by mail counts if its sender passes DMARC, and once together with the posted one', async () => {
  const domain = await newDomain();
  expect(domain.address).toMatch(/^[0-9a-f]{32}@reports\.posthorn\.example$/);
  const packed = gzipSync(tlsReport({ domain: domain.name, id: 'one' }));
  const send = (from: string) =>
    world.write(domain.address, reportMail(packed, { from, type: 'application/tlsrpt+gzip' }), from);
  expect((await send('tls@unproven.example')).data).toMatch(/^250/);
  expect(await report(domain)).toMatchObject({ sessions: 0, unverified: { reports: 1, sessions: 10 } });
  expect((await send(REPORTER)).data).toMatch(/^250/);
  expect((await post(domain.url, packed)).status).toBe(200);
  expect(await report(domain)).toMatchObject({ sessions: 10, reporters: [{ reports: 1 }] });
});

test.each([
  ['no JSON', '{"a"', 400],
  ['a DMARC report', '<feedback></feedback>', 400],
  ['a report about another domain', tlsReport({ domain: 'elsewhere.example' }), 400],
  ['a report without policies', '{"report-id":"x"}', 400],
  ['a list', '[{"x":1}]', 400],
  ['nothing', '', 400],
  ['damaged gzip', gzipSync('{"report-id": 1}').subarray(0, 20), 400],
  ['a bomb', gzipSync(`{"a":"${' '.repeat(50_000_000)}"}`), 400],
  ['more than 1 MB', Buffer.alloc(1_000_001, ' '), 413],
])('%s is rejected and changes nothing', async (_, body, status) => {
  const domain = await newDomain();
  const response = await post(domain.url, body);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
  expect(await report(domain)).toMatchObject({ sessions: 0, lastReportAt: null });
});

test('unknown tokens, other methods and other teams get nothing, and floods are refused', async () => {
  const domain = await newDomain();
  const json = tlsReport({ domain: domain.name });
  expect((await post(`${domain.url}0`, json)).status).toBe(404);
  const got = await fetch(domain.url);
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await world.other.call('GET', `/domains/${domain.id}/reports/tls`)).status).toBe(404);
  const answers = await Promise.all(Array.from({ length: 70 }, () => post(domain.url, json)));
  expect(answers.filter(({ status }) => status === 429).length).toBe(10);
  await world.team.call('DELETE', `/domains/${domain.id}`);
  expect((await post(domain.url, json)).status).toBe(404);
});

test('after 14 days of reports without a failure, testing becomes enforce if mtaStsAuto is set', async () => {
  const auto = await testing({ mtaStsAuto: true });
  const manual = await testing({});
  const failing = await testing({ mtaStsAuto: true });
  const young = await testing({ mtaStsAuto: true });
  const enforced = await testing({ mtaStsAuto: true });
  for (const days of [20, 8, 1])
    for (const { name, url } of [auto, manual, failing]) {
      const failures = name === failing.name && days === 8 ? [{ type: 'certificate-expired', count: 1 }] : [];
      await post(url, tlsReport({ domain: name, day: dayAgo(days), failures }));
    }
  for (const days of [13, 1]) await post(young.url, tlsReport({ domain: young.name, day: dayAgo(days) }));
  // Reports on an enforced policy say nothing about one that was set back to testing.
  for (const days of [20, 1])
    await post(enforced.url, tlsReport({ domain: enforced.name, day: dayAgo(days), mode: 'enforce' }));
  const modes = await Promise.all([auto, manual, failing, young, enforced].map(modeOf));
  expect(modes).toEqual(['enforce', 'testing', 'testing', 'testing', 'testing']);
});
