/**
 * HTTPS and certificates by ACME, in a process of its own. The tests with a real ACME server need `pebble` in the PATH:
 * go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { freePorts } from '../../testing/servers/free-ports.ts';
import { startPosthorn, type PosthornProcess } from '../../testing/posthorn-process.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { makeSelfSigned } from './self-signed.ts';

const hasPebble = spawnSync('pebble', ['-version']).error === undefined;
const NAME = 'mx.shop.example';
let folder: string;
let database: TestDatabase;
let dns: DnsServer;
let ports: number[];
let pebble: ChildProcess | undefined;
let posthorn: PosthornProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-acme-'));
  database = await createTestDatabase();
  dns = await startDnsServer({ [NAME]: { A: ['127.0.0.1'] } });
  ports = await freePorts(8);
  if (hasPebble) pebble = startPebble();
  const [acme, , challenge, http, https, smtp, submission, submissions] = ports.map(String);
  posthorn = startPosthorn(['serve', '--doors', 'http,smtp'], {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    BASE_URL: `https://${NAME}`,
    PORT: http!,
    HTTPS_PORT: https!,
    SMTP_PORT: smtp!,
    SUBMISSION_PORT: submission!,
    SUBMISSIONS_PORT: submissions!,
    ACME_EMAIL: 'ops@shop.example',
    ACME_DIRECTORY_URL: `https://localhost:${acme}/dir`,
    ACME_HTTP_PORT: challenge!,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  });
  await posthorn.says('Posthorn is running');
}, 60_000);
afterAll(async () => {
  posthorn.child.kill('SIGTERM');
  pebble?.kill();
  await posthorn.ended;
  await dns.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function startPebble(): ChildProcess {
  const { cert, key } = makeSelfSigned('localhost', new Date());
  const [listen, management, httpPort, tlsPort] = ports as [number, number, number, number];
  const config = {
    listenAddress: `127.0.0.1:${listen}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: join(folder, 'ca.pem'),
    privateKey: join(folder, 'ca-key.pem'),
    httpPort,
    tlsPort,
  };
  writeFileSync(config.certificate, cert);
  writeFileSync(config.privateKey, key);
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble: config }));
  return spawn('pebble', ['-config', join(folder, 'pebble.json'), '-dnsserver', dns.address], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    stdio: 'ignore',
  });
}

/** Returns the issuer of the certificate on a TLS port. */
function issuerAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: NAME, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(String(socket.getPeerCertificate().issuer.CN));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('HTTPS answers, and the challenge port redirects everything else to it', async () => {
  expect(await issuerAt(ports[4]!)).toBeTruthy();
  const url = `http://127.0.0.1:${ports[2]}`;
  for (const path of ['/mail?x=1', '//mail?x=1', '/.well-known/acme-challenge/unknown']) {
    const { status, headers } = await fetch(url + path, { redirect: 'manual' });
    expect(status).toBe(308);
    expect(headers.get('location')).toBe(`https://${NAME}/${path.replace(/^\/+/, '')}`);
  }
});

test.skipIf(!hasPebble)('a certificate from ACME is used for HTTPS and SMTP without a restart', async () => {
  for (const port of [ports[4]!, ports[7]!])
    await expect.poll(() => issuerAt(port), { timeout: 30_000 }).toMatch(/^Pebble Intermediate/);
  expect(readFileSync(join(folder, 'acme', 'certificate.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
});
