import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const { statusCode, headers: sent, body } = await request(`${server.url}${path}`, { headers });
  return { status: statusCode, headers: sent, body: Buffer.from(await body.arrayBuffer()) };
}

test.each(['/api/docs', '/api/docs.js', '/api/v1/openapi.json'])(
  '%s is compressed, and a client that has it gets 304',
  async (path) => {
    const plain = await get(path);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const brotli = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 2);
    const etag = String(plain.headers['etag']);
    expect(await get(path, { 'if-none-match': `"x", ${etag}` })).toMatchObject({
      status: 304,
      headers: { etag, 'cache-control': 'no-cache' },
      body: Buffer.alloc(0),
    });
    expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200);
  },
);

test('the API page runs its own script only, and may only call this server', async () => {
  const { headers, body } = await get('/api/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(body.toString().match(/<script\b[^>]*>/g)).toEqual(['<script src="/api/docs.js" defer>']);
});
