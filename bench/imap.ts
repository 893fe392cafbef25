/**
 * npm run bench:imap [-- --messages 20000] [--many 100000] [--huge 1000000] [--profile FOLDER] [--only select,sync]
 *
 * Compares IMAP with Dovecot, which has the same messages: the commands of an email app when it connects, a search, a
 * full sync with mbsync, the notification of a new message, and the memory of idle connections. Then it measures how
 * long others wait during an attack, the same mailbox over JMAP, and a folder with a million messages. It is skipped
 * if Dovecot is not installed. The parts are in PARTS.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { hasDovecot } from '../src/testing/servers/dovecot.ts';
import { closeAll, closeOnSignals } from './cleanup.ts';
import { showAttacks } from './imap-attack.ts';
import { openImapClient, type ImapAccount, type ImapClient } from './imap-client.ts';
import { insertMany, messageOf, openImapWorld, type ImapWorld } from './imap-world.ts';
import { profileInto } from './posthorn.ts';
import { describeIdleLoad } from './report.ts';

const ROUNDS = 21;
/** The number of rounds for commands that take less than a millisecond. */
const MANY_ROUNDS = 101;
const IDLE_CONNECTIONS = 1_000;
/** The limit of connections per mailbox in this benchmark. */
const PER_MAILBOX = 100;
const HEADERS =
  'BODY.PEEK[HEADER.FIELDS (From To Cc Bcc Subject Date Message-ID Priority X-Priority References In-Reply-To Reply-To)]';

function show(name: string, ours: number, theirs: number | null, wanted: string): void {
  const ratio = theirs === null ? '' : (ours / theirs).toFixed(2);
  console.log(
    [
      name.padEnd(46),
      ours.toFixed(1).padStart(10),
      (theirs?.toFixed(1) ?? '-').padStart(10),
      ratio.padStart(7),
      ` ${wanted}`,
    ].join(''),
  );
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

/** Returns the medians of alternating rounds. The first round is not counted. */
async function compare(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  rounds = ROUNDS,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await ours(), await theirs()];
    if (round > 0) for (const at of [0, 1] as const) times[at].push(pair[at]!);
  }
  return [median(times[0]), median(times[1])];
}

async function compareCommands(
  world: ImapWorld,
  name: string,
  commands: string[],
  wanted: string,
  rounds = ROUNDS,
): Promise<void> {
  const clients = await Promise.all([openImapClient(world.ours), openImapClient(world.dovecot)]);
  const run = (client: ImapClient) => async () => {
    for (const before of commands.slice(0, -1)) await client.say(before);
    return timeOf(() => client.say(commands.at(-1)!));
  };
  const [ours, theirs] = await compare(run(clients[0]), run(clients[1]), rounds);
  for (const client of clients) client.close();
  show(name, ours, theirs, wanted);
}

/** Returns a function that measures the time from adding a message until another client is notified. */
async function openNotices(account: ImapAccount): Promise<() => Promise<number>> {
  const [reader, writer] = [await openImapClient(account), await openImapClient(account)];
  await reader.say('SELECT INBOX');
  let no = 0;
  return async () => {
    reader.write('i IDLE\r\n');
    await reader.hear('+ ');
    const raw = messageOf((no += 1)).replace('Message-ID: <', 'Message-ID: <again');
    const ms = await timeOf(() =>
      Promise.all([reader.hear('EXISTS'), writer.say(`APPEND INBOX {${raw.length}+}\r\n${raw}`)]),
    );
    reader.write('DONE\r\n');
    await reader.hear('i OK');
    return ms;
  };
}

async function compareNotices(world: ImapWorld): Promise<void> {
  const [ours, theirs] = await compare(await openNotices(world.ours), await openNotices(world.dovecot));
  show('IDLE: APPEND until EXISTS elsewhere', ours, theirs, '');
}

function compareSync(world: ImapWorld): void {
  if (spawnSync('mbsync', ['--version']).status !== 0) {
    console.log('mbsync is not installed: full sync skipped.');
    return;
  }
  const [ours, theirs] = [world.ours, world.dovecot].map(({ port, user, password }) => {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-mbsync-'));
    const lines = [
      'IMAPStore far\nHost 127.0.0.1\nSSLType None\nAuthMechs LOGIN',
      `Port ${port}\nUser ${user}\nPass ${password}\n`,
      `MaildirStore near\nPath ${folder}/\nInbox ${folder}/INBOX\n`,
      'Channel all\nFar :far:\nNear :near:\nPattern INBOX\nCreate Near\nSyncState *\n',
    ];
    writeFileSync(join(folder, 'rc'), lines.join('\n'));
    const startedMs = performance.now();
    const { status, stderr } = spawnSync('mbsync', ['-c', join(folder, 'rc'), 'all']);
    const ms = performance.now() - startedMs;
    if (status !== 0) throw new Error(`mbsync: ${stderr.toString()}`);
    rmSync(folder, { recursive: true, force: true });
    return ms;
  });
  show(`mbsync, first sync of ${world.messages}`, ours!, theirs!, '');
}

async function openIdle(accounts: ImapAccount[]): Promise<ImapClient[]> {
  const clients: ImapClient[] = [];
  for (let at = 0; at < IDLE_CONNECTIONS; at += 1) {
    const client = await openImapClient(accounts[at % accounts.length]!);
    await client.say('SELECT INBOX');
    client.write('i IDLE\r\n');
    await client.hear('+ ');
    clients.push(client);
  }
  return clients;
}

async function compareMemory(world: ImapWorld): Promise<void> {
  const accounts: ImapAccount[] = [];
  for (let no = 0; no * PER_MAILBOX < IDLE_CONNECTIONS; no += 1) {
    const address = `idle${no}@bench.test`;
    const { id } = (await world.posthorn.call('POST', '/mailboxes', { address })) as { id: string };
    const app = await world.posthorn.call('POST', `/mailboxes/${id}/app-passwords`, { name: 'Benchmark' });
    accounts.push({ port: world.ours.port, user: address, password: (app as { password: string }).password });
  }
  const kilobytes: number[] = [];
  for (const [pid, users] of [
    [world.posthorn.pid, accounts],
    [world.dovecot.pid, [{ ...world.dovecot, user: 'idle@old.example' }]],
  ] as const) {
    const before = memoryOf(pid);
    const clients = await openIdle([...users]);
    kilobytes.push((memoryOf(pid) - before) / IDLE_CONNECTIONS);
    for (const client of clients) client.close();
  }
  show(`memory of each of ${IDLE_CONNECTIONS} idle connections, kB`, kilobytes[0]!, kilobytes[1]!, '');
}

/** Returns the memory of a process and its children that they do not share, in kB. */
function memoryOf(pid: number): number {
  const own = readdirSync('/proc').filter((each) => /^\d+$/.test(each) && isBelow(Number(each), pid));
  return own.reduce((sum, each) => sum + privateMemoryOf(each), 0);
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1;) {
    if (at === ancestor) return true;
    try {
      const text = readFileSync(`/proc/${at}/stat`, 'utf8');
      at = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      return false;
    }
  }
  return false;
}

function privateMemoryOf(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)].reduce(
      (sum, [, kb]) => sum + Number(kb),
      0,
    );
  } catch {
    return 0;
  }
}

/** `folder` is the folder whose messages are listed by date. */
async function showJmap({ posthorn, ours }: ImapWorld, folder: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${ours.user}:${ours.password}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const session = await fetch(`http://127.0.0.1:${posthorn.port}/.well-known/jmap`, { headers });
  const accountId = Object.keys(((await session.json()) as { accounts: object }).accounts)[0];
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'];
  const call = async (name: string, args: object) => {
    const body = JSON.stringify({ using, methodCalls: [[name, { accountId, ...args }, 'c']] });
    const answer = await fetch(`http://127.0.0.1:${posthorn.port}/jmap/api`, {
      method: 'POST',
      headers,
      body,
    });
    const { methodResponses } = (await answer.json()) as { methodResponses: [string, unknown][] };
    if (methodResponses[0]![0] !== name) throw new Error(JSON.stringify(methodResponses));
    return methodResponses[0]![1];
  };
  const { list } = (await call('Mailbox/get', {})) as { list: { id: string; name: string }[] };
  const inMailbox = list.find(({ name }) => name.toLowerCase() === folder.toLowerCase())!.id;
  const sort = [{ property: 'receivedAt', isAscending: false }];
  for (const [name, args] of [
    ['Mailbox/get', {}],
    ['Email/query', { filter: { inMailbox }, sort, limit: 50 }],
    ['Email/query', { filter: { inMailbox, notKeyword: '$seen' }, sort, limit: 50, calculateTotal: true }],
    ['Email/query', { filter: { text: 'needle' }, sort, limit: 50, calculateTotal: true }],
    [
      'Email/query',
      { filter: { hasKeyword: '$seen' }, sort, position: 5_000, limit: 50, calculateTotal: true },
    ],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) times.push(await timeOf(() => call(name, args)));
    const label = `JMAP ${name} ${'filter' in args ? Object.keys(args.filter).join() : ''} (${folder})`;
    show(label, median(times.slice(1)), null, '');
  }
}

async function showHuge({ posthorn, ours }: ImapWorld, count: number): Promise<void> {
  const client = await openImapClient(ours);
  await client.say('CREATE Huge');
  const { rows } = await sql<{ teamId: number; mailboxId: string }>`
    select team_id as "teamId", id as "mailboxId" from mailboxes where address = ${ours.user}
  `.execute(posthorn.database.db);
  await insertMany(posthorn, { ...rows[0]!, name: 'Huge' }, count);
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) times.push(await timeOf(() => client.say('SELECT Huge')));
  show(`first SELECT, ${count} messages`, times[0]!, null, 'below 1,000');
  show(`SELECT again, ${count} messages`, median(times.slice(1)), null, '');
  client.close();
}

/** The parts by the names for `--only`. */
const PARTS: Record<string, (world: ImapWorld, huge: number) => Promise<void> | void> = {
  select: (world) =>
    compareCommands(
      world,
      `SELECT, ${world.many} messages`,
      ['SELECT INBOX', 'SELECT Many'],
      'at most 2',
      MANY_ROUNDS,
    ),
  noop: (world) => compareCommands(world, 'NOOP, for comparison', ['NOOP'], '', MANY_ROUNDS),
  flags: (world) =>
    compareCommands(
      world,
      `FETCH flags of ${world.many}`,
      ['SELECT Many', 'FETCH 1:* (UID FLAGS)'],
      'at most 2',
    ),
  headers: (world) =>
    compareCommands(
      world,
      'FETCH headers of 1,000',
      ['SELECT INBOX', `UID FETCH 1:1000 (UID RFC822.SIZE FLAGS ${HEADERS})`],
      'at most 2',
    ),
  search: (world) =>
    compareCommands(
      world,
      `SEARCH BODY in ${world.messages}`,
      ['SELECT INBOX', 'SEARCH BODY needle'],
      'below 1',
    ),
  sync: compareSync,
  idle: compareNotices,
  memory: compareMemory,
  attack: showAttacks,
  jmap: (world) => showJmap(world, 'Inbox'),
  async huge(world, huge) {
    await showHuge(world, huge);
    await showJmap(world, 'Huge');
  },
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '20000' },
      many: { type: 'string', default: '100000' },
      huge: { type: 'string', default: '1000000' },
      profile: { type: 'string' },
      only: { type: 'string' },
    },
  });
  if (!hasDovecot()) {
    console.log('Skipped: Dovecot is not installed (Debian: apt install dovecot-imapd isync).');
    return;
  }
  if (values.profile !== undefined) profileInto(values.profile);
  console.log(`${await describeIdleLoad()}\nFilling both servers …`);
  const world = await openImapWorld(Number(values.messages), Number(values.many));
  console.log(
    `${'milliseconds, unless said otherwise'.padEnd(46)}${'ours'.padStart(10)}${'Dovecot'.padStart(10)}  ratio wanted`,
  );
  const only = values.only?.split(',') ?? Object.keys(PARTS);
  for (const name of only) await PARTS[name]?.(world, Number(values.huge));
  console.log(await describeIdleLoad());
}

closeOnSignals();
try {
  await main();
} catch (problem) {
  console.error(problem);
  process.exitCode = 1;
}
await closeAll();
process.exit();
