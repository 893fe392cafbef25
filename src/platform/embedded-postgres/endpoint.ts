/** The endpoint of the server: a Unix socket, or loopback on Windows. */
import { chmod, chown, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasCode } from './error-codes.ts';
import { nameFor } from './cluster-dir.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { isPostmasterOf } from './postmaster.ts';
import { isRoot } from './processes.ts';
import type { RunAs } from './processes.ts';

export interface DatabaseEndpoint {
  /** The absolute path of the socket's folder, or an IP address. */
  host: string;
  port: number;
}

/** sun_path has 104 bytes on macOS (108 on Linux), including the terminating zero. */
const LONGEST_SOCKET_PATH = 103;
const SOCKET_PORT = 5432;

export function connectionUrl(
  endpoint: DatabaseEndpoint,
  user: string,
  password: string,
  database: string,
): string {
  const credentials = `${user}:${encodeURIComponent(password)}`;
  if (!path.isAbsolute(endpoint.host)) {
    return `postgresql://${credentials}@${endpoint.host}:${endpoint.port}/${database}`;
  }
  const socket = `host=${encodeURIComponent(endpoint.host)}&port=${endpoint.port}`;
  return `postgresql://${credentials}@localhost/${database}?${socket}`;
}

/** Prepares the endpoint for a server that is about to start. Reuses the earlier endpoint if this process knows one. */
export async function prepareEndpoint(
  home: ClusterDir,
  runAs: RunAs,
  earlier?: DatabaseEndpoint,
): Promise<DatabaseEndpoint> {
  if (process.platform === 'win32') return earlier ?? { host: '127.0.0.1', port: await freePort() };
  const folders = [path.join(home.baseDir, 'postgres-run'), ...temporaryFolders(home)];
  const host = earlier?.host ?? folders.find(fitsSocket);
  if (!host) throw new Error(`Every available path is too long for the PostgreSQL socket: ${tmpdir()}`);
  await preparePrivateFolder(host, runAs);
  await removeStaleLock(host, home.clusterDir);
  return { host, port: SOCKET_PORT };
}

/** TMPDIR may be private to root. Every user can use /tmp, including the one that runs PostgreSQL. */
function temporaryFolders(home: ClusterDir): string[] {
  return (isRoot() ? ['/tmp'] : [tmpdir(), '/tmp']).map((dir) =>
    path.join(dir, `posthorn-${nameFor(home.dataDir)}`),
  );
}

function fitsSocket(dir: string): boolean {
  return Buffer.byteLength(path.join(dir, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;
}

async function preparePrivateFolder(dir: string, runAs: RunAs): Promise<void> {
  await mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  // In /tmp another user may have created the folder first, and would then control the socket.
  const found = await lstat(dir);
  const owners = [process.getuid?.(), ...(runAs.how === 'user' ? [runAs.uid] : [])];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new Error(`${dir} already exists, but PostgreSQL needs its own folder there. Remove it.`);
  }
  if (runAs.how === 'user') await chown(dir, runAs.uid, runAs.gid);
  // In the user namespace, the server can only use files that belong to root.
  else if (runAs.how === 'namespace') await chown(dir, 0, 0);
  await chmod(dir, 0o700);
}

/**
 * A killed server leaves a lock file beside its socket. PostgreSQL removes it, unless its pid now belongs to another
 * process. A race here is harmless, because the server locks the cluster first.
 */
async function removeStaleLock(dir: string, clusterDir: string): Promise<void> {
  const lock = path.join(dir, `.s.PGSQL.${SOCKET_PORT}.lock`);
  const content = await readFile(lock, 'utf8').catch(() => '');
  if (!(await isPostmasterOf(clusterDir, Number.parseInt(content, 10)))) await rm(lock, { force: true });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
