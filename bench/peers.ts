/**
 * Compares Posthorn with the software that an operator would otherwise choose, in the same run and on the same
 * machine: `npm run bench:peers`.
 *   relay:      signed mail, accepted over SMTP, queued on disk and passed on to a server: Postfix + OpenDKIM
 *   campaigns:  personalised mail to 20,000 people: listmonk, built with Go from the clone that `--listmonk` names
 *   receiving:  mail checked with SPF, DKIM and DMARC, stored and indexed: Postfix + rspamd + Dovecot with its search
 * The sides take turns, and the ratio is the median of the ratios of neighbouring rounds. A side gets as many messages
 * in a round as it takes in `--seconds`. `--install` installs the peers with apt, `--rounds N` changes how often they
 * take turns, `--only TEXT` selects rows, `--repeated` makes each message repeat one line. Dovecot indexes words, as we
 * do; `--index parts` makes it index parts of words, and `--index none` lets it (not us) store without an index.
 * rspamd is measured with all that it checks without other servers, and with the authentication of senders alone, which
 * is what we check.
 */
import { sql } from 'kysely';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { closeAll, closeOnSignals, isInterrupted, onClose } from './cleanup.ts';
import { cpuMsOf } from './cpu-time.ts';
import { forkProgram, type Forked } from './forked.ts';
import { median } from './measure.ts';
import {
  findIndexObstacle,
  findObstacle,
  startDovecot,
  startOpenDkim,
  startPostfix,
  startRspamd,
  type PeerIndex,
  type RspamdChecks,
} from './peers/programs.ts';
import { compareCampaigns } from './peers/campaigns.ts';
import { findListmonkObstacle } from './peers/listmonk.ts';
import { createSignedMail, repeatOneLine, writeMessage } from './peers/messages.ts';
import { sendAll, type SentMessage } from './peers/smtp-sender.ts';
import { addDomain, startPosthorn, type Posthorn } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';

const { values: options } = parseArgs({
  options: {
    install: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '12' },
    only: { type: 'string', default: '' },
    repeated: { type: 'boolean', default: false },
    index: { type: 'string', default: 'words' },
    listmonk: { type: 'string', default: '' },
  },
});
if (options.repeated) repeatOneLine();
const ROUNDS = Math.min(25, Math.max(1, Number(options.rounds) || 5));
const SECONDS = Math.min(60, Math.max(1, Number(options.seconds) || 12));
const FIRST_MESSAGES = 200;
const MAX_MESSAGES = 20_000;
const CONNECTIONS = 20;
const MAILBOXES = 50;
const SENDING_DOMAINS = 40;
const INDEX = readIndex(options.index);
const ROUND_WITHIN_MS = 180_000;
const ARRIVAL_CHECK_MS = 100;
const SETTLED_MS = 300;
const SETTLED_CPU_MS = 20;

interface Side {
  /** Sends the messages of a round and returns when all of them have arrived. */
  round(messages: SentMessage[]): Promise<void>;
  pids(): number[];
}

interface Result {
  /** Measured until all messages have arrived. */
  perSecond: number;
  /** Measured until the side has finished all work, such as indexing. It can sustain this rate. */
  sustained: number;
  cpuMs: number;
}

async function measure(side: Side, messages: SentMessage[]): Promise<Result> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMsOf(side.pids())];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('A round took too long.')), ROUND_WITHIN_MS);
  });
  await Promise.race([side.round(messages), late]).finally(() => clearTimeout(timer));
  const seconds = (performance.now() - startedAt) / 1_000;
  const idleSeconds = Math.max(seconds, ((await settle(side)) - startedAt) / 1_000);
  return {
    perSecond: messages.length / seconds,
    sustained: messages.length / idleSeconds,
    cpuMs: (cpuMsOf(side.pids()) - cpuBefore) / messages.length,
  };
}

/**
 * The work of a side after the last message counts as its CPU time and must not disturb the other side. Returns when
 * it ended.
 */
async function settle({ pids }: Side): Promise<number> {
  for (let [before, at] = [cpuMsOf(pids()), performance.now()]; ;) {
    await sleep(SETTLED_MS);
    const now = cpuMsOf(pids());
    if (now - before <= SETTLED_CPU_MS) return at;
    [before, at] = [now, performance.now()];
  }
}

type Write = (count: number) => Promise<SentMessage[]> | SentMessage[];

function readIndex(name: string): PeerIndex {
  if (name === 'words' || name === 'parts' || name === 'none') return name;
  throw new Error('--index is words, parts or none.');
}

/** Returns how many messages the side takes in a round. */
async function warmUp(side: Side, write: Write): Promise<number> {
  // At its start, rspamd compiles its patterns.
  await settle(side);
  const first = await measure(side, await write(FIRST_MESSAGES));
  const second = await measure(side, await write(countFor(first, SECONDS / 2)));
  return countFor(second, SECONDS);
}

function countFor({ sustained }: Result, seconds: number): number {
  return Math.min(MAX_MESSAGES, Math.max(FIRST_MESSAGES, Math.ceil(sustained * seconds)));
}

async function compare(name: string, write: Write, ours: Side, theirs: Side): Promise<void> {
  const ourCount = await warmUp(ours, write);
  const theirCount = await warmUp(theirs, write);
  const rounds: { ours: Result; theirs: Result }[] = [];
  for (let no = 1; no <= ROUNDS; no++) {
    const round = {
      ours: await measure(ours, await write(ourCount)),
      theirs: await measure(theirs, await write(theirCount)),
    };
    rounds.push(round);
    console.error(
      `${name}, round ${no} (${ourCount} and ${theirCount} messages): ${describe(round.ours)} beside ${describe(round.theirs)}`,
    );
  }
  const cells = [
    name,
    ...compareBy(rounds, ({ perSecond }) => perSecond),
    ...compareBy(rounds, ({ sustained }) => sustained),
    median(rounds.map((round) => round.ours.cpuMs)).toFixed(2),
    median(rounds.map((round) => round.theirs.cpuMs)).toFixed(2),
    median(rounds.map((round) => round.ours.cpuMs / round.theirs.cpuMs)).toFixed(2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function describe({ perSecond, sustained, cpuMs }: Result): string {
  return `${perSecond.toFixed(0)}/s, ${sustained.toFixed(0)}/s until idle, ${cpuMs.toFixed(2)} ms`;
}

function compareBy(rounds: { ours: Result; theirs: Result }[], read: (result: Result) => number) {
  const ratios = rounds.map(({ ours, theirs }) => read(ours) / read(theirs)).toSorted((a, b) => a - b);
  return [
    Math.round(median(rounds.map(({ ours }) => read(ours)))),
    Math.round(median(rounds.map(({ theirs }) => read(theirs)))),
    `${median(ratios).toFixed(2)} (${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)})`,
  ];
}

async function postmasterOf({ database }: Posthorn): Promise<number> {
  const { rows } = await sql<{ file: string }>`select pg_read_file('postmaster.pid') as file`.execute(
    database.db,
  );
  return Number(rows[0]!.file.split('\n')[0]);
}

async function compareRelays(folder: string): Promise<void> {
  const sink: Forked = forkProgram(new URL('./sink-program.ts', import.meta.url));
  const { port: sinkPort } = await sink.ask<SinkAnswer>({ expect: 0, warmUp: 0 });
  const posthorn = await startPosthorn(
    { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sinkPort}` },
    'http,smtp,worker',
  );
  await addDomain(posthorn);
  const [dkimPort, postfixPort] = await freePorts(2);
  const dkim = await startOpenDkim({ folder: join(folder, 'dkim'), port: dkimPort! });
  const postfix = await startPostfix(
    { folder: join(folder, 'relay'), port: postfixPort! },
    { milterPort: dkim.port, next: { relayPort: sinkPort } },
  );
  const relay =
    (port: number, login?: { user: string; password: string }) => async (messages: SentMessage[]) => {
      const arrived = sink.ask<SinkAnswer>({ expect: messages.length, warmUp: 0 });
      await sendAll({ port, connections: CONNECTIONS, isKept: true, login, messages });
      await arrived;
    };
  const pids = [posthorn.pid, await postmasterOf(posthorn)];
  await compare(
    'relay, signed',
    (count) => Array.from({ length: count }, () => writeMessage('sender@bench.test', 'someone@example.org')),
    { round: relay(posthorn.submissionPort, { user: 'posthorn', password: posthorn.key }), pids: () => pids },
    { round: relay(postfix.port), pids: () => [...postfix.pids, ...dkim.pids] },
  );
}

const ADDRESSES = Array.from({ length: MAILBOXES }, (_, no) => `crew${no}@bench.test`);

type SignedMail = ReturnType<typeof createSignedMail>;

async function compareReceivers(folder: string): Promise<void> {
  const dns = forkProgram(new URL('./dns-program.ts', import.meta.url));
  const domains = Array.from({ length: SENDING_DOMAINS }, (_, no) => `sender${no}.example.org`);
  const mail = createSignedMail(domains, ADDRESSES);
  const { address } = await dns.ask<{ address: string }>({ zone: mail.zone });
  const posthorn = await startPosthorn(
    {
      DNS_SERVERS: address,
      SMTP_CONNECTIONS_PER_IP: '10000',
      SMTP_MESSAGES_PER_IP: '1000000',
      SMTP_MESSAGES_PER_MAILBOX: '1000000',
    },
    'http,smtp',
  );
  await addDomain(posthorn);
  for (const each of ADDRESSES) await posthorn.call('POST', '/mailboxes', { address: each });
  const ourPids = [posthorn.pid, await postmasterOf(posthorn)];
  for (const checks of ['full', 'authentication'] as const) {
    const rows = [true, false]
      .map((isKept) => ({ isKept, name: nameOfRow(isKept, checks) }))
      .filter(({ name }) => name.includes(options.only));
    if (rows.length === 0) continue;
    const peers = await startReceivers(join(folder, checks), Number(address.split(':').at(-1)), checks);
    await createMailboxes(peers, mail);
    for (const { isKept, name } of rows) {
      const job = { connections: CONNECTIONS, isKept };
      const toOurs = (messages: SentMessage[]) => sendAll({ ...job, port: posthorn.smtpPort, messages });
      const toTheirs = async (messages: SentMessage[]) => {
        const before = countMessages(peers.inboxes);
        await sendAll({ ...job, port: peers.port, messages });
        await hasArrived(peers.inboxes, before + messages.length);
        expectChecked(peers.inboxes[0]!);
      };
      await compare(
        name,
        mail.write,
        { round: toOurs, pids: () => ourPids },
        { round: toTheirs, pids: () => peers.pids },
      );
    }
  }
}

function nameOfRow(isKept: boolean, checks: RspamdChecks): string {
  return `receiving, ${isKept ? 'kept' : 'new'} connections, rspamd ${checks === 'full' ? 'in full' : 'with authentication alone'}`;
}

interface Receivers {
  port: number;
  pids: number[];
  /** The folders with the messages of each mailbox. */
  inboxes: string[];
}

async function startReceivers(folder: string, dnsPort: number, checks: RspamdChecks): Promise<Receivers> {
  const [rspamdPort, lmtpPort, postfixPort] = await freePorts(3);
  const rspamd = await startRspamd({ folder: join(folder, 'rspamd'), port: rspamdPort! }, dnsPort, checks);
  const dovecot = await startDovecot({ folder: join(folder, 'dovecot'), port: lmtpPort! }, INDEX);
  const postfix = await startPostfix(
    { folder: join(folder, 'receiver'), port: postfixPort! },
    { milterPort: rspamd.port, next: { lmtpPort: dovecot.port } },
  );
  return {
    port: postfix.port,
    pids: [...postfix.pids, ...rspamd.pids, ...dovecot.pids],
    inboxes: ADDRESSES.map((each) =>
      join(folder, 'dovecot', 'mail', each, 'mailboxes', 'INBOX', 'dbox-Mails'),
    ),
  };
}

/** In Dovecot, concurrent deliveries that all create a mailbox fail, so each gets its first message alone. */
async function createMailboxes({ port, inboxes }: Receivers, mail: SignedMail): Promise<void> {
  await sendAll({ port, connections: 1, isKept: true, messages: await mail.write(MAILBOXES) });
  await hasArrived(inboxes, MAILBOXES);
}

/** Returns the files of messages in a folder of Dovecot's sdbox. */
function listMessages(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith('u.'));
  } catch {
    return [];
  }
}

function countMessages(folders: readonly string[]): number {
  return folders.reduce((sum, folder) => sum + listMessages(folder).length, 0);
}

async function hasArrived(folders: readonly string[], count: number): Promise<void> {
  const deadline = performance.now() + ROUND_WITHIN_MS;
  while (countMessages(folders) < count) {
    if (isInterrupted()) throw new Error('Interrupted.');
    if (performance.now() > deadline) throw new Error('Dovecot did not get all messages.');
    await sleep(ARRIVAL_CHECK_MS);
  }
}

/** Throws unless the newest message passed all checks, because a peer that skips them could not be compared fairly. */
function expectChecked(folder: string): void {
  const newest = Math.max(...listMessages(folder).map((name) => Number(name.slice(2))));
  const message = readFileSync(join(folder, `u.${newest}`), 'latin1');
  for (const result of ['spf=pass', 'dkim=pass', 'dmarc=pass']) {
    if (!message.includes(result))
      throw new Error(`The peers did not find ${result}: ${message.slice(0, 1_500)}`);
  }
}

async function main(): Promise<void> {
  console.log(`${ROUNDS} rounds; load of the machine: ${loadavg()[0]!.toFixed(1)}`);
  if ('campaigns'.includes(options.only)) {
    const obstacle = findListmonkObstacle(options.listmonk);
    if (obstacle) console.log(`Skipped: listmonk cannot be compared, because ${obstacle}.`);
    else await compareCampaigns(options.listmonk, makeFolder(), ROUNDS);
    // What runs for one comparison must not disturb the next.
    await closeAll();
  }
  if (options.only !== 'campaigns') await compareServers(makeFolder());
  console.log(`Load of the machine at the end: ${loadavg()[0]!.toFixed(1)}`);
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-peers-'));
  chmodSync(folder, 0o755);
  onClose(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

async function compareServers(folder: string): Promise<void> {
  const obstacle = findObstacle(options.install) ?? findIndexObstacle(INDEX);
  if (obstacle) {
    console.log(`Skipped: mail servers cannot be compared, because ${obstacle}.`);
    return;
  }
  console.log(`Messages of 10 kB, rounds of ${SECONDS} s`);
  console.log(
    '| row | ours/s | theirs/s | ratio | ours/s until idle | theirs/s | ratio | our CPU, ms | their CPU, ms | ratio |',
  );
  console.log(`|${' --- |'.repeat(10)}`);
  if ('relay, signed'.includes(options.only)) await compareRelays(folder);
  await compareReceivers(folder);
}

closeOnSignals();
try {
  await main();
} finally {
  await closeAll();
}
