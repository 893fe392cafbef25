/** Where things lie. The cluster is in DATA_DIR, or outside of it where a pointer file in DATA_DIR says so. */
import { createHash } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, isMissing } from './error-codes.ts';
import { unfinishedPath } from './unfinished.ts';

export interface Home {
  dataDir: string;
  /** The folder that holds the cluster: dataDir, or one outside of it. */
  baseDir: string;
  clusterDir: string;
  passwordFile: string;
  logFile: string;
}

export function homeAt(dataDir: string, baseDir: string): Home {
  const clusterDir = path.join(baseDir, 'postgres');
  return {
    dataDir,
    baseDir,
    clusterDir,
    passwordFile: path.join(clusterDir, 'posthorn.password'),
    // Always in dataDir: the server gets it as an open file and needs no right to the folder.
    logFile: path.join(dataDir, 'postgres.log'),
  };
}

/** The home of the cluster that exists; undefined when none was made yet. */
export async function findHome(dataDir: string): Promise<Home | undefined> {
  const baseDir = (await readPointer(dataDir)) ?? dataDir;
  const home = homeAt(dataDir, baseDir);
  if (await hasCluster(home)) return home;
  if (baseDir === dataDir) return undefined;
  // Never an empty database in the place of one that was there.
  throw new Error(
    `${pointerFile(dataDir)} says that the database is in ${baseDir}, but it is not there. ` +
      'Bring that folder back; or delete the pointer file to begin with an empty database.',
  );
}

async function hasCluster(home: Home): Promise<boolean> {
  try {
    await stat(path.join(home.clusterDir, 'PG_VERSION'));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!hasCode(error, 'EACCES')) throw error;
    throw new Error(
      `${home.clusterDir} belongs to another user. Start Posthorn as the user who made it, or as root.`,
      { cause: error },
    );
  }
}

export async function writePointer(home: Home): Promise<void> {
  const file = pointerFile(home.dataDir);
  const unfinished = unfinishedPath(file);
  await writeFile(unfinished, `${home.baseDir}\n`, { flush: true });
  await rename(unfinished, file);
}

/** A short name for a folder in a place that several data folders share. */
export function nameFor(dataDir: string): string {
  return createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(pointerFile(dataDir), 'utf8')).trim();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function pointerFile(dataDir: string): string {
  return path.join(dataDir, 'postgres.location');
}
