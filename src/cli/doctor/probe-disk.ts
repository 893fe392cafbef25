import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { instanceSecretFile } from '../../platform/crypto.ts';

export interface DataDirProbe {
  exists: boolean;
  isWritable: boolean;
  mode: number;
  uid: number;
  /** Null while there is no secret. */
  secretMode: number | null;
}

export async function probeDataDir(dataDir: string): Promise<DataDirProbe> {
  const found = await stat(dataDir).catch(() => null);
  const secret = await stat(instanceSecretFile(dataDir)).catch(() => null);
  return {
    exists: found !== null,
    isWritable: found ? await canWriteInto(dataDir) : await canMakeIn(await nearestFolder(dataDir)),
    mode: found?.mode ?? 0,
    uid: found?.uid ?? -1,
    secretMode: secret?.mode ?? null,
  };
}

/** Tries to write instead of reading permission bits, which also covers read-only mounts and quotas. */
async function canWriteInto(folder: string): Promise<boolean> {
  const file = join(folder, `.doctor-${process.pid}`);
  return writeFile(file, '', { mode: 0o600 }).then(
    () => rm(file, { force: true }).then(() => true),
    () => false,
  );
}

function canMakeIn(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

export async function probeDisk(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(await nearestFolder(dataDir));
  return bavail * bsize;
}

/** Returns the folder itself, or its closest parent that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
