/**
 * Addresses and texts with characters that mean something in SQL, JSON, CSV, COPY or patterns. Everything that reads
 * them must treat them as plain text.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../testing/fixtures/sending-team.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import { createCall, startTestServer, type Call, type TestServer } from '../testing/test-server.ts';
import { teamCommand } from './team.ts';

const ADDRESSES = [
  'a{b@example.org',
  'c}d@example.org',
  '{null}@example.org',
  "o'neil@example.org",
  '100%_sure@example.org',
  '=cmd|1@example.org',
  '+1-2@example.org',
  '$1`x&y*z?#!~^/@example.org',
  `${'l'.repeat(64)}@example.org`,
  'idn@bücher.example',
];
const TEXTS = [
  '{"a","b"}',
  'back\\slash\\',
  'a\\"b',
  "'; drop table contacts; --",
  '%_%',
  '\\u0000',
  '=1+1',
  '@SUM(A1)',
  '\u202Etxt.exe',
  'NULL',
  '\\N',
  '\\.',
  '(1,2)',
  '$1 {{firstName}}',
  'a,b;c',
  '\u{1F4EF} \u00AD\uFEFF',
];

let sink: SmtpSink;
let server: TestServer;
let team: SendingTeam;
let book: string;
let call: Call;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startInstance('one');
  team = await createSendingTeam(server, 'hostile');
  ({ call } = team);
  const { body } = await call('POST', '/contactBooks', { name: TEXTS[0], variables: ['note'] });
  book = body.id;
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

function startInstance(name: string): Promise<TestServer> {
  return startTestServer({
    doors: ['http', 'worker'],
    env: {
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      BASE_URL: `https://${name}.example`,
      DKIM_SIGN: 'false',
    },
  });
}

async function ok(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await call(method, path, body, headers);
  expect([answer.status, answer.body?.error ?? null], `${method} ${path}`).toEqual([200, null]);
  return answer.body;
}

async function emailsIn(bookId: string): Promise<string[]> {
  const { items } = await ok('GET', `/contactBooks/${bookId}/contacts?limit=100`);
  return items.map(({ email }: { email: string }) => email).toSorted();
}

async function sendCampaign(subject: string, more: object): Promise<string> {
  const { id } = await ok('POST', '/campaigns', {
    name: subject,
    from: `News <hello@${team.domain}>`,
    subject: `${subject} {{firstName,fallback=you}}`,
    html: '<p>{{note,fallback=none}}</p>',
    ...more,
  });
  await ok('POST', `/campaigns/${id}/schedule`);
  return id;
}

const statusOf = async (id: string) => {
  const { status, statusReason } = await ok('GET', `/campaigns/${id}`);
  return [status, statusReason];
};

test('a campaign reaches hostile addresses that came by a form, the API and an import', async () => {
  const { id: form } = await ok('POST', '/forms', {
    name: TEXTS[3],
    contactBookId: book,
    fields: ['firstName'],
  });
  const planted = await fetch(`${server.url}/f/${form}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: ADDRESSES[0]!, firstName: TEXTS[1]! }),
  });
  expect(planted.status).toBe(200);
  await ok(
    'POST',
    `/contactBooks/${book}/contacts/bulk`,
    ADDRESSES.slice(1, 6).map((email, at) => ({
      email,
      firstName: TEXTS[at],
      properties: { note: TEXTS[at + 5] },
    })),
  );
  const cells = ADDRESSES.slice(6).map((email, at) => `${email},"${TEXTS[at + 10]!.replaceAll('"', '""')}"`);
  const started = await call('POST', `/contactBooks/${book}/imports`, `email,note\n${cells.join('\n')}\n`, {
    'content-type': 'text/csv',
  });
  const imports = `/contactBooks/${book}/imports/${started.body.id}`;
  await expect.poll(async () => (await ok('GET', imports)).status, { timeout: 30_000 }).toBe('DONE');
  expect(await emailsIn(book)).toEqual(ADDRESSES.toSorted());

  const id = await sendCampaign(TEXTS[2]!, { contactBookId: book });
  await expect.poll(() => statusOf(id), { timeout: 30_000 }).toEqual(['SENT', null]);
  await expect
    .poll(async () => (await ok('GET', `/campaigns/${id}`)).delivered, { timeout: 30_000 })
    .toBe(ADDRESSES.length);
  for (const email of ADDRESSES.slice(0, 9)) {
    const searched = await ok('GET', `/campaigns/${id}/recipients?search=${encodeURIComponent(email)}`);
    expect(searched.items.map((item: { email: string }) => item.email)).toEqual([email]);
    expect(await team.countEmails(email)).toBe(1);
  }
  const list = await ok('GET', `/campaigns/${id}/recipients.csv`);
  // A spreadsheet must not run an address as a formula.
  expect(list).not.toMatch(/(^|,)"?[=@]/m);
  expect((await ok('GET', `/campaigns/${id}/report`)).delivered ?? ADDRESSES.length).toBe(ADDRESSES.length);
}, 120_000);

test('hostile names, properties, topics and segment values are stored, found and exported unchanged', async () => {
  const { id } = await ok('POST', '/contactBooks', { name: 'Texts', variables: ['note'] });
  const contacts = TEXTS.map((text, at) => ({
    email: `t${at}@example.org`,
    firstName: text,
    lastName: text,
    properties: { note: text, [`k${at}{"}%`]: text },
  }));
  await ok('POST', `/contactBooks/${id}/contacts/bulk`, contacts);
  for (const [at, text] of TEXTS.entries()) {
    const email = `t${at}@example.org`;
    const { items } = await ok('GET', `/contactBooks/${id}/contacts?email=${email}`);
    expect(items[0]).toMatchObject({ firstName: text, properties: { note: text } });
    for (const op of ['equals', 'contains', 'startsWith']) {
      const filter = { all: [{ field: 'properties.note', op, value: text }] };
      const segment = await ok('POST', '/segments', { name: text, contactBookId: id, filter });
      const matches = await ok('GET', `/segments/${segment.id}/contacts`);
      expect(
        matches.items.map((item: { email: string }) => item.email),
        `${op} ${text}`,
      ).toEqual([email]);
    }
    await ok('POST', '/topics', { name: text.slice(0, 20) });
  }
  const filter = { all: [{ field: 'properties.note', op: 'exists' }] };
  const segment = await ok('POST', '/segments', { name: 'All', contactBookId: id, filter });
  const campaign = await sendCampaign('Texts', { contactBookId: id, segmentId: segment.id });
  await expect.poll(() => statusOf(campaign), { timeout: 30_000 }).toEqual(['SENT', null]);

  // Exported and imported again, nothing has changed and no cell is a formula.
  const csv: string = await ok('GET', `/contactBooks/${id}/export`);
  expect(csv).not.toMatch(/(^|,)"?[=@]/m);
  const { id: copy } = await ok('POST', '/contactBooks', { name: 'Copy' });
  const started = await call('POST', `/contactBooks/${copy}/imports`, csv, { 'content-type': 'text/csv' });
  const imports = `/contactBooks/${copy}/imports/${started.body.id}`;
  await expect.poll(async () => (await ok('GET', imports)).status, { timeout: 30_000 }).toBe('DONE');
  for (const [at, text] of TEXTS.entries()) {
    const { items } = await ok('GET', `/contactBooks/${copy}/contacts?email=t${at}@example.org`);
    expect(items[0]?.properties.note).toBe(text);
  }
}, 120_000);

test('NUL characters and half characters are rejected or replaced, never an error of the server', async () => {
  for (const text of ['a\u0000b', 'a\ud800b']) {
    const answers = [
      await call('POST', `/contactBooks/${book}/contacts`, { email: 'x@example.org', firstName: text }),
      await call('POST', `/contactBooks/${book}/contacts`, { email: `${text}@example.org` }),
      await call('POST', `/contactBooks/${book}/contacts`, {
        email: 'x@example.org',
        properties: { [text]: text },
      }),
      await call('POST', '/topics', { name: text }),
      await call('POST', '/segments', {
        name: text,
        contactBookId: book,
        filter: { all: [{ field: 'firstName', op: 'contains', value: text }] },
      }),
      await call('GET', `/contactBooks/${book}/contacts?search=${encodeURIComponent(text.toWellFormed())}`),
      await call('GET', `/emails?search=${encodeURIComponent(text.toWellFormed())}`),
    ];
    for (const { status } of answers) expect(status).toBeLessThan(500);
  }
});

test('people with hostile addresses can be erased', async () => {
  for (const email of ADDRESSES.slice(0, 5)) {
    expect((await ok('DELETE', `/contacts?email=${encodeURIComponent(email)}`)).count).toBe(1);
  }
  for (const email of ADDRESSES.slice(0, 5)) {
    await expect.poll(() => team.countEmails(email), { timeout: 30_000 }).toBe(0);
  }
  expect(await emailsIn(book)).toEqual(expect.arrayContaining(ADDRESSES.slice(5)));
}, 60_000);

test('a team with hostile values moves to another instance unchanged', async () => {
  const target = await startInstance('two');
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-hostile-'));
  vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const before = await Promise.all([
      ok('GET', '/contactBooks'),
      ok('GET', '/topics'),
      ok('GET', '/segments'),
    ]);
    const emails = await emailsIn(book);
    const file = join(folder, 'target.env');
    const { databaseUrl, dataDir, baseUrl } = target.config;
    writeFileSync(file, `DATABASE_URL='${databaseUrl}'\nDATA_DIR=${dataDir}\nBASE_URL=${baseUrl}\n`);
    await teamCommand(['move', '--team', String(team.teamId), '--to', file, '--new-links'], server.config);
    call = createCall(target.url, team.key);
    expect(
      await Promise.all([ok('GET', '/contactBooks'), ok('GET', '/topics'), ok('GET', '/segments')]),
    ).toEqual(before);
    expect(await emailsIn(book)).toEqual(emails);
    const id = await sendCampaign('After the move', { contactBookId: book });
    await expect.poll(() => statusOf(id), { timeout: 30_000 }).toEqual(['SENT', null]);
  } finally {
    vi.restoreAllMocks();
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
