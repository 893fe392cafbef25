/** Starts Posthorn as an operator does: built, with the embedded, durable PostgreSQL and with its log. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { openDatabase, type Database } from '../src/platform/database/database.ts';
import { openEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { onClose } from './cleanup.ts';

export interface Posthorn {
  port: number;
  smtpPort: number;
  submissionPort: number;
  /** The pid of the server. */
  pid: number;
  key: string;
  databaseUrl: string;
  folder: string;
  dataDir: string;
  /** The benchmark's own connection to the same database, for filling and counting. */
  database: Database;
  /** Calls the API. Throws unless the response is 200. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

const PROGRAM = fileURLToPath(new URL('../bin/posthorn.js', import.meta.url));
const START_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 15_000;
const FILL_WITHIN_MS = 300_000;
const TOLD_ERRORS = 5;

let profileFolder: string | null = null;

/** Makes every server write a CPU profile into this folder when it exits. */
export function profileInto(folder: string): void {
  profileFolder = resolve(folder);
  mkdirSync(profileFolder, { recursive: true });
}

/** `databaseSettings` are settings of PostgreSQL that the measurement needs. */
export async function startPosthorn(
  env: Record<string, string> = {},
  doors = 'http',
  databaseSettings: Record<string, string> = {},
): Promise<Posthorn> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  onClose(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  // PostgreSQL may run as another user, which must be able to traverse this folder.
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  const entering = openEmbeddedPostgres(dataDir, { extraSettings: databaseSettings });
  // Registered before it has finished, because an interrupt must wait for it. Otherwise PostgreSQL would outlive its
  // folder.
  onClose(async () => (await entering.catch(() => null))?.leave());
  const postgres = await entering;
  const database = openDatabase(postgres.url, {
    connections: 2,
    onError: () => {},
    statementTimeoutMs: FILL_WITHIN_MS,
  });
  // Do not wait longer: queries that still run after Ctrl-C end with the server.
  onClose(() => Promise.race([database.close(), sleep(500)]));

  const key = `bench-${randomBytes(24).toString('hex')}`;
  const { stop: _stop, ...started } = await startServer(folder, dataDir, doors, {
    ...env,
    BOOTSTRAP_API_KEY: key,
  });
  const call = createCall(started.port, key);
  return { ...started, key, databaseUrl: postgres.url, folder, dataDir, database, call };
}

async function startServer(
  folder: string,
  dataDir: string,
  doors: string,
  settings: Record<string, string>,
): Promise<Pick<Posthorn, 'port' | 'smtpPort' | 'submissionPort' | 'pid'> & { stop(): Promise<void> }> {
  const [port, smtpPort, submissionPort, submissionsPort] = await freePorts(4);
  const env = {
    PORT: String(port),
    SMTP_PORT: String(smtpPort),
    SUBMISSION_PORT: String(submissionPort),
    SUBMISSIONS_PORT: String(submissionsPort),
    ...settings,
  };
  const { child, logFile, stop } = startProcess(folder, dataDir, doors, env);
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await isHealthy(port!))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new Error(`Posthorn did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
    }
    await sleep(50);
  }
  return { port: port!, smtpPort: smtpPort!, submissionPort: submissionPort!, pid: child.pid!, stop };
}

/** Adds the domain `bench.test` as if it were verified. */
export async function addDomain({ call, database }: Posthorn): Promise<{ id: number; teamId: number }> {
  const domain = (await call('POST', '/domains', { name: 'bench.test' })) as { id: number; teamId: number };
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(database.db);
  return domain;
}

/** Returns the pid of the embedded PostgreSQL. */
export async function findPostgres({ database: { db } }: Posthorn): Promise<number> {
  const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(
    db,
  );
  return Number(readFileSync(join(rows[0]!.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

export interface Worker {
  pid: number;
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts only the worker, in a process of its own on the same database. */
export function startWorker({ folder, dataDir }: Posthorn, env: Record<string, string>): Worker {
  const { child, stop } = startProcess(folder, dataDir, 'worker', env);
  return { pid: child.pid!, stop, kill: () => stop('SIGKILL') };
}

/** Starts another process with these doors on the same database. */
export async function startAnother(
  { folder, dataDir }: Posthorn,
  doors: string,
  env: Record<string, string>,
): Promise<Pick<Posthorn, 'port' | 'smtpPort' | 'pid'> & { stop(): Promise<void> }> {
  return startServer(folder, dataDir, doors, env);
}

function startProcess(folder: string, dataDir: string, door: string, env: Record<string, string>) {
  const logFile = join(folder, `${door}.log`);
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...profiling, PROGRAM, 'serve', '--doors', door], {
    // Neither our environment nor an .env file applies, because the defaults are measured.
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  const exited = once(child, 'exit');
  let stopping = false;
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (stopping) return;
    stopping = true;
    child.kill(signal);
    const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    if (child.exitCode === null && child.signalCode === null) await exited;
    clearTimeout(lastResort);
    for (const line of await errorsIn(logFile)) console.error(line);
  }
  onClose(() => stop());
  child.on('exit', (code, signal) => {
    if (!stopping) console.error(`Posthorn ended unexpectedly (${code ?? signal}).`);
  });
  return { child, logFile, stop };
}

/** Returns the first errors of the server's log. The log has a line per request, so it is not read as a whole. */
async function errorsIn(logFile: string): Promise<string[]> {
  const errors: string[] = [];
  for await (const line of createInterface(createReadStream(logFile))) {
    if (!line.startsWith('{"level":30')) errors.push(line.slice(0, 400));
    if (errors.length === TOLD_ERRORS) break;
  }
  return errors;
}

async function isHealthy(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

function createCall(port: number, key: string): Posthorn['call'] {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request =
      body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, request);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path} responded with ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}
