/**
 * Tests that generators of clients understand the OpenAPI document, and that the code they generate compiles. A generator
 * is taken from the PATH, or from the environment variable that its test names; a test whose generator is missing is
 * skipped.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PYTHON_CLIENT_CONFIG } from '../docs/introduction.ts';
import { apiRoutes } from '../routes.ts';
import { buildOpenApi } from './openapi.ts';

const OAPI_CODEGEN = process.env['OAPI_CODEGEN'] ?? 'oapi-codegen';
const PYTHON_CLIENT = process.env['OPENAPI_PYTHON_CLIENT'] ?? 'openapi-python-client';
const OPENAPI_TYPESCRIPT = process.env['OPENAPI_TYPESCRIPT'] ?? 'openapi-typescript';
const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
/** Compilers take long on a busy machine. */
const TIMEOUT_MS = 600_000;

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-generators-'));
  const document = await buildOpenApi(apiRoutes, 'http://127.0.0.1:3000');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isMissing(tool: string): boolean {
  return spawnSync(tool, ['--version']).status !== 0;
}

/** Returns what the command prints. */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
  });
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout + stderr;
}

test('what oapi-codegen generates in Go compiles', { timeout: TIMEOUT_MS }, ({ skip }) => {
  skip(isMissing(OAPI_CODEGEN), 'oapi-codegen is not installed (set OAPI_CODEGEN to its path).');
  skip(spawnSync('go', ['version']).status !== 0, 'Go is not installed.');
  const output = ['-package', 'posthorn', '-o', 'posthorn.go'];
  run(OAPI_CODEGEN, '-generate', 'types,client', ...output, 'openapi.json');
  const source = readFileSync(join(folder, 'posthorn.go'), 'utf8');
  const found = source.matchAll(/ClientWithResponses\) (\w+?)(?:WithBody)?WithResponse\(/g);
  const methods = new Set([...found].map(([, name]) => name));
  const names = apiRoutes.map(({ operationId: id }) => `${id[0]!.toUpperCase()}${id.slice(1)}`);
  expect(names.filter((name) => !methods.has(name))).toEqual([]);
  run('go', 'mod', 'init', 'posthorn');
  const fetched = spawnSync('go', ['mod', 'tidy'], { cwd: folder, encoding: 'utf8' });
  skip(fetched.status !== 0, `Go could not get the modules that the generated code uses. ${fetched.stderr}`);
  run('go', 'build', './...');
});

test(
  'openapi-python-client leaves out no operation, and what it generates runs',
  { timeout: TIMEOUT_MS },
  ({ skip }) => {
    skip(isMissing(PYTHON_CLIENT), 'openapi-python-client is not installed (set OPENAPI_PYTHON_CLIENT).');
    const generate = (to: string, ...options: string[]) =>
      run(
        PYTHON_CLIENT,
        'generate',
        '--path',
        'openapi.json',
        '--meta',
        'none',
        '--output-path',
        to,
        ...options,
      );
    expect(generate('plain')).not.toContain('will not be generated');
    writeFileSync(join(folder, 'config.yml'), PYTHON_CLIENT_CONFIG);
    expect(generate('posthorn', '--config', 'config.yml')).not.toContain('WARNING');
    writeFileSync(join(folder, 'use.py'), PYTHON_USE);
    // The generated code imports httpx, which is usually installed beside the generator.
    const pythons = [join(dirname(PYTHON_CLIENT), 'python'), 'python3'];
    const python = pythons.find(
      (each) => spawnSync(each, ['-c', 'import attr, dateutil, httpx']).status === 0,
    );
    skip(python === undefined, 'The generated code was not run, because Python has no httpx.');
    expect(run(python!, 'use.py').trim()).toBe('ok');
  },
);

/** Imports every module, and makes the request of a file and of an email with an attachment. */
const PYTHON_USE = `
import importlib, io, pkgutil, posthorn
for found in pkgutil.walk_packages(posthorn.__path__, 'posthorn.'):
    importlib.import_module(found.name)
from posthorn.api.contacts import create_contact_import
from posthorn.types import File
sent = create_contact_import._get_kwargs('cb_1', body=File(payload=io.BytesIO(b'email')))
assert sent['headers']['Content-Type'] in ('text/csv', 'application/octet-stream'), sent
assert sent['content'].read() == b'email'
from posthorn.models import SendEmailBody
body = {'from': 'a@example.com', 'to': ['b@example.com'], 'subject': 'S', 'text': 'T',
        'attachments': [{'filename': 'a.txt', 'content': 'aGk=', 'contentType': 'text/plain'}]}
assert SendEmailBody.from_dict(body).to_dict() == body
print('ok')
`;

test('what openapi-typescript generates compiles under strict', { timeout: TIMEOUT_MS }, ({ skip }) => {
  skip(isMissing(OPENAPI_TYPESCRIPT), 'openapi-typescript is not installed (set OPENAPI_TYPESCRIPT).');
  run(OPENAPI_TYPESCRIPT, 'openapi.json', '-o', 'types.ts');
  writeFileSync(join(folder, 'use.ts'), TYPESCRIPT_USE);
  const options = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--module', 'nodenext'];
  run(process.execPath, TSC, ...options, '--target', 'es2022', 'use.ts');
});

const TYPESCRIPT_USE = `import type { components, paths } from './types.ts';
type Sent = paths['/v1/emails']['post']['responses']['200']['content']['application/json'];
export const sent: Sent = { emailId: 'eml_1' };
export type Hook = components['schemas']['Webhook'];
// @ts-expect-error The id of an email is text.
export const wrong: Sent = { emailId: 1 };
`;
