/** Tests the package of `npm pack`, installed with only its files and production dependencies. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from './running.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-package-'));
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'ignore' });
  const [file] = readdirSync(folder);
  execFileSync('tar', ['-xzf', join(folder, file!), '-C', folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a packed Posthorn runs without its sources and writes nothing into its own folder', async () => {
  const installed = join(folder, 'package');
  expect(existsSync(join(installed, 'src'))).toBe(false);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const before = readdirSync(installed, { recursive: true }).toSorted();
  chmodSync(installed, 0o555);
  const dataDir = join(folder, 'data');
  const program = await startProgram(dataDir, {}, [], join(installed, 'bin/posthorn.js'));
  try {
    await program.ready();
    expect((await fetch(`${program.url}/api/docs`)).status).toBe(200);
    const page = await fetch(program.url, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<div id="root"');
  } finally {
    expect((await program.stop('SIGTERM')).code).toBe(0);
  }
  expect(readdirSync(installed, { recursive: true }).toSorted()).toEqual(before);
});
