import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadOwnCertificate, makeSelfSigned } from './self-signed.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-tls-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['mx.example.com', 'localhost', `${'long.'.repeat(20)}example.com`])(
  'OpenSSL accepts a certificate for %s and its own signature',
  (host) => {
    const parsed = new X509Certificate(makeSelfSigned(host, new Date()).cert);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.checkHost(host)).toBe(host);
    expect(parsed.ca).toBe(false);
    expect(Date.parse(parsed.validFrom)).toBeLessThan(Date.now());
  },
);

test.each(['127.0.0.1', '::1', '2001:db8::7:1', '::ffff:10.1.2.3', 'fe80:1:2:3:4:5:6:7'])(
  'the address %s can be the host of a certificate',
  (host) => {
    expect(new X509Certificate(makeSelfSigned(host, new Date()).cert).checkIP(host)).toBeDefined();
  },
);

test('dates from 2050 on have four-digit years', () => {
  const { validFrom, validTo } = new X509Certificate(makeSelfSigned('a.test', new Date('2049-06-01')).cert);
  expect([new Date(validFrom).getUTCFullYear(), new Date(validTo).getUTCFullYear()]).toEqual([2049, 2059]);
});

test('a client that trusts the certificate connects to a server that uses it', async () => {
  const own = makeSelfSigned('localhost', new Date());
  const server = createServer(own, (socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: own.cert });
  await once(client, 'secureConnect');
  expect(client.authorized).toBe(true);
  client.destroy();
  server.close();
});

test('the certificate is created once, readable only by its owner, and again only for another host', () => {
  const first = loadOwnCertificate(folder, 'a.test');
  expect(loadOwnCertificate(folder, 'a.test')).toEqual(first);
  expect(statSync(join(folder, 'tls.pem')).mode & 0o777).toBe(0o600);
  const second = loadOwnCertificate(folder, 'b.test');
  expect(second.cert).not.toBe(first.cert);
  expect(loadOwnCertificate(folder, 'b.test')).toEqual(second);
});
