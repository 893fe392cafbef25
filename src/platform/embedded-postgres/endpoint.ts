/** Where the server listens: a Unix socket, or loopback on Windows. */
import { chmod, chown, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasCode } from './error-codes.ts';
import { nameFor } from './home.ts';
import type { Home } from './home.ts';
import { isPostmasterOf } from './postmaster.ts';
import { isRoot } from './processes.ts';
import type { RunAs } from './processes.ts';

export interface Endpoint {
  /** The folder of the socket (an absolute path), or an address. */
  host: string;
  port: number;
}

/** sun_path holds 104 bytes on macOS (108 on Linux), the closing zero among them. */
const longestSocketPath = 103;
const socketPort = 5432;

export function connectionUrl(endpoint: Endpoint, user: string, password: string, database: string): string {
  const credentials = `${user}:${encodeURIComponent(password)}`;
  if (!path.isAbsolute(endpoint.host)) {
    return `postgresql://${credentials}@${endpoint.host}:${endpoint.port}/${database}`;
  }
  const socket = `host=${encodeURIComponent(endpoint.host)}&port=${endpoint.port}`;
  return `postgresql://${credentials}@localhost/${database}?${socket}`;
}

/** Prepares a place to listen for a server that is about to start: the earlier one, if it had one in our time. */
export async function prepareEndpoint(home: Home, runAs: RunAs, earlier?: Endpoint): Promise<Endpoint> {
  if (process.platform === 'win32') return earlier ?? { host: '127.0.0.1', port: await freePort() };
  const places = [path.join(home.baseDir, 'postgres-run'), ...sharedPlaces(home)];
  const host = earlier?.host ?? places.find(fitsSocket);
  if (!host) throw new Error(`No folder with a path short enough for the socket of PostgreSQL: ${tmpdir()}`);
  await preparePrivateFolder(host, runAs);
  await removeStaleLock(host, home.clusterDir);
  return { host, port: socketPort };
}

/** TMPDIR may be root's own; the user that PostgreSQL runs as can enter /tmp. */
function sharedPlaces(home: Home): string[] {
  return (isRoot() ? ['/tmp'] : [tmpdir(), '/tmp']).map((dir) =>
    path.join(dir, `posthorn-${nameFor(home.dataDir)}`),
  );
}

function fitsSocket(dir: string): boolean {
  return Buffer.byteLength(path.join(dir, `.s.PGSQL.${socketPort}`)) <= longestSocketPath;
}

async function preparePrivateFolder(dir: string, runAs: RunAs): Promise<void> {
  await mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  // In /tmp anyone may have made it before us, and would then own the socket's name.
  const found = await lstat(dir);
  const owners = [process.getuid?.(), ...(runAs.how === 'user' ? [runAs.uid] : [])];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new Error(`${dir} is in the way: PostgreSQL needs a folder of its own there. Remove it.`);
  }
  if (runAs.how === 'user') await chown(dir, runAs.uid, runAs.gid);
  // In a namespace only root's own files look like ours.
  else if (runAs.how === 'namespace') await chown(dir, 0, 0);
  await chmod(dir, 0o700);
}

/**
 * A killed server leaves a lock beside its socket. PostgreSQL removes it, unless the pid in it belongs to some
 * other program by now. Losing a race here is harmless: the lock of the cluster is taken before this one.
 */
async function removeStaleLock(dir: string, clusterDir: string): Promise<void> {
  const lock = path.join(dir, `.s.PGSQL.${socketPort}.lock`);
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
