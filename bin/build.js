/**
 * Builds the parts that are missing or older than their sources: the server into dist/server/ and the web app into
 * dist/web/ in every language, both with Vite, and the pages at /docs into dist/docs/. A stamp beside each output identifies its sources,
 * so that a deleted or moved source counts as a change too. If several processes start at the same time, one builds
 * and the others wait for it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist');
const serverOutput = join(output, 'server');
const webOutput = join(output, 'web');
const docsOutput = join(output, 'docs');
const fresh = join(root, 'dist.new');
const lock = join(root, 'dist.lock');
// A build takes half a minute. After this time, the pid in the lock belongs to another process.
const LOCK_LASTS_MS = 600_000;

const DOCS_SOURCES = [
  'docs/guides',
  'docs/moving',
  ...['install', 'operating', 'configuration', 'mail-programs', 'roles', 'reliability'].map(
    (name) => `docs/${name}.md`,
  ),
  'scripts/guides',
  'scripts/build-docs.ts',
  'src/http/docs/style.ts',
  'src/http/pages',
];

export function buildIfStale() {
  // An image that contains only the build has no sources.
  if (!existsSync(join(root, 'src'))) return;
  if (staleParts().length === 0) return;
  takeLock();
  try {
    for (const part of staleParts()) part.build(part.stamp);
  } finally {
    rmSync(lock, { force: true });
  }
}

function staleParts() {
  return [
    {
      folder: serverOutput,
      stamp: stampOf(['src', 'tsconfig.json', 'vite.server.config.ts', 'package-lock.json']),
      build: buildServer,
    },
    { folder: webOutput, stamp: stampOf(['web', 'package-lock.json']), build: buildWeb },
    { folder: docsOutput, stamp: stampOf(DOCS_SOURCES), build: buildDocs },
  ].filter(({ folder, stamp }) => !isFresh(folder, stamp));
}

function takeLock() {
  while (!makeLock()) {
    if (isLeftBehind()) writeFileSync(lock, String(process.pid));
    // If several processes take over an abandoned lock, the last one to write owns it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    if (holderOfLock() === process.pid) return;
  }
}

function makeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** True if the process that holds the lock was killed. */
function isLeftBehind() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LOCK_LASTS_MS) return true;
    process.kill(holderOfLock(), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * Returns 0 while the lock is being written or removed. process.kill(0, 0) always succeeds, so such a lock does not
 * count as abandoned.
 */
function holderOfLock() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

function buildServer(stamp) {
  console.log('Building Posthorn …');
  const options = ['--outDir', fresh, '--logLevel', 'warn', '--configLoader', 'runner'];
  run(programOf('vite', 'bin/vite.js'), ['build', '--config', 'vite.server.config.ts', ...options]);
  finish(serverOutput, stamp);
}

function buildWeb(stamp) {
  console.log('Building the dashboard …');
  run(programOf('tsx', 'dist/cli.mjs'), ['web/build.ts', fresh]);
  finish(webOutput, stamp);
  printSizes();
}

function buildDocs(stamp) {
  run(programOf('tsx', 'dist/cli.mjs'), ['scripts/build-docs.ts', fresh]);
  finish(docsOutput, stamp);
}

/** Replaces the old output by the new one. */
function finish(folder, stamp) {
  writeFileSync(join(fresh, 'stamp'), stamp);
  mkdirSync(output, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

function run(program, args) {
  rmSync(fresh, { recursive: true, force: true });
  // With another NODE_ENV from the caller, Vite would build the slow development version of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  const result = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit', env });
  if (result.status === 0) return;
  rmSync(fresh, { recursive: true, force: true });
  throw new Error('The build failed.');
}

function printSizes() {
  const files = readdirSync(join(webOutput, 'assets')).filter((name) => name.endsWith('.gz'));
  const bytes = files.reduce((sum, name) => sum + statSync(join(webOutput, 'assets', name)).size, 0);
  const entry = JSON.parse(readFileSync(join(webOutput, '.vite/manifest.json'), 'utf8'))['index.html'].file;
  const entryBytes = statSync(join(webOutput, `${entry}.gz`)).size;
  console.log(`The dashboard: first script ${kilo(entryBytes)}, ${kilo(bytes)} in all (gzip).`);
}

function kilo(bytes) {
  return `${Math.round(bytes / 1000)} kB`;
}

function isFresh(folder, stamp) {
  const file = join(folder, 'stamp');
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

function programOf(name, path) {
  const require = createRequire(import.meta.url);
  try {
    return join(require.resolve(`${name}/package.json`), '..', path);
  } catch {
    throw new Error('The sources are newer than the build, and there is no compiler: run `npm ci` first.');
  }
}

function stampOf(places) {
  const hash = createHash('sha256');
  for (const file of places.flatMap(filesAt).toSorted()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function filesAt(place) {
  const path = join(root, place);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale();
