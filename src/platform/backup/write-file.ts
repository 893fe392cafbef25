/** Writes a backup's file: under an unfinished name until every byte of it is on the disk. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { closeFrames } from './format.ts';

/** Most of the time goes into this; working harder at it saves a few per cent of the size. */
const LEVEL = 1;

/** Returns the size of the file. Nothing is left behind when it fails. */
export async function writeBackupFile(file: string, frames: AsyncIterable<Buffer>): Promise<number> {
  const partial = `${file}.partial`;
  refuseExisting(file);
  // Only for its owner: it holds the instance secret, and everybody's data.
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Error('The backup cannot be written', { cause: error });
    throw new Error(
      `${partial} is there already: another backup is writing it, or one was cut off. If so, remove it.`,
    );
  });
  try {
    const gzip = createGzip({ level: LEVEL });
    // Closes the file when it ends, however it ends.
    const output = handle.createWriteStream({ flush: true });
    await pipeline(closeFrames(frames, createHash('sha256')), gzip, output);
    refuseExisting(file);
    await rename(partial, file);
    return (await stat(file)).size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Error(`${file} is there already. Choose another name, or remove it.`);
}
