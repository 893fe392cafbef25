/**
 * `npm run release -- 0.2.0` prepares a release (docs/releasing.md): it sets the version, dates the changelog, and writes
 * the folder `release/` with the packages, the recipe of the image, the dependencies with their licences, and checksums.
 * Then it commits and tags. Nothing is pushed or published.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { dateChangelog, isLaterVersion, readNotes } from './release/changelog.ts';
import { describeDependencies, listDependencies } from './release/dependencies.ts';
import { writeImageRecipe } from './release/image-recipe.ts';

const FOLDER = 'release';
/** Files with the version of the release. */
const MANIFESTS = ['package.json', 'package-lock.json', 'posthorn-client/package.json'];
const UPGRADE_DATA = 'e2e/upgrade';

const startedMs = performance.now();

/** Each step takes tens of seconds. */
function say(step: string): void {
  console.log(`${Math.round((performance.now() - startedMs) / 1000)} s: ${step} …`);
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

function requireReady(version: string, changelog: string): void {
  const current = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
  if (!isLaterVersion(version, current))
    stop(`The version must be like 1.2.3 and later than ${current}: npm run release -- 1.2.3`);
  if (run('git', 'status', '--porcelain') !== '') stop('Commit or remove your changes first (git status).');
  if (readNotes(changelog, 'Unreleased') === '') stop('CHANGELOG.md says nothing under "Unreleased".');
}

/** The lock file has the version twice, at the beginning. */
function setVersion(path: string, version: string): void {
  const text = readFileSync(path, 'utf8');
  const most = path.endsWith('lock.json') ? 2 : 1;
  let count = 0;
  const changed = text.replaceAll(/^(\s{2,6}"version": )"[^"]*"/gm, (line, start: string) =>
    (count += 1) <= most ? `${start}"${version}"` : line,
  );
  writeFileSync(path, changed);
}

function writeArtefacts(version: string, changelog: string): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  say('building and packing the server and the dashboard');
  run('npm', 'pack', '--silent', '--pack-destination', FOLDER);
  say('packing the client');
  run('npm', 'pack', '--silent', '--pack-destination', FOLDER, './posthorn-client');
  say('filling an instance for the next upgrade test');
  // The next version is tested with the data of this one.
  run(process.execPath, '--import', 'tsx', 'e2e/upgrade/write-data.ts');
  say('writing the other files');
  writeFileSync(join(FOLDER, 'Dockerfile'), writeImageRecipe(version));
  for (const name of ['package-lock.json', 'compose.yaml', 'LICENSE']) copyFileSync(name, join(FOLDER, name));
  writeFileSync(join(FOLDER, 'NOTES.md'), `${readNotes(changelog, version)}\n`);
  writeFileSync(join(FOLDER, 'DEPENDENCIES.md'), describeDependencies(listDependencies('package-lock.json')));
  const sums = readdirSync(FOLDER)
    .toSorted()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(FOLDER, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
}

const version = process.argv[2] ?? '';
const before = readFileSync('CHANGELOG.md', 'utf8');
requireReady(version, before);
const changelog = dateChangelog(before, version, new Date());
writeFileSync('CHANGELOG.md', changelog);
for (const path of MANIFESTS) setVersion(path, version);
writeArtefacts(version, changelog);
run(
  'git',
  'commit',
  '--quiet',
  '--message',
  `release: ${version}`,
  '--',
  'CHANGELOG.md',
  UPGRADE_DATA,
  ...MANIFESTS,
);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Posthorn ${version}`);
console.log(`${FOLDER}/ has the files of ${version}, and the commit is tagged v${version}.
Look at both, then push: git push --follow-tags`);
