/** Makes the cluster: whole or not at all, and one only, whoever starts together or is killed on the way. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { programPath } from './binaries.ts';
import { isMissing } from './error-codes.ts';
import { writePointer } from './home.ts';
import type { Home } from './home.ts';
import { commandFor, runToEnd } from './processes.ts';
import type { Runner } from './runner.ts';
import { putInPlace, unfinishedPath } from './unfinished.ts';

export const superuser = 'posthorn';

/** Far longer than the second it takes, for slow disks. */
const initdbTimeoutMs = 5 * 60_000;

export async function createCluster(home: Home & Runner, durable: boolean): Promise<void> {
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
    // initdb wants an empty folder, so the password comes in now, and with the folder to its place.
    await rename(password, path.join(cluster, path.basename(home.passwordFile)));
    if (durable) await syncFolder(cluster);
    await putInPlace(cluster, home.clusterDir);
    if (durable) await syncFolder(home.baseDir);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  if (home.baseDir !== home.dataDir) await writePointer(home);
}

export async function readPassword(home: Home): Promise<string> {
  try {
    return (await readFile(home.passwordFile, 'utf8')).trim();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Error(
      `${home.clusterDir} is not a database that Posthorn made: ${home.passwordFile} is missing. ` +
        'Bring the file back, or choose another DATA_DIR.',
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
    // PostgreSQL's own rules, not the machine's: text sorts the same everywhere and after every system upgrade.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await runToEnd(commandFor(runner.runAs, programPath(runner.nativeDir, 'initdb'), args), initdbTimeoutMs);
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(
      `PostgreSQL could not make its database in ${cluster}: ${stderr || String(cause)}. ` +
        'See that the disk has room and allows writing, or set DATABASE_URL to use a PostgreSQL of your own.',
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

/** Makes the names in a folder survive a power cut. Windows cannot open folders and does not need it. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
