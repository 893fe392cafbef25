/**
 * A server for tests, with real sockets and a database of its own. Every response is checked against the declaration
 * of its route.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loadConfig, type Config } from '../config.ts';
import { createApiKey } from '../features/identity/api-keys/api-keys.ts';
import { hashCheaply } from '../features/identity/people/passwords.ts';
import { createTeam } from '../features/account/teams/teams.ts';
import type { Door } from '../doors.ts';
import { start } from '../main.ts';
import { instanceSecretFile, sha256 } from '../platform/crypto.ts';
import { openDatabase, type Db } from '../platform/database/database.ts';
import { createLog, type Log } from '../platform/log.ts';
import { startThreadsFrom } from '../platform/concurrency/start-thread.ts';
import { createTestDatabase } from './test-database.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** `call('POST', '/contactBooks', {name: 'x'})`. A string or Buffer is sent unchanged. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export interface TestTeam {
  teamId: number;
  key: string;
  call: Call;
}

export interface TestServer {
  url: string;
  /** The URL of METRICS_PORT, if it is set and HTTP is not started. */
  metricsUrl: string;
  /** The inbound SMTP port, if SMTP is started. */
  smtpPort: number;
  submissionPort: number;
  submissionsPort: number;
  imapPort: number;
  imapsPort: number;
  config: Config;
  /** The token of the setup link for the owner of team 1; null if another server created it. */
  setupToken: string | null;
  db: Db;
  /** Calls without a key, unless the headers have one. */
  call: Call;
  createTeam(): Promise<TestTeam>;
  close(): Promise<void>;
}

export async function startTestServer(
  options: {
    doors?: Door[];
    env?: Record<string, string>;
    /** For a server whose BASE_URL must be reachable. */
    httpPort?: number;
    databaseUrl?: string;
    webFolder?: string;
    /** How long the shutdown waits for running work, for tests of the result of that work. */
    graceMs?: number;
    /** The log, for tests of its lines. */
    log?: Log;
  } = {},
): Promise<TestServer> {
  hashCheaply();
  startThreadsFrom(inject('threadsFolder'));
  const ownDatabase = options.databaseUrl ? null : await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-data-'));
  const databaseUrl = options.databaseUrl ?? ownDatabase!.url;
  writeFileSync(instanceSecretFile(dataDir), `${secretOfDatabase(databaseUrl)}\n`);
  const config = {
    ...loadConfig({ LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...options.env }),
    port: options.httpPort ?? 0,
    smtpPort: 0,
    submissionPort: 0,
    submissionsPort: 0,
    imapPort: 0,
    imapsPort: 0,
  };
  if (config.metricsPort !== null) config.metricsPort = 0;
  const running = await start(config, options.log ?? createLog('fatal'), options.doors ?? ['http'], {
    checkAnswers: true,
    // Otherwise the connections that fetch keeps open would delay the end of every test.
    idleGraceMs: 0,
    graceMs: options.graceMs,
    webFolder: options.webFolder,
  });
  const database = openDatabase(databaseUrl, { connections: 2, onError: () => {} });
  const url = `http://127.0.0.1:${running.httpPort}`;
  return {
    url,
    metricsUrl: `http://127.0.0.1:${running.metricsPort}`,
    smtpPort: running.smtpPort ?? 0,
    submissionPort: running.submissionPort ?? 0,
    submissionsPort: running.submissionsPort ?? 0,
    imapPort: running.imapPort ?? 0,
    imapsPort: running.imapsPort ?? 0,
    config,
    setupToken: running.firstStart.setupToken,
    db: database.db,
    call: createCall(url),
    async createTeam() {
      const team = await createTeam(database.db, 'Test team');
      const { key } = await createApiKey(database.db, team.id, { name: 'Test', permission: 'full' });
      return { teamId: team.id, key, call: createCall(url, key) };
    },
    async close() {
      await running.close();
      await database.close();
      await ownDatabase?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Servers on the same database have the same secret. It depends on the name alone, because some use a proxy. */
export function secretOfDatabase(databaseUrl: string): string {
  return sha256(new URL(databaseUrl).pathname).toString('hex');
}

/**
 * Does the same for a server in another process. Each call closes its connection, so that none delays the server's
 * shutdown.
 */
export function createClosingCall(url: string, key?: string): Call {
  const call = createCall(url, key);
  return (method, path, body, headers) => call(method, path, body, { connection: 'close', ...headers });
}

let ofThisWorker: Promise<TestServer> | undefined;

/**
 * Returns one HTTP server with default settings for all test files of a worker. Only for files that use nothing but the
 * teams they create. It ends with the worker; `close` only frees the names of the file's domains.
 */
export async function shareTestServer(): Promise<TestServer> {
  const server = await (ofThisWorker ??= startForWorker());
  const teamIds = [0];
  return {
    ...server,
    async createTeam() {
      const team = await server.createTeam();
      teamIds.push(team.teamId);
      return team;
    },
    async close() {
      await server.db
        .updateTable('domains')
        .set({ held: false, status: 'FAILED' })
        .where('team_id', 'in', teamIds)
        .execute();
    },
  };
}

async function startForWorker(): Promise<TestServer> {
  const server = await startTestServer();
  process.once('exit', () => rmSync(server.config.dataDir, { recursive: true, force: true }));
  return server;
}

export function createCall(url: string, key?: string): Call {
  return async (method, path, body, headers = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : raw ? (body as string) : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}
