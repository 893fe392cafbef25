/** The requests that the page of API keys and the first start show run as they are. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { welcome } from '../src/cli/welcome.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';
import { LANGUAGES, writeFirstRequest, type Language } from '../web/features/api-keys/first-request.ts';

const run = promisify(execFile);

/** How each language runs a program that is given as an argument. */
const PROGRAMS: Record<Language, (code: string) => [string, string[]]> = {
  curl: (code) => ['sh', ['-c', code]],
  node: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  python: (code) => ['python3', ['-c', code]],
  php: (code) => ['php', ['-r', code.replace('<?php\n', '')]],
  ruby: (code) => ['ruby', ['-e', code]],
};

describe('the first request', () => {
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    server = await startTestServer();
    ({ key } = await server.createTeam());
  });
  afterAll(() => server.close());

  // It adds the domain that the others use.
  test('is printed by the first start, as one line for a shell', async () => {
    const config = { ...server.config, baseUrl: server.url };
    const screen = welcome(config, ['http'], { key, setupToken: null, hasOwner: true });
    const line = screen.split('\n').find((each) => each.includes('/emails'))!;
    const { stdout } = await run('sh', ['-c', line]);
    expect(stdout).toMatch(/"emailId":"eml_/);
  });

  test.each(LANGUAGES)('sends an email with %s', async (language) => {
    const [program, args] = PROGRAMS[language](
      writeFirstRequest(language, {
        url: server.url,
        key,
        from: `"Bob's $x #{1}" <hello@hello.test>`,
        to: `o'hara@example.com`,
      }),
    );
    const result = await run(program, args).catch((error: NodeJS.ErrnoException) => error);
    // Not every machine has every language.
    if ('code' in result && result.code === 'ENOENT') return;
    const { emailId } = JSON.parse((result as { stdout: string }).stdout) as { emailId: string };
    expect(emailId).toMatch(/^eml_/);
  });
});
