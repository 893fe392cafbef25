/** Installs the client from its package, compiles the code of its README.md, and sends an email with it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../src/testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';

const run = promisify(execFile);
const CLIENT = import.meta.dirname;
const MODULES = join(CLIENT, '..', 'node_modules');

let folder: string;
let server: TestServer;
let team: SendingTeam;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-client-'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: CLIENT });
  const [file] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${file}`], { cwd: folder });
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await createSendingTeam(server, 'packed');
}, 120_000);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test('the installed package sends an email', async () => {
  const program = `
    import { createPosthorn } from 'posthorn-client';
    const posthorn = createPosthorn({ apiKey: process.env.POSTHORN_KEY, baseUrl: process.env.POSTHORN_URL });
    const email = { from: 'a@${team.domain}', to: 'b@example.com', subject: 'Packed', text: 'Hello' };
    console.log((await posthorn.emails.send(email)).emailId);`;
  await writeFile(join(folder, 'send.js'), program);
  const env = { ...process.env, POSTHORN_KEY: team.key, POSTHORN_URL: server.url };
  const { stdout } = await run(process.execPath, ['send.js'], { cwd: folder, env });
  expect((await team.call('GET', `/emails/${stdout.trim()}`)).body).toMatchObject({ subject: 'Packed' });
});

test('the code of the README compiles under strict', async () => {
  const readme = await readFile(join(CLIENT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(3);
  await writeFile(join(folder, 'readme.ts'), blocks.join('\n'));
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(MODULES, '@types')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }));
  const { stdout } = await run(join(MODULES, '.bin', 'tsc'), ['-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});
