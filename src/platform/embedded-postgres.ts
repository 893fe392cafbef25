/**
 * A real PostgreSQL that lives in the data folder, for those who bring none of their own.
 *
 * - The cluster is made at the first entry: whole or not at all, and one only.
 * - The first process that enters starts the server, the last one that leaves stops it. One that was left behind by
 *   a killed process is taken over; one that is stopping is waited for.
 * - The server is in a session of its own: signals to our process group do not reach it.
 * - It listens on a Unix socket (loopback on Windows) and wants the random password kept in its cluster.
 */
import path from 'node:path';
import { packagedBinaries } from './embedded-postgres/binaries.ts';
import { enter } from './embedded-postgres/enter.ts';
import { findHome } from './embedded-postgres/home.ts';
import { isPostmasterOf, readPostmaster } from './embedded-postgres/postmaster.ts';
import type { ServerOptions } from './embedded-postgres/settings.ts';

export interface EmbeddedPostgres {
  /** For `pg`: postgresql://posthorn:<password>@localhost/posthorn?host=<socket folder>&port=5432 */
  url: string;
  /** Gives up this process's share; the last one out stops the server and waits until it is gone. */
  leave(): Promise<void>;
}

export async function enterEmbeddedPostgres(
  dataDir: string,
  options: ServerOptions = {},
): Promise<EmbeddedPostgres> {
  const machine = {
    nativeDir: packagedBinaries(),
    namespaces: process.platform === 'linux',
    outsideDir: '/var/lib/posthorn',
  };
  return enter(machine, dataDir, options);
}

/** True when a server runs for this data folder, whoever started it. */
export async function isEmbeddedPostgresRunning(dataDir: string): Promise<boolean> {
  const home = await findHome(path.resolve(dataDir));
  if (!home) return false;
  const postmaster = await readPostmaster(home.clusterDir);
  return postmaster !== undefined && isPostmasterOf(home.clusterDir, postmaster.pid);
}
