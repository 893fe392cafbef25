/**
 * A PostgreSQL server in the data folder, for installations without a server of their own.
 *
 * - The first start creates the cluster, atomically and only once.
 * - The first process to open it starts the server, and the last process to leave stops it. A process takes over a
 *   server that a killed process left running, and waits for one that is stopping.
 * - The server runs in a session of its own, so signals to our process group do not reach it.
 * - It listens on a Unix socket (loopback on Windows) and requires the random password stored in its cluster.
 */
import path from 'node:path';
import { packagedBinaries } from './embedded-postgres/binaries.ts';
import { joinOrStart } from './embedded-postgres/join-or-start.ts';
import { findClusterDir } from './embedded-postgres/cluster-dir.ts';
import { isPostmasterOf, readPostmaster } from './embedded-postgres/postmaster.ts';
import type { ServerOptions } from './embedded-postgres/settings.ts';

export interface EmbeddedPostgres {
  /** Connection URL for `pg`: postgresql://posthorn:<password>@localhost/posthorn?host=<socket folder>&port=5432 */
  url: string;
  /** Ends this process's use of the server. The last process to leave stops the server and waits for its exit. */
  leave(): Promise<void>;
}

export async function openEmbeddedPostgres(
  dataDir: string,
  options: ServerOptions = {},
): Promise<EmbeddedPostgres> {
  const machine = {
    nativeDir: packagedBinaries(),
    namespaces: process.platform === 'linux',
    outsideDir: '/var/lib/posthorn',
  };
  return joinOrStart(machine, dataDir, options);
}

/** True when a server runs for this data folder, whichever process started it. */
export async function isEmbeddedPostgresRunning(dataDir: string): Promise<boolean> {
  const home = await findClusterDir(path.resolve(dataDir));
  if (!home) return false;
  const postmaster = await readPostmaster(home.clusterDir);
  return postmaster !== undefined && isPostmasterOf(home.clusterDir, postmaster.pid);
}
