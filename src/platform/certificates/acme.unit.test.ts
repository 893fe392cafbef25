import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startAcme } from './acme.ts';

test('an ACME server that stalls in the middle is given up and logged', async () => {
  let stalled = 0;
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}`;
    const directory = { newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` };
    if (request.url === '/') return void response.end(JSON.stringify(directory));
    stalled += 1;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-acme-'));
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const renewal = await startAcme({
    dataDir,
    email: 'ops@shop.example',
    directoryUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'https://mx.shop.example',
    names: ['mx.shop.example'],
    findAnswer: () => Promise.resolve(null),
    log,
    answerWithinMs: 1_000,
  });
  onTestFinished(async () => {
    await renewal!.close();
    server.closeAllConnections();
    server.close();
    rmSync(dataDir, { recursive: true });
  });
  await expect.poll(() => logged, { timeout: 30_000 }).toHaveLength(1);
  expect(stalled).toBe(1);
  expect(logged[0]).toMatch(
    /The ACME server has stopped answering.*acme: no certificate, trying again in an hour/,
  );
});

test('a challenge port that is in use is logged with the name of its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const logged: string[] = [];
  const renewal = await startAcme({
    dataDir: tmpdir(),
    email: 'ops@shop.example',
    directoryUrl: 'http://127.0.0.1:9/',
    host: '127.0.0.1',
    port: (other.address() as AddressInfo).port,
    baseUrl: 'https://mx.shop.example',
    names: ['mx.shop.example'],
    findAnswer: () => Promise.resolve(null),
    log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  expect(renewal).toBeNull();
  expect(logged).toEqual([expect.stringContaining('the port for challenges (ACME_HTTP_PORT) is in use')]);
});
