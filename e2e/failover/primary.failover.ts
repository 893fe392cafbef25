/**
 * The database server dies during a campaign, an import, API calls and received mail: `npm run test:failover`. The
 * campaign has 20,000 people unless FAILOVER_PEOPLE is set. With FAILOVER_WRITE=1 the table is written to
 * docs/reliability.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { freePorts } from '../../src/testing/servers/free-ports.ts';
import { startDnsServer } from '../../src/testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../src/testing/smtp-sink.ts';
import type { Call } from '../../src/testing/test-server.ts';
import { startProgram, type RunningProgram } from '../running.ts';
import { startReplicatedPostgres, until, type ReplicatedPostgres } from './replicated-postgres.ts';
import { startSteadyWork, type SteadyWork } from './steady-work.ts';

const KEY = 'f'.repeat(40);
const PEOPLE = Number(process.env.FAILOVER_PEOPLE ?? 20_000);
const IMPORTED = PEOPLE * 10;
const BULK = 5_000;
const PROCESSES = 2;
/** How many received messages the asynchronous standby misses, besides all other writes of that time. */
const MISSED = 20;
const MOST_REPEATED_PER_PROCESS = 50;
const END_MS = 10 * 60_000;
const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const TABLE = /(<!-- failover -->\n)[\s\S]*(<!-- end of failover -->)/;

const rows: string[] = [];

test.each(['synchronous', 'asynchronous'] as const)(
  'the primary is killed and the %s standby takes over',
  async (mode) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-failover-'));
    const postgres = await startReplicatedPostgres(mode);
    const sink = await startSmtpSink();
    const dns = await startDnsServer();
    const programs: RunningProgram[] = [];
    const ports = await freePorts(PROCESSES);
    let work: SteadyWork | null = null;
    try {
      for (const port of ports)
        programs.push(await startProcess(dataDir, postgres, { sink, dns: dns.address, port }));
      const call = programs[0]!.call(KEY);
      const scene = await prepare(postgres, call);
      work = startSteadyWork({ urls: programs.map(({ url }) => url), smtpPorts: ports, key: KEY, ...scene });
      await until(async () => work!.worksAgain() && work!.received.length > 5, 'the first work');
      expect((await call('POST', `/campaigns/${scene.campaignId}/schedule`)).status).toBe(200);
      await until(async () => campaignEmails(sink).length > PEOPLE / 4, 'the first emails', END_MS);

      const imports = `/contactBooks/${scene.importBookId}/imports`;
      const { body: started } = await call('POST', imports, csv(), { 'content-type': 'text/csv' });
      const readImport = async () => (await call('GET', `${imports}/${started.id}`)).body;
      await until(async () => (await readImport()).rows > 0, 'the first imported rows');
      if (mode === 'asynchronous') await fallBehind(postgres, work);
      const { progress } = await readImport();
      await postgres.killPrimary();
      const killedAtMs = performance.now();
      // Nothing may look healthy or accept anything while no server accepts writes.
      for (const { url } of programs)
        await until(async () => (await fetch(`${url}/healthz`, CLOSE)).status === 503, 'the outage');
      await until(
        async () => ['503 UNAVAILABLE', 'smtp 451'].every((name) => work!.refusals.has(name)),
        'refusals',
      );
      const promotedAtMs = performance.now();
      await postgres.promote();
      const hasRecovered = work.worksAgain();
      for (const { url } of programs)
        await until(async () => (await fetch(`${url}/healthz`, CLOSE)).status === 200, 'the recovery');
      await until(async () => hasRecovered(), 'work after the promotion');
      const backMs = performance.now() - promotedAtMs;
      await until(
        async () => (await call('GET', `/campaigns/${scene.campaignId}`)).body.status === 'SENT',
        'the end of the campaign',
        END_MS,
      );
      await until(async () => (await readImport()).status === 'DONE', 'the end of the import', END_MS);
      await work.stop();
      await until(async () => (await queued(postgres)) === 0, 'an empty queue', END_MS);

      const result = await compare(postgres, work, sink, scene);
      const warnings = programs.flatMap(
        ({ stderr }) => stderr().match(/"jobs: [^"]*(freed|runs again)"/g) ?? [],
      );
      const refusals = [...work.refusals].map(([name, count]) => `${name} ×${count}`).join(', ');
      process.stdout.write(
        `\n${mode}: ${JSON.stringify(result)}; down for ${Math.round(promotedAtMs - killedAtMs)} ms, work again ${Math.round(backMs)} ms after the promotion began; import at ${progress}; refusals: ${refusals}; logged: ${warnings.join(', ')}\n`,
      );
      rows.push(
        `| ${[mode, PROCESSES, result.accepted, result.lost, PEOPLE, result.unreached, result.repeated, (backMs / 1_000).toFixed(1)].join(' | ')} |`,
      );
      expect(
        [...work.refusals.keys()].filter((name) => !/^(503 UNAVAILABLE|smtp (451|421))$/.test(name)),
      ).toEqual([]);
      expect({ unreached: result.unreached, imported: result.imported }).toEqual({
        unreached: 0,
        imported: IMPORTED,
      });
      if (mode === 'asynchronous') return;
      expect({ lost: result.lost, differentMessageIds: result.differentMessageIds }).toEqual({
        lost: 0,
        differentMessageIds: 0,
      });
      expect(result.repeated).toBeLessThanOrEqual(PROCESSES * MOST_REPEATED_PER_PROCESS);
    } finally {
      await work?.stop();
      for (const program of programs) await program.stop('SIGTERM');
      await sink.close();
      await dns.close();
      await postgres.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);

afterAll(() => {
  const head = [
    'replication',
    'processes',
    'accepted',
    'lost',
    'people',
    'not reached',
    'repeated',
    'seconds',
  ];
  const table = [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
  process.stdout.write(`\n${table}\n`);
  if (process.env.FAILOVER_WRITE !== '1') return;
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(TABLE, `$1\n${table}\n\n$2`));
});

const CLOSE = { headers: { connection: 'close' } };

async function startProcess(
  dataDir: string,
  postgres: ReplicatedPostgres,
  { sink, dns, port }: { sink: SmtpSink; dns: string; port: number },
): Promise<RunningProgram> {
  const program = await startProgram(
    dataDir,
    {
      DATABASE_URL: postgres.url,
      BOOTSTRAP_API_KEY: KEY,
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      DKIM_SIGN: 'false',
      MAIL_HOST: 'mx.posthorn.example',
      DNS_SERVERS: dns,
      SMTP_PORT: String(port),
      SMTP_MESSAGES_PER_IP: '1000000',
      SMTP_MESSAGES_PER_MAILBOX: '1000000',
      LOG_LEVEL: 'warn',
    },
    ['--doors', 'http,smtp,worker'],
  );
  await program.ready();
  return program;
}

/** Lets the standby receive nothing for a while, as behind a slow or broken network. */
async function fallBehind(postgres: ReplicatedPostgres, work: SteadyWork): Promise<void> {
  await postgres.stopReplication();
  const count = work.received.length;
  await until(async () => work.received.length > count + MISSED, 'work that the standby misses');
}

interface Scene {
  bookId: string;
  importBookId: string;
  mailbox: string;
  campaignId: string;
}

async function prepare(postgres: ReplicatedPostgres, call: Call): Promise<Scene> {
  await call('POST', '/domains', { name: 'news.test' });
  await postgres.query(`update domains set held = true, status = 'SUCCESS'`);
  const mailbox = 'desk@news.test';
  expect((await call('POST', '/mailboxes', { address: mailbox, name: 'Desk' })).status).toBe(200);
  const books: string[] = [];
  for (const name of ['Everyone', 'One by one', 'Imported'])
    books.push((await call('POST', '/contactBooks', { name })).body.id);
  for (let from = 0; from < PEOPLE; from += BULK) {
    const contacts = Array.from({ length: Math.min(BULK, PEOPLE - from) }, (_, at) => ({
      email: `u${from + at}@example.org`,
    }));
    await call('POST', `/contactBooks/${books[0]}/contacts/bulk`, contacts);
  }
  const { body: campaign } = await call('POST', '/campaigns', {
    name: 'Failover',
    from: 'News <hello@news.test>',
    subject: 'Once',
    html: '<p>Only once.</p>',
    contactBookId: books[0],
  });
  return { bookId: books[1]!, importBookId: books[2]!, mailbox, campaignId: campaign.id };
}

function csv(): string {
  return `email\n${Array.from({ length: IMPORTED }, (_, at) => `i${at}@imported.test\n`).join('')}`;
}

function campaignEmails(sink: SmtpSink) {
  return sink.messages.filter(({ recipients }) => recipients[0]!.endsWith('@example.org'));
}

async function queued(postgres: ReplicatedPostgres): Promise<number> {
  return Number((await postgres.query<{ count: string }>('select count(*) from deliveries'))[0]!.count);
}

/** Compares the confirmed work with the stored and the received data. */
async function compare(postgres: ReplicatedPostgres, work: SteadyWork, sink: SmtpSink, scene: Scene) {
  const stored = async (text: string) =>
    new Set((await postgres.query<{ value: string }>(text)).map(({ value }) => value));
  const contacts = await stored(`select email as value from contacts where email like '%@people.test'`);
  const received = await stored(`select message_id as value from messages`);
  const imported = await stored(`select email as value from contacts where email like '%@imported.test'`);
  const messageIds = new Map<string, Set<string>>();
  for (const { recipients, data } of sink.messages) {
    const ids = messageIds.get(recipients[0]!) ?? new Set();
    messageIds.set(recipients[0]!, ids.add(/^Message-ID: (\S+)/im.exec(data.toString('latin1'))![1]!));
  }
  const missing = [
    ...work.contacts.filter((email) => !contacts.has(email)),
    ...work.emails.filter((email) => !messageIds.has(email)),
    ...work.received.filter((id) => !received.has(id)),
  ];
  const reached = new Set(campaignEmails(sink).map(({ recipients }) => recipients[0]!));
  return {
    accepted: work.contacts.length + work.emails.length + work.received.length,
    lost: missing.length,
    imported: imported.size,
    unreached: PEOPLE - reached.size,
    repeated: sink.messages.length - messageIds.size,
    differentMessageIds: [...messageIds.values()].filter((ids) => ids.size > 1).length,
    campaign: scene.campaignId,
  };
}
