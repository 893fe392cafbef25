import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import {
  dmarcXml,
  gzippedReport,
  reportMail,
  zipOf,
  type ReportMail,
} from '../../../testing/fixtures/dmarc-reports.ts';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../../../testing/mail-world.ts';

const MAIL_HOST = 'mx.posthorn.example';
const REPORTER = 'dmarc@receiver.example';
const DAY_MS = 86_400_000;
let world: MailWorld;
let names = 0;

beforeAll(async () => {
  world = await startMailWorld({ env: { MAIL_HOST, INBOUND_MAX_MESSAGE_MB: '20' } });
  // The reporter passes DMARC by SPF. The other one has no policy, so nothing proves who it is.
  world.dns.zone['receiver.example'] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'] };
  world.dns.zone['_dmarc.receiver.example'] = { TXT: ['v=DMARC1; p=reject'] };
});
afterAll(() => world.close());

async function newDomain(team = world.team) {
  const name = `shop${(names += 1)}.example`;
  const id = await addDomain(world.server.db, team.teamId, name);
  const { body } = await team.call('GET', `/domains/${id}`);
  const record = body.dnsRecords.find((each: { name: string }) => each.name === '_dmarc');
  return { id, name, record, address: /rua=mailto:([^;]+);/.exec(record.value)![1]!, body };
}

const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

type Domain = Awaited<ReturnType<typeof newDomain>>;

async function send(domain: Domain, content: Buffer | string, options: ReportMail = {}, from = REPORTER) {
  return (await world.write(domain.address, reportMail(content, { from, ...options }), from)).data;
}

async function report(domain: Domain, query = '', by = world.team) {
  return (await by.call('GET', `/domains/${domain.id}/reports/dmarc${query}`)).body;
}

test('the DMARC record that is proposed asks for reports to an address of this server', async () => {
  const domain = await newDomain();
  expect(domain.record.value).toMatch(/^v=DMARC1; p=none; rua=mailto:[0-9a-f]{32}@mx\.posthorn\.example;$/);
  const other = await newDomain();
  expect(other.address).not.toBe(domain.address);
  expect(domain.body.dnsRecords.find((each: { name: string }) => each.name === '_smtp._tls')).toMatchObject({
    type: 'TXT',
    recommended: true,
    value: `v=TLSRPTv1; rua=mailto:${domain.address},${world.server.config.baseUrl}/tlsrpt/${domain.address.split('@')[0]}`,
  });
});

test.each([
  ['gzip', (xml: string) => gzipSync(xml), {}],
  ['zip', (xml: string) => zipOf({ 'report.xml': Buffer.from(xml) }), { type: 'application/zip' }],
  ['plain XML', (xml: string) => xml, { type: 'text/xml', encoding: '7bit' }],
  ['gzip with a wrong type', (xml: string) => gzipSync(xml), { type: 'text/plain', filename: 'report.zip' }],
  ['XML with the type of gzip', (xml: string) => xml, { type: 'application/gzip' }],
] as const)('a report as %s is read', async (_, pack, options) => {
  const domain = await newDomain();
  expect(await send(domain, pack(dmarcXml({ domain: domain.name })), options)).toMatch(/^250/);
  expect(await report(domain)).toMatchObject({ messages: 1, aligned: 1, failed: 0, policy: 'none' });
});

test('reports of RFC 7489 and of RFC 9990 are added up by source, day and reporter', async () => {
  const domain = await newDomain();
  const { name } = domain;
  const bounce = `bounce.${name}`;
  await send(
    domain,
    gzippedReport({
      domain: name,
      day: '2026-11-01',
      rows: [
        {
          ip: '203.0.113.1',
          count: 20,
          auth: `<dkim><domain>${name}</domain><selector>ph1</selector><result>pass</result></dkim>
            <spf><domain>${bounce}</domain><result>pass</result></spf>`,
        },
        {
          ip: '198.2.128.5',
          count: 7,
          dkim: 'fail',
          spf: 'fail',
          auth: '<dkim><domain>mail5.mcsv.net</domain><selector>k1</selector><result>pass</result></dkim>',
        },
      ],
    }),
  );
  await send(
    domain,
    gzippedReport({
      domain: name.toUpperCase(),
      org: 'Other &amp; Co',
      day: '2026-11-02',
      version: 'rfc9990',
      policy: 'quarantine',
      rows: [
        { ip: '192.0.2.9', count: 3, dkim: 'fail', spf: 'fail', disposition: 'quarantine', auth: '' },
        { ip: '192.0.2.10', count: 1, dkim: 'fail', spf: 'fail', disposition: 'reject', auth: '' },
        {
          ip: '2001:db8::1',
          count: 2,
          spf: 'fail',
          auth: `<dkim><domain>${name}</domain><selector>ph1</selector><result>pass</result></dkim>
            <spf><domain>lists.forward.example</domain><result>pass</result></spf>`,
        },
      ],
    }),
  );
  const found = await report(domain);
  expect(found).toMatchObject({ messages: 33, aligned: 22, failed: 11, policy: 'quarantine', next: null });
  expect(found.byDay).toEqual([
    { date: '2026-11-01', messages: 27, aligned: 20, failed: 7 },
    { date: '2026-11-02', messages: 6, aligned: 2, failed: 4 },
  ]);
  expect(found.reporters).toEqual([
    { name: 'receiver.example', contact: 'dmarc@receiver.example', reports: 1, messages: 27 },
    { name: 'Other & Co', contact: 'dmarc@Other & Co', reports: 1, messages: 6 },
  ]);
  expect(found.sources).toMatchObject([
    {
      name: MAIL_HOST,
      kind: 'ours',
      ours: true,
      ips: ['203.0.113.1'],
      messages: 20,
      spf: 20,
      dkim: 20,
      aligned: 20,
    },
    { name: 'Mailchimp', kind: 'service', ours: false, messages: 7, aligned: 0 },
    { name: '192.0.2.0/24', kind: 'other', messages: 4, quarantined: 3, rejected: 1, ipCount: 2 },
    { name: 'forward.example', kind: 'forwarder', messages: 2, dkim: 2, spf: 0, aligned: 2 },
  ]);
  expect(found.sources.map((each: { sentence: string }) => each.sentence)).toEqual([
    expect.stringContaining('There is nothing to do'),
    expect.stringContaining('set up your own domain there'),
    expect.stringContaining('All were stopped'),
    expect.stringContaining('passed 2 messages on'),
  ]);
  expect(await report(domain, '?from=2026-11-02')).toMatchObject({ messages: 6 });
  expect(await report(domain, '?to=2026-11-01')).toMatchObject({ messages: 27 });
  expect(await report(domain, '?from=2026-11-01T00:00:01Z&to=2026-11-01')).toMatchObject({
    messages: 0,
    sources: [],
  });
});

test('the same report counts once, however often it comes, also at the same moment', async () => {
  const domain = await newDomain();
  const packed = gzippedReport({ domain: domain.name, id: 'once', rows: [{ count: 5 }, { count: 6 }] });
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(domain, packed)));
  expect(answers.every((answer) => answer?.startsWith('250'))).toBe(true);
  expect(await report(domain)).toMatchObject({ messages: 11, reporters: [{ reports: 1 }] });
  await send(
    domain,
    gzippedReport({ domain: domain.name, id: 'once', day: '2026-11-03', rows: [{ count: 2 }] }),
  );
  expect(await report(domain)).toMatchObject({ messages: 13, reporters: [{ reports: 2 }] });
});

test('a report from a sender that does not pass DMARC is kept apart, and does not hide the real one', async () => {
  const domain = await newDomain();
  const packed = gzippedReport({ domain: domain.name, id: 'same', rows: [{ count: 9 }] });
  for (const from of ['dmarc@unproven.example', 'dmarc@forged.receiver.example'])
    expect(await send(domain, packed, {}, from)).toMatch(/^250/);
  expect(await report(domain)).toMatchObject({
    messages: 0,
    policy: null,
    sources: [],
    unverified: { reports: 1, messages: 9 },
    lastReportAt: null,
  });
  await send(domain, packed);
  expect(await report(domain)).toMatchObject({ messages: 9, unverified: { reports: 1 } });
});

test('a report about another domain, and mail without a report, are rejected with the reason', async () => {
  const domain = await newDomain();
  expect(await send(domain, gzippedReport({ domain: 'elsewhere.example' }))).toMatch(
    /^554 5\.6\.0 The report is about elsewhere\.example/,
  );
  const plain = rawMail({ from: REPORTER });
  expect((await world.write(domain.address, plain, REPORTER)).data).toMatch(/^554 .*no report/);
  expect(await report(domain)).toMatchObject({ messages: 0, unverified: { reports: 0 } });
});

// All of these were seen in reports of real servers.
test.each<[string, (name: string) => Buffer]>([
  [
    'stands in the tag of a schema that never ends',
    (domain) => gzipSync(dmarcXml({ domain }).replace('<feedback', '<xs:schema xmlns:xs="x">\n<feedback')),
  ],
  [
    'has a line break after the archive',
    (domain) => Buffer.concat([gzippedReport({ domain }), Buffer.from('\r\n')]),
  ],
  ['is as old as the example of RFC 9990', (domain) => gzippedReport({ domain, day: '1979-08-07' })],
  [
    'counts less than nothing',
    (domain) => gzippedReport({ domain, rows: [{ count: -5 }, { count: 1, spf: 'fail' }] }),
  ],
])('a report that %s is read', async (_, make) => {
  const domain = await newDomain();
  expect(await send(domain, make(domain.name))).toMatch(/^250/);
  expect(await report(domain)).toMatchObject({ messages: 1, reporters: [{ reports: 1 }] });
});

const bomb = () => `<feedback>${`<a>${'x'.repeat(900_000)}</a>`.repeat(112)}`;
const record = '<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record>';

test.each<[string, () => Buffer, RegExp?]>([
  ['unpacks to more than 100 MB (gzip)', () => gzipSync(bomb()), /100 MB/],
  ['unpacks to more than 100 MB (zip)', () => zipOf({ 'r.xml': Buffer.from(bomb()) }), /100 MB/],
  [
    'has more than 200,000 rows',
    () => gzipSync(`<feedback>${record.repeat(200_001)}</feedback>`),
    /200000 rows/,
  ],
  [
    'has a document type',
    () => gzipSync('<?xml version="1.0"?><!DOCTYPE feedback [<!ENTITY a "b">]><feedback/>'),
  ],
  ['is nested deep', () => gzipSync(`<feedback>${'<a>'.repeat(10_000)}`)],
  ['has a long attribute', () => gzipSync(`<feedback a="${'x'.repeat(3_000_000)}"></feedback>`)],
  ['is cut', () => gzipSync('<feedback><record>').subarray(0, -12)],
  ['is a damaged zip', () => zipOf({ 'r.xml': Buffer.from('<feedback/>') }).subarray(0, -8)],
  ['has no dates', () => gzipSync('<feedback><policy_published/></feedback>')],
  ['is not XML', () => gzipSync('PK <feedback')],
])(
  'a report that %s is rejected and changes nothing',
  { timeout: 60_000 },
  async (_, make, reply = /^554 5\.6\.0/) => {
    const domain = await newDomain();
    expect(await send(domain, make())).toMatch(reply);
    expect(await report(domain)).toMatchObject({ messages: 0, policy: null });
    const good = await send(domain, gzippedReport({ domain: domain.name }));
    expect(good).toMatch(/^250/);
  },
);

test('more than 10 MB are rejected before they are unpacked', { timeout: 60_000 }, async () => {
  const domain = await newDomain();
  const large = Buffer.concat([gzippedReport({ domain: domain.name }), Buffer.alloc(10_000_000, 'x')]);
  expect(await send(domain, large)).toMatch(/^554 .*10 MB/);
});

test('the address of a deleted domain, and any other token, is unknown', async () => {
  const domain = await newDomain();
  await send(domain, gzippedReport({ domain: domain.name }));
  expect((await world.team.call('DELETE', `/domains/${domain.id}`)).status).toBe(200);
  for (const address of [domain.address, `${'0'.repeat(32)}@${MAIL_HOST}`])
    expect((await world.write(address, rawMail(), REPORTER)).rcpt[0]).toMatch(/^550/);
  expect((await world.team.call('GET', `/domains/${domain.id}/reports/dmarc`)).status).toBe(404);
});

test('mail to a mailbox and a report address reaches both, and the mailbox of nobody gets reports', async () => {
  const domain = await newDomain();
  const box = await world.freshMailbox();
  const message = reportMail(gzippedReport({ domain: domain.name }), { from: REPORTER });
  const { data } = await writeTo(world.server.smtpPort, [box.address, domain.address], message, REPORTER);
  expect(data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(1);
  expect(await report(domain)).toMatchObject({ messages: 1 });
  await world.receive({ address: box.address });
  await writeTo(world.server.smtpPort, [box.address, domain.address], rawMail({ from: REPORTER }), REPORTER);
  expect(await world.messageCount(box.id)).toBe(3);
});

test('other teams and bad input get nothing', async () => {
  const domain = await newDomain();
  const path = `/domains/${domain.id}/reports/dmarc`;
  expect((await world.other.call('GET', path)).status).toBe(404);
  for (const query of [
    '?from=2026-02-30',
    '?from=x',
    '?from=2026-11-02&to=2026-11-01',
    '?to=2026-11-01T00:00:00',
  ])
    expect((await world.team.call('GET', `${path}${query}`)).status, query).toBe(400);
  expect((await world.team.call('GET', '/domains/2147483647/reports/dmarc')).status).toBe(404);
});

test('after 14 good days a stricter policy is advised, and not while mail of confirmed sources fails', async () => {
  const domain = await newDomain();
  const stranger = { ip: '198.51.100.9', count: 50, dkim: 'fail', spf: 'fail', auth: '' } as const;
  for (const [days, count] of [
    [13, 60],
    [1, 60],
  ] as const)
    await send(
      domain,
      gzippedReport({ domain: domain.name, day: dayAgo(days), rows: [{ count }, stranger] }),
    );
  expect(await report(domain)).toMatchObject({ next: null, advice: expect.stringContaining('14 days') });
  await send(domain, gzippedReport({ domain: domain.name, day: dayAgo(16), rows: [{ count: 3 }] }));
  const { next } = await report(domain);
  expect(next).toMatchObject({ policy: 'quarantine', since: `${dayAgo(16)}T00:00:00.000Z` });
  expect(next.because).toContain('100% of 123 messages');
  await send(
    domain,
    gzippedReport({
      domain: domain.name,
      day: dayAgo(2),
      rows: [
        {
          count: 3,
          dkim: 'fail',
          spf: 'fail',
          auth: '<spf><domain>x.sendgrid.net</domain><result>pass</result></spf>',
        },
      ],
    }),
  );
  expect(await report(domain)).toMatchObject({ next: null, advice: expect.stringContaining('97.5%') });
  await send(domain, gzippedReport({ domain: domain.name, day: dayAgo(30), rows: [{ count: 5_000 }] }));
  expect(await report(domain)).toMatchObject({ next: null, advice: expect.stringContaining('97.5%') });
});

test('people confirm and disown sources, which the advice about the policy follows', async () => {
  const domain = await newDomain();
  const own = `<dkim><domain>${domain.name}</domain><selector>ph1</selector><result>pass</result></dkim>
    <spf><domain>bounce.${domain.name}</domain><result>pass</result></spf>`;
  const stranger = { ip: '198.51.100.7', dkim: 'fail', spf: 'fail', auth: '' } as const;
  world.dns.zone['7.100.51.198.in-addr.arpa'] = { PTR: ['Out7.Partner.example'] };
  for (let days = 20; days >= 1; days -= 1)
    await send(
      domain,
      gzippedReport({
        domain: domain.name,
        day: dayAgo(days),
        id: `marks-${days}`,
        rows: [
          { ip: '203.0.113.1', count: 20, auth: own },
          { ...stranger, count: 5 },
        ],
      }),
    );
  const before = await report(domain);
  expect(before.sources[1]).toMatchObject({
    name: '198.51.100.0/24',
    host: 'out7.partner.example',
    confirmed: false,
    mark: null,
  });
  expect(before.next).toMatchObject({ policy: 'quarantine' });

  const mark = (body: object, by = world.team) =>
    by.call('PUT', `/domains/${domain.id}/reports/dmarc/source`, body);
  const source = { name: '198.51.100.0/24', kind: 'other' };
  expect((await mark({ ...source, confirmed: true })).body).toEqual({ ...source, confirmed: true });
  const confirmed = await report(domain);
  expect(confirmed.sources[1]).toMatchObject({ confirmed: true, mark: 'confirmed' });
  expect(confirmed.sources[1].sentence).toContain('Sign all mail of this server with DKIM');
  // A fifth of its mail would be stopped now.
  expect(confirmed.next).toBeNull();

  await mark({ ...source, confirmed: false });
  const disowned = await report(domain);
  expect(disowned.sources[1]).toMatchObject({ confirmed: false, mark: 'disowned' });
  expect(disowned.sources[1].sentence).toContain('you said that it does not send for you');
  expect(disowned.next).toMatchObject({ policy: 'quarantine' });
  await mark({ ...source, confirmed: null });
  expect((await report(domain)).sources[1].mark).toBeNull();

  for (const body of [
    {},
    { ...source, confirmed: 'yes' },
    { name: '', kind: 'other', confirmed: true },
    null,
  ])
    expect((await mark(body as object)).status).toBe(400);
  expect((await mark({ ...source, confirmed: true }, world.other)).status).toBe(404);
});
