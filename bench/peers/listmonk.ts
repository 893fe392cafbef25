/**
 * listmonk as an operator would set it up, built from a clone of its repository, with a database of its own on the
 * PostgreSQL server that it is given.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts } from '../../src/testing/servers/free-ports.ts';
import { onClose } from '../cleanup.ts';

/** `default`: what its installation writes, but for the rate, which would be 100 messages a second. */
export type ListmonkSettings = 'default' | 'fast';

/** Messages per second of each sender, which none of them reaches. listmonk reserves memory for two seconds. */
const NO_RATE = 2_000;
const SETTINGS: Record<ListmonkSettings, { concurrency: number; batchSize: number; connections: number }> = {
  default: { concurrency: 10, batchSize: 1_000, connections: 10 },
  fast: { concurrency: 50, batchSize: 10_000, connections: 50 },
};
const START_WITHIN_MS = 60_000;
const BUILD_WITHIN_MS = 600_000;

export interface Listmonk {
  /** The URL of its database. */
  databaseUrl: string;
  pid(): number;
  /** Creates a list with this many people and returns its ID. */
  createList(people: number): Promise<number>;
  startCampaign(listId: number, campaign: { subject: string; html: string; text: string }): Promise<void>;
  /** Kills it with SIGKILL and starts it again. */
  restart(): Promise<void>;
}

/** Returns why it cannot be run, or null. */
export function findListmonkObstacle(source: string): string | null {
  if (source === '') return '--listmonk does not name a clone of its repository';
  if (!existsSync(join(source, 'cmd', 'main.go'))) return `${source} is no clone of its repository`;
  return spawnSync('go', ['version']).status === 0 ? null : 'it is built with Go, which is not found';
}

/** Returns the built program. The modules that it uses come from the Go module proxy. */
export function buildListmonk(source: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'listmonk');
  execFileSync('go', ['build', '-o', program, './cmd'], {
    cwd: source,
    stdio: 'inherit',
    timeout: BUILD_WITHIN_MS,
  });
  // The pages of its dashboard are not built, but it looks for their folder.
  mkdirSync(join(source, 'frontend', 'dist'), { recursive: true });
  return program;
}

interface Place {
  source: string;
  program: string;
  folder: string;
  /** The URL of a database on the server that it shall use. */
  serverUrl: string;
  sinkPort: number;
}

export async function startListmonk(place: Place, settings: ListmonkSettings): Promise<Listmonk> {
  mkdirSync(place.folder, { recursive: true });
  const name = `listmonk_${settings}`;
  await query(place.serverUrl, `create database ${name}`);
  const databaseUrl = withDatabase(place.serverUrl, name);
  const [port] = await freePorts(1);
  const configFile = join(place.folder, 'config.toml');
  writeFileSync(configFile, configFor(databaseUrl, port!));
  const token = install(place, configFile);
  await changeSettings(databaseUrl, place.sinkPort, settings);

  let child = await start(place, configFile, port!);
  onClose(() => stop(child, 'SIGTERM'));
  const call = createCall(port!, token);
  return {
    databaseUrl,
    pid: () => child.pid!,
    createList: (people) => fillList(call, databaseUrl, people),
    startCampaign: (listId, campaign) => startCampaign(call, listId, campaign),
    async restart() {
      await stop(child, 'SIGKILL');
      child = await start(place, configFile, port!);
    },
  };
}

async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function configFor(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  const database = {
    host: url.searchParams.get('host') ?? url.hostname,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    ssl_mode: 'disable',
    max_lifetime: '300s',
  };
  return [
    '[app]',
    `address = "127.0.0.1:${port}"`,
    '[db]',
    ...Object.entries(database).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    `port = ${url.searchParams.get('port') ?? (url.port || 5432)}`,
    'max_open = 25',
    'max_idle = 25',
    '',
  ].join('\n');
}

/** Returns the token of a user for its API. */
function install({ source, program }: Place, configFile: string): string {
  const env = {
    ...process.env,
    LISTMONK_ADMIN_USER: 'admin',
    LISTMONK_ADMIN_PASSWORD: 'benchmark-admin',
    LISTMONK_ADMIN_API_USER: 'bench',
  };
  const args = ['--config', configFile, '--install', '--yes'];
  const { stderr, stdout, status } = spawnSync(program, args, { cwd: source, env, encoding: 'utf8' });
  const token = /LISTMONK_ADMIN_API_TOKEN="([^"]+)"/.exec(stderr)?.[1];
  if (status !== 0 || token === undefined) throw new Error(`listmonk was not installed:\n${stdout}${stderr}`);
  return token;
}

async function changeSettings(url: string, sinkPort: number, name: ListmonkSettings): Promise<void> {
  const { concurrency, batchSize, connections } = SETTINGS[name];
  const server = {
    enabled: true,
    host: '127.0.0.1',
    port: sinkPort,
    auth_protocol: 'none',
    max_conns: connections,
    idle_timeout: '15s',
    wait_timeout: '5s',
    max_msg_retries: 2,
    msg_retry_delay: '10ms',
    tls_type: 'none',
    email_headers: [],
    from_addresses: [],
  };
  const settings = {
    'app.concurrency': concurrency,
    'app.batch_size': batchSize,
    'app.message_rate': NO_RATE,
    'app.check_updates': false,
    // Our campaign has no links and no pixel either.
    'privacy.disable_tracking': true,
    smtp: [server],
  };
  for (const [key, value] of Object.entries(settings)) {
    await query(url, 'update settings set value = $2 where key = $1', [key, JSON.stringify(value)]);
  }
}

async function start({ source, program, folder }: Place, configFile: string, port: number) {
  const logFile = join(folder, 'output.log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, ['--config', configFile], { cwd: source, stdio: ['ignore', log, log] });
  for (const deadline = Date.now() + START_WITHIN_MS; !(await isHealthy(port)); await sleep(100)) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`listmonk did not start:\n${readFileSync(logFile, 'utf8').slice(-1_500)}`);
  }
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const lastResort = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(lastResort);
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    (answer) => answer.ok,
    () => false,
  );
}

type Call = (method: string, path: string, body: unknown) => Promise<{ data: { id: number } }>;

function createCall(port: number, token: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method,
      headers: { authorization: `token bench:${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} of listmonk responded with ${answer.status}: ${text}`);
    return JSON.parse(text) as { data: { id: number } };
  };
}

async function fillList(call: Call, url: string, people: number): Promise<number> {
  const { data } = await call('POST', '/lists', {
    name: `Bench ${people}`,
    type: 'private',
    optin: 'single',
  });
  const filled = `
    with filled as (
      insert into subscribers (uuid, email, name, attribs)
      select gen_random_uuid(), substr(md5(n::text), 1, 12) || n || '@example.net', 'Ada Lovelace', '{"city": "London"}'
      from generate_series(1, $2::integer) as n
      on conflict (email) do update set updated_at = now()
      returning id
    )
    insert into subscriber_lists (subscriber_id, list_id, status) select id, $1::integer, 'confirmed' from filled`;
  await query(url, filled, [data.id, people]);
  await query(url, 'vacuum analyze subscribers');
  await query(url, 'vacuum analyze subscriber_lists');
  return data.id;
}

async function startCampaign(
  call: Call,
  listId: number,
  { subject, html, text }: { subject: string; html: string; text: string },
): Promise<void> {
  const template = { name: 'Bare', type: 'campaign', body: '{{ template "content" . }}' };
  const { data: bare } = await call('POST', '/templates', template);
  const { data } = await call('POST', '/campaigns', {
    name: 'Bench',
    subject,
    lists: [listId],
    from_email: 'Bench <news@bench.test>',
    type: 'regular',
    content_type: 'html',
    messenger: 'email',
    body: html,
    altbody: text,
    template_id: bare.id,
  });
  await call('PUT', `/campaigns/${data.id}/status`, { status: 'running' });
}
