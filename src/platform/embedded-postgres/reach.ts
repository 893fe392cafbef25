/** Gets a connection to the server of a data folder, starting the server where none runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { superuser } from './cluster.ts';
import { prepareEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { hasCode } from './error-codes.ts';
import type { Home } from './home.ts';
import { launch } from './launch.ts';
import type { Launch } from './launch.ts';
import { isPostmasterOf, readPostmaster, removeBrokenPidFile } from './postmaster.ts';
import type { Postmaster } from './postmaster.ts';
import { runnerOf } from './runner.ts';
import type { Machine } from './runner.ts';
import { settingArguments } from './settings.ts';
import type { ServerOptions } from './settings.ts';
import { sweepUnfinished } from './unfinished.ts';

export interface Server {
  machine: Machine;
  home: Home;
  password: string;
  options: ServerOptions;
  /** Where it answered last. */
  endpoint?: Endpoint;
}

/** Every process holds it shared, on one connection, for as long as it needs the server. "posthorn" in ASCII. */
export const presenceLock = '8101821198468346478';

/** A start that was quicker than ours, and the last processes of a killed server. */
const isPassing = /lock file ".*" (already exists|is empty)|shared memory block .* is still in use/;
const pollMs = 20;
const answerWithinMs = 60_000;
/** A server that was killed in the middle of much work first reads up to 2 GB of its log. */
const recoverWithinMs = 10 * 60_000;

/** Resolves to a connection that holds the presence lock. In the background it does not keep the process alive. */
export async function reach(server: Server, signal: AbortSignal, inBackground: boolean): Promise<Client> {
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
    // One that is up but does not let us in is on its way up or down, be it ours or another process's.
    if (!isUp && !isComing) {
      if (launched) await throwUnlessPassing(server.home, launched);
      launched = await start(server, postmaster?.pid);
    }
    const limitMs = isUp && !postmaster.isReady ? recoverWithinMs : answerWithinMs;
    if (Date.now() - begun > limitMs) throw noAnswer(server.home, postmaster, answer);
    await sleep(pollMs, undefined, { ref: !inBackground });
  }
}

/** Connected to the database `postgres`: advisory locks count within one database, and this one never goes. */
export async function connect(server: Server, { host, port }: Endpoint): Promise<Client> {
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
    // Whoever stops the server holds the lock and then ends us; unless it was frozen on the way.
    lock_timeout: 15_000,
  });
  // Without a listener a lost connection would end the process. What follows is 'end'.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The error stands for "not now"; one that waiting cannot heal is thrown. */
async function join(server: Server, postmaster: Postmaster): Promise<Client | Error> {
  let client: Client | undefined;
  try {
    client = await connect(server, postmaster);
    // Waits here while the last one out stops the server, and is thrown out with it.
    await client.query('select pg_advisory_lock_shared($1)', [presenceLock]);
    server.endpoint = { host: postmaster.host, port: postmaster.port };
    return client;
  } catch (error) {
    await client?.end().catch(() => {});
    if (hasCode(error, '28P01', '28000')) {
      throw new Error(`PostgreSQL refuses the password in ${server.home.passwordFile}.`, { cause: error });
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function start(server: Server, stalePid: number | undefined): Promise<Launch> {
  const { machine, home, options } = server;
  await sweepUnfinished(home.baseDir);
  await removeBrokenPidFile(home.clusterDir);
  const runner = await runnerOf(machine, home);
  const endpoint = await prepareEndpoint(home, runner.runAs, server.endpoint);
  return launch({ ...home, ...runner }, settingArguments(endpoint, options), stalePid);
}

async function throwUnlessPassing(home: Home, launched: Launch): Promise<void> {
  const logged = await launched.logged();
  if (launched.ended === 'exit code 0' || isPassing.test(logged)) return sleep(100);
  const lines = logged.split('\n').slice(-15).join('\n  ');
  throw new Error(
    `PostgreSQL did not start (${launched.ended}). The end of ${home.logFile}:\n  ${lines}\n` +
      'Remove the cause and start again, or set DATABASE_URL to use a PostgreSQL of your own.',
  );
}

function noAnswer(home: Home, postmaster: Postmaster | undefined, cause: Error | undefined): Error {
  const which = postmaster
    ? `PostgreSQL (pid ${postmaster.pid}, socket in ${postmaster.host})`
    : 'PostgreSQL';
  const why = cause ? ` (${cause.message})` : '';
  return new Error(
    `${which} does not answer${why}. See ${home.logFile}; if that process hangs, stop it and start again.`,
    { cause },
  );
}
