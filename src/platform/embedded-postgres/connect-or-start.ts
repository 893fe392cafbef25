/** Connects to the server of a data folder and starts the server if none runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { superuser } from './cluster.ts';
import { prepareEndpoint } from './endpoint.ts';
import type { DatabaseEndpoint } from './endpoint.ts';
import { hasCode } from './error-codes.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { launch } from './launch.ts';
import type { Launch } from './launch.ts';
import { isPostmasterOf, readPostmaster, removeBrokenPidFile } from './postmaster.ts';
import type { Postmaster } from './postmaster.ts';
import { findRunAs } from './runner.ts';
import type { Machine } from './runner.ts';
import { settingArguments } from './settings.ts';
import type { ServerOptions } from './settings.ts';
import { sweepUnfinished } from './unfinished.ts';

export interface Server {
  machine: Machine;
  home: ClusterDir;
  password: string;
  options: ServerOptions;
  /** The endpoint of the last successful connection. */
  endpoint?: DatabaseEndpoint;
}

/** Every process holds this lock shared while it needs the server. The number is "posthorn" in ASCII. */
export const presenceLock = '8101821198468346478';

/** Failures that pass: another process was starting the server, or processes of a killed server are still running. */
const temporaryFailure = /lock file ".*" (already exists|is empty)|shared memory block .* is still in use/;
const POLL_MS = 20;
const ANSWER_WITHIN_MS = 60_000;
/** After a crash under load, the server first replays up to 2 GB of WAL. */
const RECOVER_WITHIN_MS = 10 * 60_000;

/**
 * Resolves to a connection that holds the presence lock. With `inBackground` the wait does not keep the process alive.
 */
export async function connectOrStart(
  server: Server,
  signal: AbortSignal,
  inBackground: boolean,
): Promise<Client> {
  const { clusterDir } = server.home;
  const begun = Date.now();
  let launched: Launch | undefined;
  for (;;) {
    signal.throwIfAborted();
    const postmaster = await readPostmaster(clusterDir);
    const answer = postmaster?.isReady ? await join(server, postmaster) : undefined;
    if (answer instanceof Client) return answer;

    const isUp = postmaster !== undefined && (await isPostmasterOf(clusterDir, postmaster.pid));
    const isComing = launched !== undefined && launched.ended === undefined;
    // A server that is up but refuses connections is starting or stopping, so wait for it.
    if (!isUp && !isComing) {
      if (launched) await throwUnlessTemporary(server.home, launched);
      launched = await start(server, postmaster?.pid);
    }
    const limitMs = isUp && !postmaster.isReady ? RECOVER_WITHIN_MS : ANSWER_WITHIN_MS;
    if (Date.now() - begun > limitMs) throw noAnswer(server.home, postmaster, answer);
    await sleep(POLL_MS, undefined, { ref: !inBackground });
  }
}

/** Connects to the database `postgres`: advisory locks are per database, and this database always exists. */
export async function connect(server: Server, { host, port }: DatabaseEndpoint): Promise<Client> {
  const client = new Client({
    host,
    port,
    user: superuser,
    password: server.password,
    database: 'postgres',
    application_name: 'posthorn-presence',
    ssl: false,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    // A process that stops the server holds the lock and then ends this connection, unless that process hangs.
    lock_timeout: 15_000,
  });
  // Without a listener, the error of a lost connection would end the process. An 'end' event follows.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Returns the error if it is worth waiting, and throws it if it is permanent. */
async function join(server: Server, postmaster: Postmaster): Promise<Client | Error> {
  let client: Client | undefined;
  try {
    client = await connect(server, postmaster);
    // While the last process stops the server, this waits, and then fails when the connection ends.
    await client.query('select pg_advisory_lock_shared($1)', [presenceLock]);
    server.endpoint = { host: postmaster.host, port: postmaster.port };
    return client;
  } catch (error) {
    await client?.end().catch(() => {});
    if (hasCode(error, '28P01', '28000')) {
      throw new Error(`PostgreSQL rejects the password in ${server.home.passwordFile}.`, { cause: error });
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function start(server: Server, stalePid: number | undefined): Promise<Launch> {
  const { machine, home, options } = server;
  await sweepUnfinished(home.baseDir);
  await removeBrokenPidFile(home.clusterDir);
  const runner = await findRunAs(machine, home);
  const endpoint = await prepareEndpoint(home, runner.runAs, server.endpoint);
  return launch({ ...home, ...runner }, settingArguments(endpoint, options), stalePid);
}

async function throwUnlessTemporary(home: ClusterDir, launched: Launch): Promise<void> {
  const logged = await launched.logged();
  if (launched.ended === 'exit code 0' || temporaryFailure.test(logged)) return sleep(100);
  const lines = logged.split('\n').slice(-15).join('\n  ');
  throw new Error(
    `PostgreSQL did not start (${launched.ended}). The end of ${home.logFile}:\n  ${lines}\n` +
      'Fix the cause and start again, or set DATABASE_URL to use your own PostgreSQL.',
  );
}

function noAnswer(home: ClusterDir, postmaster: Postmaster | undefined, cause: Error | undefined): Error {
  const which = postmaster
    ? `PostgreSQL (pid ${postmaster.pid}, socket in ${postmaster.host})`
    : 'PostgreSQL';
  const why = cause ? ` (${cause.message})` : '';
  return new Error(
    `${which} does not respond${why}. Check ${home.logFile}. If the process hangs, stop it and start again.`,
    { cause },
  );
}
