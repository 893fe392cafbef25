import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../config.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { templateCommand } from './template.ts';

let server: TestServer;
let team: TestTeam;
let folder: string;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  folder = await mkdtemp(join(tmpdir(), 'posthorn-push-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Returns the printed lines, and the error if there is one. */
async function push(...options: string[]): Promise<{ lines: string[]; error: string | null }> {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(note),
    vi.spyOn(console, 'error').mockImplementation(note),
  ];
  try {
    const args = ['push', folder, '--url', server.url, '--key', team.key, ...options];
    await templateCommand(args, loadConfig({}));
    return { lines, error: null };
  } catch (error) {
    return { lines, error: (error as Error).message };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const MJML =
  '<mjml><mj-head><mj-title>Receipt {{number}}</mj-title></mj-head><mj-body><mj-section><mj-column><mj-text>{{total}}</mj-text></mj-column></mj-section></mj-body></mjml>';

test('HTML and MJML files become templates by their names, and a second run changes nothing', async () => {
  await write('welcome.html', '<title> Welcome, {{firstName}} &amp; friends</title><p>Hello</p>');
  await write('receipt.mjml', MJML);
  await write('_part.html', '<p>no template</p>');
  await write('readme.md', 'no template');
  expect(await push()).toEqual({ lines: ['receipt: created', 'welcome: created'], error: null });
  const { body: welcome } = await team.call('GET', '/templates/welcome');
  expect(welcome).toMatchObject({ name: 'welcome', subject: 'Welcome, {{firstName}} & friends' });
  const { body: receipt } = await team.call('GET', '/templates/receipt');
  expect(receipt).toMatchObject({ subject: 'Receipt {{number}}', variables: ['number', 'total'] });
  expect(await push()).toEqual({ lines: ['receipt: unchanged', 'welcome: unchanged'], error: null });
  await write('welcome.html', '<p>Hello again</p>');
  expect((await push('--dry-run')).lines).toContain('welcome: would be updated');
  expect((await team.call('GET', '/templates/welcome')).body).toEqual(welcome);
  expect((await push()).lines).toContain('welcome: updated');
  const after = (await team.call('GET', '/templates/welcome')).body;
  expect(after).toMatchObject({
    id: welcome.id,
    html: '<p>Hello again</p>',
    subject: 'Welcome, {{firstName}} & friends',
  });
  expect((await team.call('GET', '/templates')).body.items).toHaveLength(2);
});

/** Creates a project with this repository's React and esbuild, and a minimal replacement of React Email's renderer. */
async function addPackages(): Promise<void> {
  await write('package.json', '{"type":"module"}');
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['react', 'react-dom', 'esbuild'])
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name));
  const renderer = 'node_modules/@react-email/render';
  await write(`${renderer}/package.json`, '{"type":"module","main":"index.js"}');
  await write(
    `${renderer}/index.js`,
    `import { renderToStaticMarkup } from 'react-dom/server'; export const render = async (element) => '<!doctype html>' + renderToStaticMarkup(element);`,
  );
}

describe('React Email', () => {
  test('components are rendered with merge tags in place of the texts of their preview', async () => {
    await addPackages();
    await write(
      '_button.tsx',
      'export const Button = (props: { href: string }) => <a href={props.href}>Go</a>;',
    );
    await write(
      'invite.tsx',
      `import { Button } from './_button.tsx';
      interface Props { name: string; url: string; items: string[] }
      export const subject = 'Join {{team}}';
      export default function Invite({ name, url, items }: Props) {
        return <div>Hello {name}<Button href={url} />{items.map((item) => <i key={item}>{item}</i>)}</div>;
      }
      Invite.PreviewProps = { name: 'Ada', url: 'https://x.test', items: ['one', 'two'] };`,
    );
    expect(await push()).toEqual({ lines: ['invite: created'], error: null });
    const { body } = await team.call('GET', '/templates/invite');
    expect(body).toMatchObject({
      subject: 'Join {{team}}',
      html: '<!doctype html><div>Hello {{name}}<a href="{{url}}">Go</a><i>one</i><i>two</i></div>',
    });
    expect((await push()).lines).toEqual(['invite: unchanged']);
  });

  test('a missing package and a broken component are named, and the other files are pushed', async () => {
    await write('fine.html', '<p>Fine</p>');
    await write('invite.tsx', 'export default () => <p>Hi</p>;');
    const missing = await push();
    expect(missing.lines[0]).toBe('fine: created');
    expect(missing.lines[1]).toMatch(/needs the package \S+, which is not installed/);
    expect(missing.error).toBe('1 of 2 templates were not pushed.');
    await addPackages();
    await write('invite.tsx', 'export default () => <p>Hi;');
    expect((await push()).lines[1]).toMatch(/^invite: .*invite\.tsx cannot be loaded/);
    const thrown = {
      'new Error("no order")': 'invite: no order',
      '"a text"': 'invite: a text',
      null: 'invite: null',
    };
    for (const [value, line] of Object.entries(thrown)) {
      await write('invite.tsx', `export default function Invite() { throw ${value}; }`);
      expect(await push()).toEqual({
        lines: ['fine: unchanged', line],
        error: '1 of 2 templates were not pushed.',
      });
    }
  });
});

test('a folder without templates, two files of one name, a wrong key and a wrong server are errors', async () => {
  expect((await push()).error).toMatch(/has no \.html/);
  await write('a.html', '<p>a</p>');
  expect((await push('--key', 'wrong')).lines[0]).toMatch(/answered 401/);
  expect((await push('--url', 'http://127.0.0.1:1')).lines[0]).toMatch(/cannot be reached/);
  await write('a.mjml', MJML);
  expect((await push()).error).toMatch(/would be the same template/);
  expect((await team.call('GET', '/templates')).body.items).toEqual([]);
});
