/** Creates the cluster atomically, even if processes start at the same time or are killed in the middle. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { programPath } from './binaries.ts';
import { isMissing } from './error-codes.ts';
import { writePointer } from './cluster-dir.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { commandFor, runToEnd } from './processes.ts';
import type { Runner } from './runner.ts';
import { moveIntoPlace, unfinishedPath } from './unfinished.ts';

export const superuser = 'posthorn';

/** initdb takes about a second; the limit is for slow disks. */
const INITDB_TIMEOUT_MS = 5 * 60_000;

export async function createCluster(home: ClusterDir & Runner, durable: boolean): Promise<void> {
  const unfinished = unfinishedPath(home.clusterDir);
  const cluster = path.join(unfinished, 'cluster');
  const password = path.join(unfinished, 'password');
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await writeSecret(password, randomBytes(24).toString('hex'));
    if (home.runAs.how === 'user') {
      for (const made of [password, unfinished]) await chown(made, home.runAs.uid, home.runAs.gid);
    }
    await initdb(home, { cluster, password, durable });
    // initdb requires an empty folder, so the password is moved in afterwards.
    await rename(password, path.join(cluster, path.basename(home.passwordFile)));
    if (durable) await syncFolder(cluster);
    await moveIntoPlace(cluster, home.clusterDir);
    if (durable) await syncFolder(home.baseDir);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  if (home.baseDir !== home.dataDir) await writePointer(home);
}

export async function readPassword(home: ClusterDir): Promise<string> {
  try {
    return (await readFile(home.passwordFile, 'utf8')).trim();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Error(
      `${home.clusterDir} was not created by Posthorn: ${home.passwordFile} is missing. ` +
        'Restore the file, or choose another DATA_DIR.',
      { cause: error },
    );
  }
}

async function initdb(
  runner: Runner,
  { cluster, password, durable }: { cluster: string; password: string; durable: boolean },
): Promise<void> {
  const args = [
    `--pgdata=${cluster}`,
    `--username=${superuser}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The builtin locale sorts text in the same way on every machine and after every system upgrade.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await runToEnd(
      commandFor(runner.runAs, programPath(runner.nativeDir, 'initdb'), args),
      INITDB_TIMEOUT_MS,
    );
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(
      `PostgreSQL could not create its database in ${cluster}: ${stderr || String(cause)}. ` +
        'Check that the disk has space and is writable, or set DATABASE_URL to use your own PostgreSQL.',
      { cause },
    );
  }
}

async function writeSecret(file: string, secret: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the entries of a folder survive a power cut. Windows cannot open folders and does not need it. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
