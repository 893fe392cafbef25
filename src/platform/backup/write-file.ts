/** Writes a backup file under a temporary name and renames it once all bytes are on disk. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { closeFrames } from './format.ts';

/** Compression takes most of the time, and a higher level would save only a few percent of the size. */
const LEVEL = 1;

/** Returns the size of the file. If it fails or is aborted, it leaves no file behind. */
export async function writeBackupFile(
  file: string,
  frames: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<number> {
  const partial = `${file}.partial`;
  refuseExisting(file);
  // Readable only by its owner: it holds the instance secret and all data.
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Error('The backup cannot be written', { cause: error });
    throw new Error(
      `${partial} already exists. Either another backup is running, or an earlier one was interrupted. In that case, remove the file.`,
    );
  });
  try {
    const gzip = createGzip({ level: LEVEL });
    // The stream closes the file, also after an error.
    const output = handle.createWriteStream({ flush: true });
    await pipeline(closeFrames(frames, createHash('sha256')), gzip, output, { signal });
    refuseExisting(file);
    await rename(partial, file);
    return (await stat(file)).size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name, or remove it.`);
}
