/**
 * The product for a test: real doors on real sockets, on a database of its own, with every answer held against
 * what its route declares.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type Config } from '../config.ts';
import { createApiKey } from '../features/api-keys/api-keys.ts';
import { hashCheaply } from '../features/people/passwords.ts';
import { createTeam } from '../features/teams/teams.ts';
import { start, type Door } from '../main.ts';
import { openDatabase, type Db } from '../platform/database.ts';
import { createLog } from '../platform/log.ts';
import { createTestDatabase } from './test-database.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** `call('POST', '/contactBooks', {name: 'x'})`; a string or Buffer goes out as it is. */
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
  /** Of the SMTP door, where it is open. */
  smtpPort: number;
  submissionPort: number;
  config: Config;
  /** Of the link that makes the owner of team 1; null where another server made it. */
  setupToken: string | null;
  db: Db;
  /** Calls without a key, or with one of your own in the headers. */
  call: Call;
  createTeam(): Promise<TestTeam>;
  close(): Promise<void>;
}

export async function startTestServer(
  options: { doors?: Door[]; env?: Record<string, string>; databaseUrl?: string; webFolder?: string } = {},
): Promise<TestServer> {
  hashCheaply();
  const ownDatabase = options.databaseUrl ? null : await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-data-'));
  const databaseUrl = options.databaseUrl ?? ownDatabase!.url;
  const config = {
    ...loadConfig({ LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...options.env }),
    port: 0,
    smtpPort: 0,
    submissionPort: 0,
  };
  const running = await start(config, createLog('fatal'), options.doors ?? ['http'], {
    checkAnswers: true,
    // The connections that fetch keeps open would hold up every test at its end.
    idleGraceMs: 0,
    webFolder: options.webFolder,
  });
  const database = openDatabase(databaseUrl, { connections: 2, onError: () => {} });
  const url = `http://127.0.0.1:${running.httpPort}`;
  return {
    url,
    smtpPort: running.smtpPort ?? 0,
    submissionPort: running.submissionPort ?? 0,
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

/** The same for a server in another process: each call closes its connection, so that none delays the server's stop. */
export function createClosingCall(url: string, key?: string): Call {
  const call = createCall(url, key);
  return (method, path, body, headers) => call(method, path, body, { connection: 'close', ...headers });
}

let ofThisWorker: Promise<TestServer> | undefined;

/**
 * One server with the HTTP door and default settings for all test files of a worker. For files that look at the teams
 * that they create and at nothing else. It ends with the worker; `close` only frees the names of the file's domains.
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
