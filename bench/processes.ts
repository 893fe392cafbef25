/**
 * Runs work for all doors concurrently with 1, 2, 4 and 8 processes on one database: a third of the messages are
 * emails through the API, a third are emails of a campaign (both unsigned, through a relay), a third are received for
 * a mailbox. Shows the cost of each message: statements, transactions, WAL bytes and CPU of the database, and CPU of
 * the processes. `npm run bench:processes -- 3000` sets the number of messages of each round.
 */
import { sql } from 'kysely';
import { createCampaign, startCampaign } from './campaigns.bench.ts';
import { closeAll, closeOnSignals } from './cleanup.ts';
import { createBook } from './contact-book.ts';
import { cpuMsOf } from './cpu-time.ts';
import { engineSettings, openEngineWorld, type EngineWorld } from './engine.bench.ts';
import { forkProgram } from './forked.ts';
import { writeMessage } from './peers/messages.ts';
import { sendAll, type SentMessage } from './peers/smtp-sender.ts';
import { startAnother } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';

const PROCESSES = [1, 2, 4, 8];
const DEFAULT_MESSAGES = 3_000;
const CALLERS = 16;
const SENDERS = 16;
const BODY = 'The quick brown fox jumps over the lazy dog, again.\r\n'.repeat(190).trimEnd();
const MAILBOX = 'crew@bench.test';

type Process = Awaited<ReturnType<typeof startAnother>>;

interface Spent {
  statements: number;
  transactions: number;
  walBytes: number;
  databaseMs: number;
  processesMs: number;
}

async function readSpent({ posthorn }: EngineWorld, processes: Process[]): Promise<Spent> {
  const { rows } = await sql<{
    statements: number;
    transactions: number;
    walBytes: number;
    postmaster: string;
  }>`
    select (select sum(calls)::float8 from pg_stat_statements) as statements, xact_commit as transactions,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
      pg_read_file('postmaster.pid') as postmaster
    from pg_stat_database where datname = current_database()
  `.execute(posthorn.database.db);
  const { statements, transactions, walBytes, postmaster } = rows[0]!;
  return {
    statements,
    transactions,
    walBytes,
    databaseMs: cpuMsOf([Number(postmaster.split('\n')[0])]),
    processesMs: cpuMsOf(processes.map(({ pid }) => pid)),
  };
}

async function postEmails({ posthorn }: EngineWorld, processes: Process[], count: number): Promise<void> {
  const headers = { authorization: `Bearer ${posthorn.key}`, 'content-type': 'application/json' };
  const email = { from: 'a@bench.test', to: 'someone@example.org', subject: 'Bench', text: BODY };
  let next = 0;
  async function post(): Promise<void> {
    while (next < count) {
      const { port } = processes[next++ % processes.length]!;
      const url = `http://127.0.0.1:${port}/api/v1/emails`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(email) });
      if (answer.status !== 200) throw new Error(`POST /emails responded with ${answer.status}.`);
      await answer.arrayBuffer();
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, post));
}

async function sendMail(processes: Process[], messages: SentMessage[]): Promise<void> {
  const each = Math.ceil(messages.length / processes.length);
  const connections = Math.ceil(SENDERS / processes.length);
  await Promise.all(
    processes.map(({ smtpPort }, at) => {
      const own = messages.slice(at * each, (at + 1) * each);
      return sendAll({ port: smtpPort, connections, isKept: true, messages: own });
    }),
  );
}

/** Returns the messages per second of all doors together. */
async function runMixed(world: EngineWorld, processes: Process[], third: number): Promise<number> {
  const campaignId = await createCampaign(world, await createBook(world.posthorn, third));
  const messages = Array.from({ length: third }, () => writeMessage('someone@example.org', MAILBOX));
  const sent = world.sink.ask<SinkAnswer>({ expect: 2 * third, warmUp: 0 });
  const startedAt = performance.now();
  await Promise.all([
    startCampaign(world, campaignId),
    postEmails(world, processes, third),
    sendMail(processes, messages),
    sent,
  ]);
  return (3 * third) / ((performance.now() - startedAt) / 1_000);
}

async function measure(world: EngineWorld, dnsServer: string, count: number, messages: number) {
  const settings = {
    ...engineSettings(world, false),
    DNS_SERVERS: dnsServer,
    SMTP_MESSAGES_PER_IP: '1000000',
    SMTP_MESSAGES_PER_MAILBOX: '1000000',
  };
  const processes = await Promise.all(
    Array.from({ length: count }, () => startAnother(world.posthorn, 'http,smtp,worker', settings)),
  );
  const third = Math.ceil(messages / 3);
  await runMixed(world, processes, Math.ceil(third / 4));
  const before = await readSpent(world, processes);
  const perSecond = await runMixed(world, processes, third);
  const after = await readSpent(world, processes);
  for (const { stop } of processes) await stop();
  const perMessage = (figure: keyof Spent) => (after[figure] - before[figure]) / (3 * third);
  return {
    perSecond,
    statements: perMessage('statements'),
    transactions: perMessage('transactions'),
    walBytes: perMessage('walBytes'),
    databaseMs: perMessage('databaseMs'),
    processesMs: perMessage('processesMs'),
  };
}

closeOnSignals();
const messages = Number(process.argv[2] ?? DEFAULT_MESSAGES);
try {
  const world = await openEngineWorld({}, { shared_preload_libraries: 'pg_stat_statements' });
  await sql`create extension if not exists pg_stat_statements`.execute(world.posthorn.database.db);
  const dns = forkProgram(new URL('./dns-program.ts', import.meta.url));
  const { address: dnsServer } = await dns.ask<{ address: string }>({});
  await world.posthorn.call('POST', '/mailboxes', { address: MAILBOX });
  console.log(
    '| processes | messages/s | ratio | statements | transactions | WAL bytes | CPU of the database, ms | CPU of the processes, ms |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  let first = 0;
  for (const processes of PROCESSES) {
    const { perSecond, ...spent } = await measure(world, dnsServer, processes, messages);
    first ||= perSecond;
    const cells = [
      processes,
      Math.round(perSecond),
      (perSecond / first).toFixed(2),
      spent.statements.toFixed(2),
      spent.transactions.toFixed(2),
      Math.round(spent.walBytes),
      spent.databaseMs.toFixed(2),
      spent.processesMs.toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  await closeAll();
}
