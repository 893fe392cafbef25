import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const SCRIPT = 'console.log("hello")';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-web-'));
  mkdirSync(join(folder, 'assets'));
  mkdirSync(join(folder, '.vite'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>The app</title>');
  mkdirSync(join(folder, 'de/assets'), { recursive: true });
  writeFileSync(join(folder, 'de/index.html'), '<!doctype html><html lang="de"><title>Die App</title>');
  writeFileSync(join(folder, 'de/assets/app-4d5e6f.js'), SCRIPT);
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'assets/app-1a2b3c.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/app-1a2b3c.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, '.vite/manifest.json'), '{}');
  server = await startTestServer({ webFolder: folder, env: { BASE_URL: 'https://mail.test' } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${server.url}${path}`, { method, headers });
}

/** Unlike fetch, this neither decodes the body nor normalises the path. */
function getRaw(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; encoding: unknown; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = request(server.url, { path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          encoding: response.headers['content-encoding'],
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject).end();
  });
}

describe('a page', () => {
  test('is the same for every path of the app, is never cached, and allows no foreign or inline scripts', async () => {
    for (const path of ['/', '/emails', '/contact-books/cbk_1/import', '/setup?token=x']) {
      const answer = await get(path, BROWSER);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('The app');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'self'(;|$)/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  });

  test.each([
    ['', '', 'The app'],
    ['', 'de', 'Die App'],
    ['', 'ja, de-AT;q=0.8, en;q=0.5', 'Die App'],
    ['', 'de;q=0.5, en', 'The app'],
    ['', 'ja', 'The app'],
    ['ph_language=de', 'en', 'Die App'],
    ['other=1; ph_language=en', 'de', 'The app'],
    ['ph_language=xx', 'de', 'Die App'],
    ['ph_language=__proto__', '', 'The app'],
    ['ph_language=../de', '', 'The app'],
  ])('with the cookie %j and Accept-Language %j is that of %j', async (cookie, accepted, title) => {
    const answer = await get('/emails', {
      ...BROWSER,
      'accept-language': accepted,
      ...(cookie === '' ? {} : { cookie }),
    });
    expect(await answer.text()).toContain(title);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('is not served to a program that does not accept HTML, which gets a 404 in JSON', async () => {
    expect((await get('/emails', { accept: '*/*' })).status).toBe(404);
    const answer = await get('/api/v1/nothing', BROWSER);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await get('/api', BROWSER)).status).toBe(404);
  });

  test('can only be read', async () => {
    expect((await get('/emails', BROWSER, 'POST')).status).toBe(404);
  });

  test('answers HEAD without a body', async () => {
    const answer = await get('/emails', BROWSER, 'HEAD');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });
});

describe('a file', () => {
  test('with a hash in its name is cached forever and sent with the best compression the browser accepts', async () => {
    const plain = await get('/assets/app-1a2b3c.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(plain.headers.get('vary')).toBe('accept-encoding');
    expect(await plain.text()).toBe(SCRIPT);
    const small = await getRaw('/assets/app-1a2b3c.js', { 'accept-encoding': 'br, gzip' });
    expect(small.encoding).toBe('gzip');
    expect(small.body).toEqual(gzipSync(SCRIPT));
    const refused = await getRaw('/assets/app-1a2b3c.js', { 'accept-encoding': 'gzip;q=0, identity' });
    expect(refused.encoding).toBeUndefined();
  });

  test('of another language with a hash in its name is cached forever too', async () => {
    const answer = await get('/de/assets/app-4d5e6f.js');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await answer.text()).toBe(SCRIPT);
  });

  test('without a hash is revalidated', async () => {
    expect((await get('/icon.svg')).headers.get('cache-control')).toBe('no-cache');
  });

  test('that does not exist is 404 even for a browser, and no file outside of the folder is served', async () => {
    for (const path of [
      '/assets/app-old.js',
      '/assets/',
      '/favicon.ico',
      '/.vite/manifest.json',
      '/de/index.html',
      '/de/assets/app-1a2b3c.js',
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/app-1a2b3c.js.gz',
    ]) {
      expect([path, (await getRaw(path, BROWSER)).status]).toEqual([path, 404]);
    }
  });
});
