/** `npm run release` on a copy of the repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'posthorn-release-'));
  const tracked = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { encoding: 'utf8' });
  const files = tracked.split('\0').filter((path) => path !== '' && existsSync(path));
  for (const path of files) cpSync(path, join(copy, path));
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  // The link is not a folder, so "node_modules/" would not ignore it.
  writeFileSync(join(copy, '.git-excluded'), 'node_modules\n.git-excluded\n');
  git('init', '--quiet');
  git('config', 'core.excludesFile', join(copy, '.git-excluded'));
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, encoding: 'utf8' });
const read = (path: string) => readFileSync(join(copy, path), 'utf8');

function release(version: string) {
  const args = ['--import', 'tsx', 'scripts/release.ts', version];
  return spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
}

test.each(['0.0.1', '0.1.0', 'next', ''])('the version "%s" is rejected and changes nothing', (version) => {
  const { status, stderr } = release(version);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/must be like 1\.2\.3 and later than/)]);
  expect(git('status', '--porcelain')).toBe('');
});

test('uncommitted changes are not released', () => {
  writeFileSync(join(copy, 'stray.txt'), 'x');
  const { status, stderr } = release('9.0.0');
  expect([status, stderr]).toEqual([1, expect.stringContaining('Commit or remove your changes')]);
  rmSync(join(copy, 'stray.txt'));
});

// It builds everything.
const PATIENT = { timeout: 300_000 };

test('a release has its version, changelog, packages, image recipe, licences and checksums', PATIENT, () => {
  const { status, stdout, stderr } = release('9.0.0');
  expect([status, stderr.includes('Error')], stderr).toEqual([0, false]);
  expect(stdout).toContain('tagged v9.0.0');
  const lock = JSON.parse(read('package-lock.json'));
  const versions = ['package.json', 'posthorn-client/package.json'].map(
    (path) => JSON.parse(read(path)).version,
  );
  expect([lock.version, lock.packages[''].version, ...versions]).toEqual(Array(4).fill('9.0.0'));
  const sections = read('CHANGELOG.md').match(/^## .*$/gm)!;
  expect(sections.slice(0, 2)).toEqual([
    '## Unreleased',
    expect.stringMatching(/^## 9\.0\.0 \(\d{4}-\d\d-\d\d\)$/),
  ]);
  expect(read('release/NOTES.md')).toContain('### Features');

  const files = readdirSync(join(copy, 'release'));
  expect(files.toSorted()).toEqual(
    [
      'DEPENDENCIES.md',
      'Dockerfile',
      'LICENSE',
      'NOTES.md',
      'SHA256SUMS',
      'compose.yaml',
      'package-lock.json',
      'posthorn-9.0.0.tgz',
      'posthorn-client-9.0.0.tgz',
    ].toSorted(),
  );
  const sums = Object.fromEntries(
    files.filter((name) => name !== 'SHA256SUMS').map((name) => [name, sumOf(name)]),
  );
  for (const line of read('release/SHA256SUMS').trim().split('\n')) {
    const [sum, name] = line.split('  ') as [string, string];
    expect([name, sum]).toEqual([name, sums[name]]);
  }
  const packed = execFileSync('tar', ['-tzf', join(copy, 'release/posthorn-9.0.0.tgz')], {
    encoding: 'utf8',
  });
  expect(packed).toContain('package/dist/server/');
  expect(read('release/DEPENDENCIES.md')).toMatch(/^\| pg +\| 8\.[\d.]+ +\| MIT +\|/m);
  expect(read('release/DEPENDENCIES.md')).not.toContain('unknown');
  expect(read('release/Dockerfile')).toContain('ADD posthorn-9.0.0.tgz /');
  expect(read('release/Dockerfile')).not.toMatch(/--from=build|npm run build/);

  expect(git('show', '--stat', '--format=')).toContain('e2e/upgrade/data.backup');
  expect(git('log', '-1', '--format=%s %D')).toMatch(/^release: 9\.0\.0 .*tag: v9\.0\.0/);
  expect(git('status', '--porcelain')).toBe('');
});

function sumOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(copy, 'release', name)))
    .digest('hex');
}
