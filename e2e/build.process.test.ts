import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const execute = promisify(execFile);

/** Replaces Vite. It is slow enough for other starts to overlap, and writes a line to `runs` for each run. */
const SERVER_COMPILER = `
const fs = require('node:fs');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
fs.appendFileSync('runs', 'server\\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
fs.mkdirSync(out);
fs.writeFileSync(out + '/cli.js', '');
`;

/** Replaces tsx, and with it the scripts that build the web app and the pages of the documentation. */
const SCRIPTS = `
import fs from 'node:fs';
const [script, out] = process.argv.slice(-2);
const web = script === 'web/build.ts';
fs.appendFileSync('runs', web ? 'web\\n' : 'docs\\n');
fs.mkdirSync(out + '/assets', { recursive: true });
if (web) {
  fs.mkdirSync(out + '/.vite');
  fs.writeFileSync(out + '/assets/a.js.gz', '');
  fs.writeFileSync(out + '/.vite/manifest.json', '{"index.html": {"file": "assets/a.js"}}');
}
`;

const SOURCES = [
  'src/cli.ts',
  'src/http/docs/style.ts',
  'src/http/pages/page.ts',
  'web/main.tsx',
  'tsconfig.json',
  'vite.server.config.ts',
  'package-lock.json',
  'docs/guides/first.md',
  'docs/moving/README.md',
  ...['install', 'operating', 'configuration', 'mail-programs', 'roles', 'reliability'].map(
    (name) => `docs/${name}.md`,
  ),
  'scripts/guides/page.ts',
  'scripts/build-docs.ts',
];

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthorn-build-'));
  await put('package.json', '{"type": "module"}');
  await put('node_modules/vite/package.json', '{}');
  await put('node_modules/vite/bin/vite.js', SERVER_COMPILER);
  await put('node_modules/tsx/package.json', '{}');
  await put('node_modules/tsx/dist/cli.mjs', SCRIPTS);
  for (const source of SOURCES) await put(source, '');
  await cp('bin', join(root, 'bin'), { recursive: true });
});

afterAll(() => rm(root, { recursive: true }));

test('of builds that start at the same time one works and the others wait for it, also after one that was killed', async () => {
  await put('dist.lock', '999999999');
  await put('dist.new/half-done', '');
  await Promise.all([build(), build(), build()]);
  expect(await runs()).toEqual(['server', 'web', 'docs']);
  expect((await readdir(root)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  expect(await readdir(join(root, 'dist'))).not.toContain('half-done');
});

test('only what has changed is built again, and the rest outlives a build of the server', async () => {
  await put('src/cli.ts', 'changed');
  await build();
  expect((await runs()).slice(3)).toEqual(['server']);
  await build();
  expect((await runs()).slice(3)).toEqual(['server']);
});

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function build(): Promise<void> {
  await execute(process.execPath, [join(root, 'bin/build.js')]);
}

async function runs(): Promise<string[]> {
  return (await readFile(join(root, 'runs'), 'utf8')).trim().split('\n');
}
