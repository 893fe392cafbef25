/** Files beside the database, named after what they hold: one that is there by its name is the same file. */
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const SAFE_PATH = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Relative paths with forward slashes; none when the folder is not there. */
export async function* listBlobs(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await opendir(join(folder, below)).catch(ignoreMissing);
  for await (const entry of entries ?? []) {
    const path = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* listBlobs(folder, path);
    // Anything else is on its way into the folder under a passing name, or not ours.
    else if (entry.isFile() && SAFE_PATH.test(path)) yield path;
  }
}

/** Undefined for one that was cleared away since it was listed. */
export async function openBlob(folder: string, path: string): Promise<FileHandle | undefined> {
  return open(join(folder, path), 'r').catch(ignoreMissing);
}

export async function putBlob(folder: string, path: string, pieces: AsyncGenerator<Buffer>): Promise<void> {
  if (!SAFE_PATH.test(path)) throw new Error(`The backup holds a file with a strange name: ${path}`);
  const file = join(folder, path);
  if (await stat(file).catch(ignoreMissing)) {
    for await (const _piece of pieces);
    return;
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const partial = join(dirname(file), `.${process.pid}.partial`);
  try {
    const handle = await open(partial, 'w', 0o600);
    await pipeline(pieces, handle.createWriteStream({ flush: true }));
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
