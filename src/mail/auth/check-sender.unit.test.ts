import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { dkimSign, sealMessage } from 'mailauth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { createSenderCheck, type SenderCheck } from './check-sender.ts';
import { createDkimSigner, dkimRecordValue } from './dkim.ts';
import { createDns, type Dns } from './dns.ts';
import { readAnyHeaders, toRegularMessage } from '../mime/parse/raw-headers.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const record = dkimRecordValue(createPublicKey(privateKey));
const IP = '192.0.2.1';
const MESSAGE = Buffer.from(
  'From: Ada <ada@news.example.test>\r\nTo: bob@posthorn.test\r\nSubject: Hi\r\n' +
    'Date: Sun, 15 Nov 2026 09:30:00 +0000\r\nMessage-ID: <1@example.test>\r\n\r\nHello Bob\r\n',
);

let server: DnsServer;
let dns: Dns;

beforeAll(async () => {
  server = await startDnsServer();
  dns = createDns([server.address], { tryMs: 300 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.setBehaviour('normal');
  for (const name of Object.keys(server.zone)) delete server.zone[name];
  server.queries.length = 0;
  Object.assign(server.zone, {
    'example.test': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] },
    'ph1._domainkey.example.test': { TXT: [record] },
    '_dmarc.example.test': { TXT: ['v=DMARC1; p=reject'] },
  });
});

function sign(raw: Buffer, domain = 'example.test'): Promise<Buffer> {
  const signer = createDkimSigner({ domain, selector: 'ph1', privateKey });
  return signer.sign(raw).then((field) => Buffer.concat([field, raw]));
}

function check(
  raw: Buffer,
  envelope: { ip?: string; helo?: string; mailFrom?: string } = {},
  timeoutMs?: number,
) {
  const given = {
    ip: IP,
    helo: 'mx.example.test',
    mailFrom: 'bounce@example.test',
    mta: 'mx.posthorn.test',
    ...envelope,
  };
  const section = readAnyHeaders(raw);
  const regular = section.isRegular ? raw : toRegularMessage(raw, section);
  return createSenderCheck(dns, timeoutMs)(regular, readAnyHeaders(regular), given);
}

test('mail that satisfies all checks passes, and the results field says so', async () => {
  const checked = await check(await sign(MESSAGE));
  expect(checked).toMatchObject<Partial<SenderCheck>>({
    spf: 'pass',
    dkim: 'pass',
    dmarc: 'pass',
    arc: 'none',
    dmarcPolicy: 'reject',
    alignedDomain: 'example.test',
  });
  const { authenticationResults } = checked;
  expect(authenticationResults).toMatch(/^mx\.posthorn\.test; /);
  expect(authenticationResults).toContain('dkim=pass');
  expect(authenticationResults).toContain('spf=pass');
  expect(authenticationResults).toContain('dmarc=pass');
  expect(authenticationResults).not.toMatch(/[\r\n]|bimi/);
});

test.each([
  ['v=spf1 ip4:192.0.2.1 -all', IP, 'pass'],
  ['v=spf1 ip6:2001:db8::/32 -all', '2001:db8::7', 'pass'],
  ['v=spf1 -all', IP, 'fail'],
  ['v=spf1 ~all', IP, 'softfail'],
  ['v=spf1 ?all', IP, 'neutral'],
  ['v=spf1 ip4:127.0.0.1 -all', '127.0.0.1', 'pass'],
  ['v=spf1 ip4:127.0.0.1 -all', '::ffff:127.0.0.1', 'pass'],
  ['v=spf1 nonsense:x -all', IP, 'permerror'],
  ['v=spf1 include:example.test -all', IP, 'permerror'],
  ['something else', IP, 'none'],
])('SPF: %s for %s is %s', async (text, ip, expected) => {
  server.zone['example.test'] = { TXT: [text] };
  const checked = await check(MESSAGE, { ip });
  expect(checked.spf).toBe(expected);
  expect(checked.authenticationResults).toContain(`spf=${expected}`);
});

test('SPF follows a, mx and include', async () => {
  Object.assign(server.zone, {
    'example.test': {
      TXT: ['v=spf1 a mx include:other.test -all'],
      A: ['198.51.100.1'],
      MX: [{ priority: 1, exchange: 'mx.example.test' }],
    },
    'mx.example.test': { A: ['198.51.100.2'] },
    'other.test': { TXT: ['v=spf1 ip4:198.51.100.3 -all'] },
  });
  for (const ip of ['198.51.100.1', '198.51.100.2', '198.51.100.3'])
    expect((await check(MESSAGE, { ip })).spf).toBe('pass');
  expect((await check(MESSAGE, { ip: '198.51.100.4' })).spf).toBe('fail');
});

test('a report without a sender is checked by the HELO name', async () => {
  server.zone['mx.example.test'] = { TXT: ['v=spf1 ip4:192.0.2.1 -all'] };
  expect((await check(MESSAGE, { mailFrom: '' })).spf).toBe('pass');
});

test('a message that was changed in transit fails', async () => {
  const signed = await sign(MESSAGE);
  const body = Buffer.from(signed.toString().replace('Hello Bob', 'Hello Eve'));
  const subject = Buffer.from(signed.toString().replace('Subject: Hi', 'Subject: Ho'));
  for (const changed of [body, subject]) {
    const checked = await check(changed, { ip: '203.0.113.1' });
    expect(checked).toMatchObject({
      spf: 'fail',
      dkim: 'fail',
      dmarc: 'fail',
      dmarcPolicy: 'reject',
      alignedDomain: null,
    });
    expect(checked.authenticationResults).toContain('dkim=fail');
  }
});

test('a missing signature, a missing key and another key do not pass', async () => {
  expect((await check(MESSAGE)).dkim).toBe('none');
  const signed = await sign(MESSAGE);
  delete server.zone['ph1._domainkey.example.test'];
  expect((await check(signed)).dkim).not.toBe('pass');
  const other = createPublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  server.zone['ph1._domainkey.example.test'] = { TXT: [dkimRecordValue(other)] };
  expect((await check(signed)).dkim).toBe('fail');
});

test.each([
  ['v=DMARC1; p=reject', 'fail', 'reject'],
  ['v=DMARC1; p=quarantine', 'fail', 'quarantine'],
  ['v=DMARC1; p=none', 'fail', 'none'],
  ['v=DMARC1; p=none; sp=reject', 'fail', 'reject'],
  ['v=spf1 -all', 'none', null],
] as const)('DMARC: %s for a stranger is %s, asking to %s', async (text, dmarc, dmarcPolicy) => {
  server.zone['_dmarc.example.test'] = { TXT: [text] };
  expect(await check(MESSAGE, { ip: '203.0.113.1' })).toMatchObject({ dmarc, dmarcPolicy });
});

test('strict alignment requires the identical name', async () => {
  const signed = await sign(MESSAGE);
  expect(await check(signed)).toMatchObject({ dmarc: 'pass' });
  server.zone['_dmarc.example.test'] = { TXT: ['v=DMARC1; p=quarantine; adkim=s; aspf=s'] };
  expect(await check(signed)).toMatchObject({
    dkim: 'pass',
    spf: 'pass',
    dmarc: 'fail',
    dmarcPolicy: 'quarantine',
  });
  server.zone['ph1._domainkey.news.example.test'] = { TXT: [record] };
  expect(await check(await sign(MESSAGE, 'news.example.test'))).toMatchObject({
    dmarc: 'pass',
    alignedDomain: 'news.example.test',
  });
});

test('a signature of another domain does not authenticate the author', async () => {
  server.zone['ph1._domainkey.evil.test'] = { TXT: [record] };
  server.zone['evil.test'] = { TXT: ['v=spf1 +all'] };
  const checked = await check(await sign(MESSAGE, 'evil.test'), { mailFrom: 'x@evil.test' });
  expect(checked).toMatchObject({ spf: 'pass', dkim: 'pass', dmarc: 'fail', alignedDomain: null });
});

test.each([
  ['no From field', 'Subject: x\r\n', 'quarantine'],
  ['no author', 'From:\r\n', 'quarantine'],
  ['a name without an address', 'From: Ada\r\n', 'quarantine'],
  ['two From fields', 'From: a@other.test\r\nFrom: b@evil.test\r\n', 'quarantine'],
  ['two authors', 'From: a@other.test, b@evil.test\r\n', 'quarantine'],
  ['two authors of a domain with a policy', 'From: a@example.test, b@example.test\r\n', 'reject'],
  ['an empty group', 'From: staff:;\r\n', 'quarantine'],
  ['an empty group that looks like an address', 'From: ada@example.test :;\r\n', 'reject'],
  ['two addresses in brackets', 'From: <a@other.test> <b@evil.test>\r\n', 'quarantine'],
  ['two addresses without a comma', 'From: a@other.test b@evil.test\r\n', 'quarantine'],
  ['an address with two at signs', 'From: a@example.test@evil.test\r\n', 'reject'],
  ['a name that begins with a space', ' From: a@other.test\r\n', 'quarantine'],
  ['a first line that is not a field', 'Hello\r\nFrom: a@other.test\r\n', 'quarantine'],
])('a message with %s fails DMARC', async (_what, header, dmarcPolicy) => {
  const checked = await check(Buffer.from(`${header}\r\nx\r\n`));
  expect(checked).toMatchObject({ dmarc: 'fail', dmarcPolicy, alignedDomain: null });
  expect(checked.authenticationResults).toContain('; dmarc=fail (not exactly one author)');
});

test.each([
  ['a group with one member', 'From: Staff: Ada <ada@example.test>;'],
  ['a name with a comma', 'From: Lovelace, Ada <ada@example.test>'],
  ['a comment', 'From: ada@example.test (Ada)'],
  ['encoded name and address', `From: =?utf-8?B?${btoa('Ada <ada@example.test>')}?=`],
  ['a badly wrapped name', 'From: Ada\r\nLovelace <ada@example.test>\r\nSubject: x'],
  ['a space before the colon', 'From : ada@example.test'],
  ['a name with an underscore', 'From: ada@my_host.example.test', 'my_host.example.test'],
])('DMARC is checked for the author in %s', async (_what, header, authorDomain = 'example.test') => {
  expect(await check(Buffer.from(`${header}\r\n\r\nx\r\n`))).toMatchObject({
    dmarc: 'pass',
    authorDomain,
  });
  const stranger = await check(Buffer.from(`${header}\r\n\r\nx\r\n`), { ip: '203.0.113.1' });
  expect(stranger).toMatchObject({ dmarc: 'fail', dmarcPolicy: 'reject' });
});

test('a signature with l= does not pass when text was added to the body', async () => {
  const key = {
    signingDomain: 'example.test',
    selector: 'ph1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const signed = await dkimSign(MESSAGE, { ...key, signatureData: [{ ...key, maxBodyLength: 11 }] });
  const whole = Buffer.concat([Buffer.from(signed.signatures), MESSAGE]);
  expect(whole.toString()).toContain('l=11');
  expect(await check(whole, { ip: '203.0.113.1' })).toMatchObject({ dkim: 'pass', dmarc: 'pass' });
  const added = Buffer.concat([whole, Buffer.from('Send the money to Eve.\r\n')]);
  const checked = await check(added, { ip: '203.0.113.1' });
  expect(checked).toMatchObject({
    dkim: 'neutral',
    dmarc: 'fail',
    dmarcPolicy: 'reject',
    alignedDomain: null,
  });
  expect(checked.authenticationResults).toMatch(/dkim=policy \(undersized signature: \d+ bytes unsigned\)/);
});

test('an ARC chain is checked', async () => {
  server.zone['arc._domainkey.relay.test'] = { TXT: [record] };
  const seal = await sealMessage(MESSAGE, {
    signingDomain: 'relay.test',
    selector: 'arc',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cv: 'none',
    authResults: 'relay.test; spf=pass',
  });
  const sealed = Buffer.concat([Buffer.from(seal), MESSAGE]);
  expect((await check(sealed)).arc).toBe('pass');
  expect((await check(Buffer.from(sealed.toString().replace('Hello Bob', 'Hello Eve')))).arc).toBe('fail');
});

test('a silent or broken resolver gives temperror within the time limit', async () => {
  const signed = await sign(MESSAGE);
  for (const behaviour of ['silent', 'servfail', 'refused'] as const) {
    server.setBehaviour(behaviour);
    const checked = await check(signed, {}, 1_000);
    expect(checked).toMatchObject({
      spf: 'temperror',
      dkim: 'temperror',
      dmarc: 'temperror',
      dmarcPolicy: null,
    });
    expect(checked.authenticationResults).toContain('spf=temperror');
  }
});

test('names outside the public DNS are not looked up', async () => {
  const raw = Buffer.from('From: root@localhost\r\n\r\nx\r\n');
  for (const host of ['localhost', 'printer.local', 'db.internal', 'x.onion', '[127.0.0.1]', 'x.invalid']) {
    const author = Buffer.from(raw.toString().replace('localhost', host));
    await check(await sign(author, host), { helo: host, mailFrom: `root@${host}` });
  }
  server.zone['example.test'] = { TXT: ['v=spf1 ptr a:printer.local include:intranet -all'] };
  await check(raw);
  // On a busy machine a query may be sent twice.
  expect(new Set(server.queries.map(({ name }) => name))).toEqual(new Set(['example.test']));
  expect(server.queries.some(({ type }) => type === 'PTR')).toBe(false);
});

test('a hostile header costs no more than a normal one', async () => {
  const signature = `DKIM-Signature: v=1; a=rsa-sha256; d=example.test; s=ph1; h=from; bh=x; b=x; l=`;
  const many = Array.from({ length: 1_000 }, (_, at) => `${signature}${at}\r\n`).join('');
  const flood = await check(Buffer.concat([Buffer.from(many), MESSAGE]));
  expect(flood.dkim).not.toBe('pass');
  expect(flood.authenticationResults.match(/dkim=/g)!.length).toBeLessThanOrEqual(10);
  const selectors = Array.from(
    { length: 1_000 },
    (_, at) => `${signature.replace('ph1', `s${at}`)}1\r\n`,
  ).join('');
  server.queries.length = 0;
  await check(Buffer.concat([Buffer.from(selectors), MESSAGE]));
  expect(server.queries.length).toBeLessThan(20);
  for (const [bomb, dmarc] of [
    [`From: ${'a@b.test, '.repeat(10_000)}\r\n`, 'fail'],
    ['X: y\r\n'.repeat(10_000), 'fail'],
    [`X: ${'y'.repeat(2_000_000)}\r\n`, 'fail'],
    [`X: ${'y\r\n '.repeat(50_000)}\r\n`, 'pass'],
  ] as const) {
    const bombed = Buffer.concat([Buffer.from(bomb), MESSAGE]);
    expect(await check(bombed)).toMatchObject({ dkim: 'none', dmarc });
  }
});

test('broken input gives a result and never throws', async () => {
  for (const raw of [
    '',
    '\0\0\0',
    'no header',
    '\r\n\r\n',
    'From: \xff\xfe <>\r\nDKIM-Signature: ;;;=\r\n\r\n',
  ]) {
    const checked = await check(Buffer.from(raw, 'latin1'), {
      ip: 'nonsense',
      helo: '\0',
      mailFrom: '<>"@@\0',
    });
    expect(checked.authenticationResults).toContain('mx.posthorn.test');
    expect(checked.authenticationResults).not.toMatch(/[\r\n\0]/);
    expect(checked.dmarc).not.toBe('pass');
  }
});

test('a name that does not exist gets the np= policy of its parent (RFC 9989)', async () => {
  const forged = { ip: '198.51.100.1', mailFrom: 'a@elsewhere.test' };
  server.zone['_dmarc.example.test'] = { TXT: ['v=DMARC1; p=none; sp=quarantine; np=reject'] };
  expect(await check(MESSAGE, forged)).toMatchObject({ dmarc: 'fail', dmarcPolicy: 'reject' });
  // A name with other records, and a dangling alias, exist.
  server.zone['news.example.test'] = { TXT: ['hello'] };
  expect(await check(MESSAGE, forged)).toMatchObject({ dmarc: 'fail', dmarcPolicy: 'quarantine' });
  server.zone['news.example.test'] = { CNAME: 'gone.example.test' };
  expect(await check(MESSAGE, forged)).toMatchObject({ dmarc: 'fail', dmarcPolicy: 'quarantine' });
});

test('the check is cached for a flood from one sender, and other senders get their own result', async () => {
  const checkSender = createSenderCheck(dns);
  const envelope = {
    ip: IP,
    helo: 'mx.example.test',
    mailFrom: 'bounce@example.test',
    mta: 'mx.posthorn.test',
  };
  const checkText = (text: string, given = envelope) =>
    checkSender(Buffer.from(text), readAnyHeaders(Buffer.from(text)), given);
  const from = (author: string, more = '') =>
    checkText(`From: ${author}\r\n${more}Subject: Hi\r\n\r\nHello\r\n`);
  const flood = await Promise.all(
    Array.from({ length: 200 }, (_, no) => from(`Ada ${no} <ada${no}@example.test>`)),
  );
  for (const checked of flood) expect(checked).toEqual(flood[0]);
  expect(flood[0]).toMatchObject({ spf: 'pass', dkim: 'none', dmarc: 'pass' });
  expect(server.queries.filter(({ name }) => name === '_dmarc.example.test')).toHaveLength(50);

  server.zone['_dmarc.victim.test'] = { TXT: ['v=DMARC1; p=reject'] };
  for (const author of [
    'Eve <eve@victim.test>',
    'ada@example.test <eve@victim.test>',
    '"Ada <ada@example.test>" <eve@victim.test>',
    '(<ada@example.test>) eve@victim.test',
    '=?utf-8?q?Ada?= <eve@victim.test>',
  ])
    expect(await from(author), author).toMatchObject({ spf: 'pass', dmarc: 'fail', dmarcPolicy: 'reject' });
  for (const two of [
    '<ada@example.test>, <eve@victim.test>',
    '<ada@example.test>\r\nFrom: <eve@victim.test>',
  ])
    expect((await from(two)).dmarc, two).toBe('fail');
  expect(
    await from('Ada <ada@example.test>', 'DKIM-Signature: v=1; a=rsa-sha256; d=example.test; s=ph1\r\n'),
  ).toMatchObject({
    dkim: 'fail',
  });
  const elsewhere = { ...envelope, ip: '198.51.100.1' };
  expect(await checkText('From: Ada <ada@example.test>\r\n\r\n', elsewhere)).toMatchObject({
    spf: 'fail',
    dmarc: 'fail',
  });
});
