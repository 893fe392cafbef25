/** The paths of the cluster. It is in DATA_DIR, or in another folder that a pointer file in DATA_DIR names. */
import { createHash } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, isMissing } from './error-codes.ts';
import { unfinishedPath } from './unfinished.ts';

export interface ClusterDir {
  dataDir: string;
  /** The folder that contains the cluster: dataDir or a folder outside of it. */
  baseDir: string;
  clusterDir: string;
  passwordFile: string;
  logFile: string;
}

export function clusterDirAt(dataDir: string, baseDir: string): ClusterDir {
  const clusterDir = path.join(baseDir, 'postgres');
  return {
    dataDir,
    baseDir,
    clusterDir,
    passwordFile: path.join(clusterDir, 'posthorn.password'),
    // Always in dataDir: the server inherits it as an open file and needs no access to the folder.
    logFile: path.join(dataDir, 'postgres.log'),
  };
}

/** Returns the paths of the existing cluster; undefined if none has been created yet. */
export async function findClusterDir(dataDir: string): Promise<ClusterDir | undefined> {
  const baseDir = (await readPointer(dataDir)) ?? dataDir;
  const home = clusterDirAt(dataDir, baseDir);
  if (await hasCluster(home)) return home;
  if (baseDir === dataDir) return undefined;
  // Never create an empty database in place of one that existed.
  throw new Error(
    `${pointerFile(dataDir)} says that the database is in ${baseDir}, but that folder does not exist. ` +
      'Restore the folder, or delete the pointer file to start with an empty database.',
  );
}

async function hasCluster(home: ClusterDir): Promise<boolean> {
  try {
    await stat(path.join(home.clusterDir, 'PG_VERSION'));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!hasCode(error, 'EACCES')) throw error;
    throw new Error(`${home.clusterDir} belongs to another user. Start Posthorn as that user, or as root.`, {
      cause: error,
    });
  }
}

export async function writePointer(home: ClusterDir): Promise<void> {
  const file = pointerFile(home.dataDir);
  const unfinished = unfinishedPath(file);
  await writeFile(unfinished, `${home.baseDir}\n`, { flush: true });
  await rename(unfinished, file);
}

/** Returns a short name for the data folder, unique in a directory that several data folders share. */
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
