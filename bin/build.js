/**
 * Builds what is not built or older than its sources, and nothing else. A stamp beside the output tells what
 * it was made from, so that a deleted or moved source counts as a change too.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export function buildIfStale() {
  const output = join(root, 'dist');
  const stamp = stampOfSources();
  if (existsSync(join(output, 'stamp')) && readFileSync(join(output, 'stamp'), 'utf8') === stamp) return;
  console.log('Building Posthorn …');
  // Built aside and moved into place, so that two starts at once cannot spoil each other's output.
  const fresh = `${output}.${process.pid}`;
  const result = spawnSync(process.execPath, [compiler(), '-p', 'tsconfig.build.json', '--outDir', fresh], {
    cwd: root,
    stdio: 'inherit',
  });
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error('The build failed.');
  }
  writeFileSync(join(fresh, 'stamp'), stamp);
  rmSync(output, { recursive: true, force: true });
  renameSync(fresh, output);
}

function compiler() {
  const require = createRequire(import.meta.url);
  try {
    return join(require.resolve('typescript/package.json'), '..', 'bin', 'tsc');
  } catch {
    throw new Error('The sources are newer than the build, and there is no compiler: run `npm ci` first.');
  }
}

function stampOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  for (const file of [
    ...sources,
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
  ].toSorted()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale();
