/** The whole way in: folder, cluster, server, presence, database. */
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from 'pg';
import { createCluster, readPassword, superuser } from './cluster.ts';
import { connectionUrl } from './endpoint.ts';
import { hasCode } from './error-codes.ts';
import { findHome } from './home.ts';
import type { Home } from './home.ts';
import { holdPresence } from './presence.ts';
import { reach } from './reach.ts';
import type { Server } from './reach.ts';
import { chooseHome } from './runner.ts';
import type { Machine } from './runner.ts';
import type { ServerOptions } from './settings.ts';

const database = 'posthorn';
/** Held while the database is made; any number but the presence lock's. */
const databaseLock = '1';

export async function enter(
  machine: Machine,
  folder: string,
  options: ServerOptions,
): Promise<{ url: string; leave(): Promise<void> }> {
  const { dataDir, isNew } = await makeDataDir(folder);
  const home = (await findHome(dataDir)) ?? (await makeHome(machine, { dataDir, isNew }, options));
  const server: Server = { machine, home, password: await readPassword(home), options };
  const client = await reach(server, new AbortController().signal, false);
  try {
    await ensureDatabase(client);
  } catch (error) {
    await holdPresence(server, client)();
    throw error;
  }
  const leave = holdPresence(server, client);
  return { url: connectionUrl(client, superuser, server.password, database), leave };
}

async function makeHome(
  machine: Machine,
  { dataDir, isNew }: { dataDir: string; isNew: boolean },
  options: ServerOptions,
): Promise<Home> {
  const home = await chooseHome(machine, dataDir, isNew);
  await createCluster(home, options.durable !== false);
  return home;
}

/** The folder is private when we make it; one that exists keeps its permissions. */
async function makeDataDir(folder: string): Promise<{ dataDir: string; isNew: boolean }> {
  const wanted = path.resolve(folder);
  await mkdir(path.dirname(wanted), { recursive: true });
  const isNew = await mkdir(wanted, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    },
  );
  // So that one folder has one name, whatever link it is reached by.
  return { dataDir: await realpath(wanted), isNew };
}

async function ensureDatabase(client: Client): Promise<void> {
  const exists = async (): Promise<boolean> =>
    (await client.query('select from pg_database where datname = $1', [database])).rowCount === 1;
  if (await exists()) return;
  // Two that start together would stumble over each other's template, or over the name.
  await client.query('select pg_advisory_lock($1)', [databaseLock]);
  try {
    if (!(await exists())) await client.query(`create database ${database} template template0`);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [databaseLock]);
  }
}
