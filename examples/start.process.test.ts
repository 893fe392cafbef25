/** Starts each example with `npm start`, as its reader does, against a real server. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../src/testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

let folder: string;
let server: TestServer;
let team: SendingTeam;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-examples-'));
  // The client and tsx are linked, as `npm install` would install them from the network.
  const client = join(folder, 'posthorn-client');
  await cp(join(ROOT, 'posthorn-client'), client, { recursive: true });
  await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', client]);
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await symlink(client, join(folder, 'node_modules', 'posthorn-client'));
  await symlink(join(ROOT, 'node_modules', 'tsx'), join(folder, 'node_modules', 'tsx'));
  await symlink('../tsx/dist/cli.mjs', join(folder, 'node_modules', '.bin', 'tsx'));
  server = await startTestServer();
  team = await createSendingTeam(server, 'started');
}, 300_000);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['nextjs', ['Message from the contact form']],
  ['auth-js', ['Sign in to localhost:3000']],
  ['better-auth', ['Confirm your address', 'Reset your password']],
  ['supabase', ['Reset your password']],
])('npm start in examples/%s sends what its README says', { timeout: 300_000 }, async (name, subjects) => {
  const example = join(folder, name);
  await cp(join(ROOT, 'examples', name), example, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  const to = `${name}@example.com`;
  const env = {
    ...process.env,
    POSTHORN_KEY: await team.createKey({ permission: 'sending' }),
    POSTHORN_URL: server.url,
    MAIL_FROM: `App <app@${team.domain}>`,
    MAIL_TO: to,
  };
  await run('npm', ['start'], { cwd: example, env });
  const { items } = (await team.call('GET', '/emails?limit=100')).body;
  const sent = items.filter((email: { to: string[] }) => email.to.includes(to));
  expect(sent.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(subjects);
});
