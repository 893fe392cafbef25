/** Moves teams between two running instances that send to one SMTP sink. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeTo, rawMail } from '../testing/mail-world.ts';
import { askForTeam, hasHaproxy, startHaproxy } from '../testing/fixtures/haproxy.ts';
import { startObjectStore } from '../testing/servers/object-store.ts';
import { createSendingTeam, type SendingTeam } from '../testing/fixtures/sending-team.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import { createCall, startTestServer, type Call, type TestServer } from '../testing/test-server.ts';
import { directoryCommand } from './directory.ts';
import { teamCommand } from './team.ts';

const PEOPLE = 3_000;

let sink: SmtpSink;
let source: TestServer;
let target: TestServer;
let team: SendingTeam;
/** Calls the API of the instance that the team moves to, with the same key. */
let there: Call;
let folder: string;
/** BLOB_URL of the instance that the team moves to. */
let targetBlobUrl: string | null;

async function startInstance(name: string, env: Record<string, string> = {}): Promise<TestServer> {
  return startTestServer({
    doors: ['http', 'smtp', 'worker'],
    env: {
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      MAIL_HOST: `mx.${name}.example`,
      BASE_URL: `https://${name}.example`,
      DKIM_SIGN: 'false',
      ...env,
    },
  });
}

beforeEach(async () => {
  sink = await startSmtpSink();
  source = await startInstance('one');
  target = await startInstance('two');
  targetBlobUrl = null;
  folder = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
  team = await createSendingTeam(source, 'mover');
  there = createCall(target.url, team.key);
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source.close();
  await target.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the settings of an instance to a file, and returns its name. */
function writeSettings(name: string, { config }: TestServer): string {
  const file = join(folder, `${name}.env`);
  const { databaseUrl, dataDir, baseUrl, instanceSecret } = config;
  const secret = instanceSecret ? `INSTANCE_SECRET=${instanceSecret}\n` : '';
  const blobs = targetBlobUrl && config === target.config ? `BLOB_URL='${targetBlobUrl}'\n` : '';
  writeFileSync(
    file,
    `DATABASE_URL='${databaseUrl}'\nDATA_DIR=${dataDir}\nBASE_URL=${baseUrl}\n${secret}${blobs}`,
  );
  return file;
}

/** Runs `posthorn directory` and returns the cell of each value. */
async function readMap(format: 'nginx' | 'haproxy', map: string): Promise<Map<string, string>> {
  const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  try {
    const cells = [`one=${writeSettings('one', source)}`, `two=${writeSettings('two', target)}`];
    await directoryCommand([format, ...cells, '--map', map]);
    const lines = written.mock.calls.map(([line]) => String(line).trim().replace(/;$/, ''));
    return new Map(lines.map((line) => line.split(' ') as [string, string]));
  } finally {
    written.mockRestore();
  }
}

/** Runs `posthorn team …` in the instance that the team leaves. */
async function run(verb: string, ...args: string[]): Promise<void> {
  const file = writeSettings('target', target);
  const to = verb === 'move' ? ['--to', file] : [];
  await teamCommand([verb, '--team', String(team.teamId), ...to, ...args], source.config);
}

async function startCampaign(
  { call, domain }: SendingTeam,
  people: number,
  properties: Record<string, string> = {},
): Promise<string> {
  const { body: book } = await call('POST', '/contactBooks', { name: 'Everyone' });
  const contacts = Array.from({ length: people }, (_, at) => ({ email: `u${at}@to-${domain}`, properties }));
  const added = await call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts);
  expect(added.status).toBe(200);
  const { body } = await call('POST', '/campaigns', {
    name: 'News',
    from: `News <hello@${domain}>`,
    subject: 'Once',
    html: '<p>Once</p>',
    contactBookId: book.id,
  });
  expect((await call('POST', `/campaigns/${body.id}/schedule`)).body).toEqual({ success: true });
  return body.id;
}

/** Returns how many emails each recipient of the team's campaign got. */
function countEmails({ domain }: SendingTeam): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { recipients } of sink.messages) {
    const to = recipients[0]!;
    if (to.endsWith(`@to-${domain}`)) counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return counts;
}

function expectOneEach(of: SendingTeam, people: number): void {
  const counts = countEmails(of);
  expect(counts.size).toBe(people);
  expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
}

const isSent = (call: Call, id: string) => async () => (await call('GET', `/campaigns/${id}`)).body.status;

test('a team moves in the middle of a campaign, and everyone gets exactly one email', async () => {
  const other = await createSendingTeam(source, 'stayer');
  // The target has teams of its own, so the numbers of the team and its domain are taken there.
  for (let at = 0; at < 5; at++) await createSendingTeam(target, 'resident');
  const { body: hook } = await team.call('POST', '/webhooks', {
    url: 'https://hooks.example/x',
    events: ['domain.*'],
  });
  const mailbox = `desk@${team.domain}`;
  await team.call('POST', '/mailboxes', { address: mailbox, name: 'Desk' });
  expect((await writeTo(source.smtpPort, mailbox, rawMail())).data).toMatch(/^250/);
  const greeting = { from: `a@${team.domain}`, to: 'ada@else.test', subject: 'Hi', text: 'Hi' };
  const once = { 'idempotency-key': 'greeting' };
  const { body: email } = await team.call('POST', '/emails', greeting, once);
  const campaign = await startCampaign(team, PEOPLE);
  const otherCampaign = await startCampaign(other, PEOPLE);
  await expect.poll(() => countEmails(team).size, { timeout: 60_000 }).toBeGreaterThan(PEOPLE / 5);

  await expect(run('move')).rejects.toThrow(/--new-links/);
  await run('move', '--new-links');

  expect(countEmails(team).size).toBeLessThan(PEOPLE);
  await expect.poll(isSent(there, campaign), { timeout: 120_000 }).toBe('SENT');
  await expect.poll(isSent(other.call, otherCampaign), { timeout: 120_000 }).toBe('SENT');
  expectOneEach(team, PEOPLE);
  expectOneEach(other, PEOPLE);
  expect((await there('GET', `/campaigns/${campaign}`)).body).toMatchObject({ total: PEOPLE, sent: PEOPLE });

  // Everything else was moved too: counts, received mail, secrets, responses to repeated requests.
  expect((await there('GET', '/contactBooks')).body[0]._count.contacts).toBe(PEOPLE);
  const { body: boxes } = await there('GET', '/mailboxes');
  expect((await there('GET', `/mailboxes/${boxes.items[0].id}/threads`)).body.items).toHaveLength(1);
  expect((await writeTo(target.smtpPort, mailbox, rawMail())).data).toMatch(/^250/);
  expect((await there('GET', `/mailboxes/${boxes.items[0].id}/threads`)).body.items).toHaveLength(2);
  expect((await there('POST', `/webhooks/${hook.id}/test`)).status).toBeLessThan(500);
  const again = await there('POST', '/emails', greeting, once);
  expect([again.body.emailId, again.headers.get('idempotency-replayed')]).toEqual([email.emailId, 'true']);
  expect((await there('POST', '/emails', { ...greeting, to: 'new@else.test' })).status).toBe(200);
  await expect
    .poll(() => sink.messages.some(({ recipients }) => recipients[0] === 'new@else.test'))
    .toBe(true);

  // The source tells clients where the team is, and mail servers to try again later.
  const answer = await team.call('GET', '/contactBooks');
  expect([answer.status, answer.body.error.message]).toEqual([
    401,
    expect.stringContaining('https://two.example'),
  ]);
  expect((await writeTo(source.smtpPort, mailbox, rawMail())).rcpt[0]).toMatch(/^451/);
  await expect(run('move', '--undo')).rejects.toThrow(/already moved/);

  await run('forget');
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from emails where team_id = ${team.teamId}`.execute(source.db);
  expect(rows[0]!.count).toBe(0);
  expect((await other.call('GET', '/contactBooks')).body[0]._count.contacts).toBe(PEOPLE);
}, 240_000);

test('links in mail that was sent before the move work when both instances have one secret', async () => {
  const secret = 'a'.repeat(64);
  await Promise.all([source.close(), target.close()]);
  target = await startInstance('two', { INSTANCE_SECRET: secret });
  // The source forwards requests to the target, so it must know the real address of the target.
  target.config.baseUrl = target.url;
  source = await startInstance('one', { INSTANCE_SECRET: secret });
  // This number is free in the target.
  await sql`alter table teams alter id restart with 700`.execute(source.db);
  team = await createSendingTeam(source, 'mover');
  there = createCall(target.url, team.key);
  const campaign = await startCampaign(team, 1);
  await expect.poll(isSent(team.call, campaign), { timeout: 60_000 }).toBe('SENT');
  await expect.poll(() => sink.messages.length).toBe(1);
  const [, path] = /List-Unsubscribe: <https:\/\/one\.example(\/u\/[^>]+)>/.exec(
    unfold(sink.messages[0]!.data),
  )!;

  await run('move');
  expect((await there('GET', '/team')).body.id).toBe(700);
  await run('forget');

  expect((await fetch(`${source.url}${path}`)).status).toBe(200);
  const { body: books } = await there('GET', '/contactBooks');
  const contacts = async () => (await there('GET', `/contactBooks/${books[0].id}/contacts`)).body.items;
  expect((await contacts())[0].subscribed).toBe(true);
  const pressed = await fetch(`${source.url}${path}`, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
  expect(pressed.status).toBe(200);
  expect((await contacts())[0].subscribed).toBe(false);
}, 120_000);

function unfold(data: Buffer): string {
  return data.toString('latin1').replaceAll(/\r\n[ \t]+/g, ' ');
}

const REFUSE = `raise exception 'refused'`;
const LOSE_CONNECTION = 'perform pg_terminate_backend(pg_backend_pid())';

/** Makes a step of the move fail, until the returned function is called. */
async function refuse({ db }: TestServer, step: string, how = REFUSE): Promise<() => Promise<unknown>> {
  const body = sql.lit(`begin ${how}; end`);
  await sql`create or replace function refuse() returns trigger language plpgsql as ${body}`.execute(db);
  await sql.raw(`create trigger refuse before ${step} for each row execute function refuse()`).execute(db);
  return () => sql.raw(`drop trigger refuse on ${step.split(' ').at(-1)}`).execute(db);
}

test('a move that fails leaves the team open where it was', async () => {
  // More than the buffers between the two servers hold, so the source is still sending when the target fails.
  const campaign = await startCampaign(team, 500, { notes: 'x'.repeat(16_000) });
  for (const how of [REFUSE, LOSE_CONNECTION]) {
    const allow = await refuse(target, 'insert on contacts', how);
    await expect(run('move', '--new-links')).rejects.toThrow(/^(refused|terminating .*|write EPIPE)$/);
    await allow();
  }
  await expect.poll(isSent(team.call, campaign), { timeout: 60_000 }).toBe('SENT');
  expectOneEach(team, 500);
  expect((await there('GET', '/team')).status).toBe(401);
  await run('move', '--new-links');
  expect((await there('GET', '/contactBooks')).body[0]._count.contacts).toBe(500);
}, 120_000);

test.each([
  ['before it is marked as moved', 'moved_to'],
  ['before it is opened', 'closed_at'],
] as const)(
  'a move that ends %s is continued, and the team is closed on both sides meanwhile',
  async (_when, column) => {
    const campaign = await startCampaign(team, 500);
    const allow = await refuse(column === 'moved_to' ? source : target, `update of ${column} on teams`);
    await expect(run('move', '--new-links')).rejects.toThrow('refused');
    const closed = await there('POST', '/contactBooks', { name: 'x' });
    expect([closed.status, closed.body.error.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await team.call('POST', '/contactBooks', { name: 'x' })).status).toBe(
      column === 'moved_to' ? 503 : 401,
    );

    await allow();
    await run('move', '--new-links');
    await expect.poll(isSent(there, campaign), { timeout: 60_000 }).toBe('SENT');
    expectOneEach(team, 500);
    expect((await team.call('GET', '/team')).status).toBe(401);
  },
  120_000,
);

test('a move that was not marked yet is undone, and the copy is deleted', async () => {
  const campaign = await startCampaign(team, 500);
  const allow = await refuse(source, 'update of moved_to on teams');
  await expect(run('move', '--new-links')).rejects.toThrow('refused');
  await allow();
  await run('move', '--undo');
  await expect.poll(isSent(team.call, campaign), { timeout: 60_000 }).toBe('SENT');
  expectOneEach(team, 500);
  expect((await there('GET', '/team')).status).toBe(401);
  await expect(run('move', '--undo')).rejects.toThrow(/not being moved/);
  await expect(run('forget')).rejects.toThrow(/moved away/);
  await run('move', '--new-links');
  expect((await there('GET', `/campaigns/${campaign}`)).body.status).toBe('SENT');
}, 120_000);

test.each([
  ['the object store of the other instance', true],
  ['its database', false],
])(
  'contents in an object store move into %s',
  async (_where, hasStore) => {
    const store = await startObjectStore();
    const otherStore = await startObjectStore();
    try {
      await Promise.all([source.close(), target.close()]);
      const shared = { INSTANCE_SECRET: 'b'.repeat(64) };
      source = await startInstance('one', { ...shared, BLOB_URL: store.url });
      target = await startInstance('two', hasStore ? { ...shared, BLOB_URL: otherStore.url } : shared);
      team = await createSendingTeam(source, 'mover');
      there = createCall(target.url, team.key);
      const mailbox = `desk@${team.domain}`;
      await team.call('POST', '/mailboxes', { address: mailbox, name: 'Desk' });
      const large = `${rawMail()}\r\n${'Large as a photograph. '.repeat(4_000)}\r\n`;
      expect((await writeTo(source.smtpPort, mailbox, large)).data).toMatch(/^250/);
      const before = await readSource(team.call);
      expect(before).toContain('Large as a photograph.');
      const { blobUrl } = source.config;
      source.config.blobUrl = null;
      await expect(run('move', '--new-links')).rejects.toThrow(/Set BLOB_URL for this command/);
      source.config.blobUrl = blobUrl;
      targetBlobUrl = store.url;
      await expect(run('move', '--new-links')).rejects.toThrow(/same place in the object store/);
      targetBlobUrl = hasStore ? otherStore.url : null;

      await run('move', '--new-links');
      store.set('away');
      expect(await readSource(there)).toBe(before);
      const { rows } = await sql<{ stored: number; kept: number }>`
      select count(object_key) as stored, count(bytes) filter (where octet_length(bytes) > 32768) as kept from blobs
    `.execute(target.db);
      expect(rows[0]).toEqual(hasStore ? { stored: 1, kept: 0 } : { stored: 0, kept: 1 });
    } finally {
      store.close();
      otherStore.close();
    }
  },
  120_000,
);

async function readSource(call: Call): Promise<string> {
  const box = (await call('GET', '/mailboxes')).body.items[0].id;
  const thread = (await call('GET', `/mailboxes/${box}/threads`)).body.items[0].id;
  const message = (await call('GET', `/threads/${thread}`)).body.messages[0].id;
  return (await call('GET', `/messages/${message}/raw`)).body;
}

const keyOf = ({ key }: SendingTeam) => key.split('_')[1]!;

async function askThroughHaproxy(): Promise<unknown[]> {
  const map = [...(await readMap('haproxy', 'keys'))].map(([value, cell]) => `${value} ${cell}\n`).join('');
  const cells = { one: new URL(source.url).host, two: new URL(target.url).host };
  return askForTeam(await startHaproxy(folder, map, cells), [team.key, 'ph_unknown1_secret', undefined]);
}

test.runIf(hasHaproxy)(
  'HAProxy leads requests to the cell of their key, and others to the first',
  async () => {
    const refused = [401, false];
    expect(await askThroughHaproxy()).toEqual([[200, false], refused, refused, 200]);
    await run('move', '--new-links');
    expect((await team.call('GET', '/team')).body.error.message).toContain('two.example');
    expect(await askThroughHaproxy()).toEqual([[200, false], refused, refused, 200]);
  },
  120_000,
);

test('the directory names the cell of a team before, during and after its move', async () => {
  const other = await createSendingTeam(target, 'stayer');
  await team.call('POST', '/mailboxes', { address: `desk@${team.domain}`, name: 'Desk' });
  const cellsOf = async (format: 'nginx' | 'haproxy') => {
    const keys = await readMap(format, 'keys');
    const domains = await readMap(format, 'domains');
    const mailboxes = await readMap(format, 'mailboxes');
    return [
      keys.get(keyOf(team)),
      domains.get(team.domain),
      mailboxes.get(`desk@${team.domain}`),
      keys.get(keyOf(other)),
      domains.get(other.domain),
    ];
  };
  expect(await cellsOf('nginx')).toEqual(['one', 'one', 'one', 'two', 'two']);
  const allow = await refuse(source, 'update of moved_to on teams');
  await expect(run('move', '--new-links')).rejects.toThrow('refused');
  expect(await cellsOf('haproxy')).toEqual(['one', 'one', 'one', 'two', 'two']);
  await allow();
  await run('move', '--new-links');
  for (const format of ['nginx', 'haproxy'] as const)
    expect(await cellsOf(format)).toEqual(['two', 'two', 'two', 'two', 'two']);
  await expect(directoryCommand(['apache'])).rejects.toThrow(/format must be one of/);
  await expect(directoryCommand(['nginx', 'two=/nowhere'])).rejects.toThrow(/settings of two/);
}, 120_000);

test('names that the other instance has already are rejected before anything is closed', async () => {
  const rival = await target.createTeam();
  const { body: domain } = await rival.call('POST', '/domains', { name: team.domain });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(target.db);
  await expect(run('move', '--new-links')).rejects.toThrow(`verified domains (${team.domain})`);
  expect((await team.call('GET', '/team')).status).toBe(200);
  // A team cannot move into the same instance, and an unknown team cannot move.
  target.config.databaseUrl = source.config.databaseUrl;
  target.config.dataDir = source.config.dataDir;
  await expect(run('move', '--new-links')).rejects.toThrow(/API keys/);
  team.teamId = 999_999;
  await expect(run('move')).rejects.toThrow('There is no team 999999.');
});
