/** Opens the embedded server: creates the folder, the cluster and the database, and starts the server, as needed. */
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from 'pg';
import { createCluster, readPassword, superuser } from './cluster.ts';
import { connectionUrl } from './endpoint.ts';
import { hasCode } from './error-codes.ts';
import { findClusterDir } from './cluster-dir.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { holdPresence } from './presence.ts';
import { connectOrStart } from './connect-or-start.ts';
import type { Server } from './connect-or-start.ts';
import { chooseClusterDir } from './runner.ts';
import type { Machine } from './runner.ts';
import type { ServerOptions } from './settings.ts';

const database = 'posthorn';
/** Held while the database is created. Any number that differs from the presence lock. */
const DATABASE_LOCK = '1';

export async function joinOrStart(
  machine: Machine,
  folder: string,
  options: ServerOptions,
): Promise<{ url: string; leave(): Promise<void> }> {
  const { dataDir, isNew } = await makeDataDir(folder);
  const home = (await findClusterDir(dataDir)) ?? (await makeHome(machine, { dataDir, isNew }, options));
  const server: Server = { machine, home, password: await readPassword(home), options };
  const client = await connectOrStart(server, new AbortController().signal, false);
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
): Promise<ClusterDir> {
  const home = await chooseClusterDir(machine, dataDir, isNew);
  await createCluster(home, options.durable !== false);
  return home;
}

/** A new folder is private; an existing one keeps its permissions. */
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
  // Resolve links, so that a folder always has the same name.
  return { dataDir: await realpath(wanted), isNew };
}

async function ensureDatabase(client: Client): Promise<void> {
  const exists = async (): Promise<boolean> =>
    (await client.query('select from pg_database where datname = $1', [database])).rowCount === 1;
  if (await exists()) return;
  // Two concurrent CREATE DATABASE would fail on the template or on the name.
  await client.query('select pg_advisory_lock($1)', [DATABASE_LOCK]);
  try {
    if (!(await exists())) await client.query(`create database ${database} template template0`);
  } finally {
    // A lost connection unlocks by itself.
    await client.query('select pg_advisory_unlock($1)', [DATABASE_LOCK]).catch(() => {});
  }
}
