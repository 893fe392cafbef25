/**
 * Certificates of link hosts and MTA-STS hosts, from the order to the TLS handshake. Posthorn runs in processes of its own,
 * because they trust the authority of the test only from their start on.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instanceSecretFile } from '../../../platform/crypto.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { certificateIdOf } from '../../../platform/certificates/renewal-info.ts';
import { HOUR_MS } from '../../../platform/durations.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { addDomain } from '../../../testing/factories.ts';
import { startPosthorn, type PosthornProcess } from '../../../testing/posthorn-process.ts';
import { startAcmeServer, type AcmeServer } from '../../../testing/servers/acme-server.ts';
import { freePorts } from '../../../testing/servers/free-ports.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { createClosingCall, secretOfDatabase, type Call } from '../../../testing/test-server.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { createApiKey } from '../../identity/api-keys/api-keys.ts';
import { createTeam } from '../../account/teams/teams.ts';

const MAIL_HOST = 'mx.posthorn.example';
const HOST = 'links.shop.example';
const SLOW = { timeout: 40_000 };
let folder: string;
let database: TestDatabase;
let own: Database;
let dns: DnsServer;
let acme: AcmeServer;
let https: number;
let otherHttps: number;
let environment: Record<string, string>;
const processes: PosthornProcess[] = [];
let team: { id: number; call: Call };
let other: { id: number; call: Call };
let domainId: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-certificates-'));
  database = await createTestDatabase();
  own = openDatabase(database.url, { connections: 2, onError: () => {} });
  dns = await startDnsServer({ [MAIL_HOST]: { A: ['127.0.0.1'] } });
  const ports = await freePorts(9);
  const [challenge, http] = ports as [number, number];
  https = ports[2]!;
  otherHttps = ports[3]!;
  acme = await startAcmeServer(challenge);
  writeFileSync(join(folder, 'ca.pem'), acme.ca);
  writeFileSync(instanceSecretFile(folder), `${secretOfDatabase(database.url)}\n`);
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    DNS_SERVERS: dns.address,
    MAIL_HOST,
    BASE_URL: `https://mail.posthorn.example:${https}`,
    DIRECT_ALLOW_PRIVATE: 'true',
    ACME_EMAIL: 'ops@posthorn.example',
    ACME_DIRECTORY_URL: acme.directoryUrl,
    ACME_HTTP_PORT: String(challenge),
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  };
  await startOne(['http', 'worker'], { PORT: http, HTTPS_PORT: https });
  const url = `http://127.0.0.1:${http}`;
  [team, other] = await Promise.all([addTeam('One', url), addTeam('Two', url)]);
  domainId = await addDomain(own.db, team.id, 'shop.example');
}, 120_000);
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(processes.map(({ ended }) => ended));
  await acme.close();
  await dns.close();
  await own.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function startOne(doors: string[], ports: Record<string, number>): Promise<PosthornProcess> {
  const texts = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
  const started = startPosthorn(['serve', '--doors', doors.join()], { ...environment, ...texts });
  processes.push(started);
  await started.says('Posthorn is running');
  return started;
}

async function addTeam(name: string, url: string) {
  const { id } = await createTeam(own.db, name);
  const { key } = await createApiKey(own.db, id, { name: 'Test', permission: 'full' });
  return { id, call: createClosingCall(url, key) };
}

/** Returns the certificate that a client gets who asks for this name, if the test's authority signed it. */
async function certificateAt(port: number, servername: string): Promise<X509Certificate | null> {
  const socket = connect({ port, host: '127.0.0.1', servername, ca: acme.ca, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const found = new X509Certificate(socket.getPeerCertificate().raw);
  const isTrusted = socket.authorized;
  socket.destroy();
  return isTrusted ? found : null;
}

async function get(port: number, host: string, path: string) {
  const options = { host: '127.0.0.1', port, servername: host, ca: acme.ca, path, agent: false };
  const asked = request({ ...options, headers: { host } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, body };
}

async function tracking(by = team, id = domainId) {
  return (await by.call('GET', `/domains/${id}`)).body.tracking;
}

const patch = (body: object, by = team, id = domainId) => by.call('PATCH', `/domains/${id}`, body);

async function setCertificate(host: string, set: Record<string, unknown>): Promise<void> {
  await own.db.updateTable('host_certificates').set(set).where('host', '=', host).execute();
}

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

test('a certificate is ordered by a job, and served by name before the host is used', async () => {
  dns.zone[HOST] = { CNAME: MAIL_HOST };
  // A handshake orders nothing.
  expect(await certificateAt(https, HOST)).toBeNull();
  await patch({ trackingSubdomain: 'links' });
  await expect.poll(tracking, SLOW).toEqual({ host: HOST, status: 'ACTIVE', error: null });
  expect(acme.orders.map(({ host }) => host).filter((host) => host === HOST)).toHaveLength(1);
  expect((await certificateAt(https, HOST))!.checkHost(HOST)).toBe(HOST);
  expect((await certificateAt(https, HOST.toUpperCase()))!.checkHost(HOST)).toBe(HOST);
  for (const name of ['mail.posthorn.example', 'links.rival.example', 'x.links.shop.example'])
    expect([name, (await certificateAt(https, name))?.checkHost(HOST)]).toEqual([name, undefined]);
  expect((await get(https, HOST, '/api/v1/domains')).status).toBe(404);
  const { rows } = await sql<{ key: Buffer }>`
    select private_key as key from host_certificates where host = ${HOST}`.execute(own.db);
  expect(rows[0]!.key.toString('latin1')).not.toContain('PRIVATE KEY');
});

test('the host of a policy gets a certificate too', async () => {
  const id = await addDomain(own.db, team.id, 'mail-only.example');
  dns.zone['mta-sts.mail-only.example'] = { CNAME: MAIL_HOST };
  await patch({ mtaSts: 'testing' }, team, id);
  await expect
    .poll(() => get(https, 'mta-sts.mail-only.example', '/.well-known/mta-sts.txt').catch(() => null), SLOW)
    .toMatchObject({ status: 200, body: expect.stringContaining('version: STSv1') });
});

test('an order that fails is shown with the reason, and tried again after its time', async () => {
  const id = await addDomain(own.db, other.id, 'rival.example');
  acme.rejected.set('links.rival.example', 'The name is on a list of names to refuse.');
  dns.zone['links.rival.example'] = { CNAME: MAIL_HOST };
  await patch({ trackingSubdomain: 'links' }, other, id);
  await expect.poll(() => tracking(other, id), SLOW).toMatchObject({ status: 'BROKEN' });
  const { error } = await tracking(other, id);
  expect(error).toMatch(
    /^No certificate could be ordered for links\.rival\.example: The name is on a list of names to refuse\. It is tried again after [\d-]{10} [\d:]{5} UTC\.$/,
  );
  acme.rejected.clear();
  const before = acme.orders.length;
  await other.call('PUT', `/domains/${id}/verify`);
  await enqueue(own.db, 'renew-certificates', {});
  // Nothing is ordered before its time.
  await expect.poll(() => tracking(other, id)).toMatchObject({ status: 'BROKEN' });
  expect(acme.orders).toHaveLength(before);
  await setCertificate('links.rival.example', { retry_at: new Date() });
  await enqueue(own.db, 'renew-certificates', {});
  await expect.poll(() => tracking(other, id), SLOW).toMatchObject({ status: 'ACTIVE', error: null });
});

test('a certificate is renewed in the window of the authority, while the old one is served', async () => {
  const old = (await certificateAt(https, HOST))!;
  const id = certificateIdOf(old)!;
  acme.window = { start: inHours(-2), end: inHours(-1) };
  await setCertificate(HOST, { ask_at: new Date(0) });
  await enqueue(own.db, 'renew-certificates', {});
  await expect
    .poll(async () => (await certificateAt(https, HOST))?.serialNumber, SLOW)
    .not.toBe(old.serialNumber);
  expect(acme.asked).toContain(id);
  expect(acme.orders.at(-1)).toMatchObject({ host: HOST, replaces: id });
  acme.window = { start: inHours(30 * 24), end: inHours(31 * 24) };
});

test('the directory of the authority is read once to ask for the windows of all certificates', async () => {
  await own.db
    .updateTable('host_certificates')
    .set({ ask_at: new Date(0), renew_at: new Date(inHours(30 * 24 + 1)) })
    .execute();
  const [reads, asked] = [acme.directoryReads, acme.asked.length];
  await enqueue(own.db, 'renew-certificates', {});
  await expect.poll(() => acme.asked.length, SLOW).toBe(asked + 3);
  expect(acme.directoryReads).toBe(reads + 1);
});

test('a second process and a restarted one serve the same certificate', async () => {
  const first = (await certificateAt(https, HOST))!;
  const [http2] = await freePorts(1);
  const second = await startOne(['http'], { PORT: http2!, HTTPS_PORT: otherHttps });
  expect((await certificateAt(otherHttps, HOST))?.serialNumber).toBe(first.serialNumber);

  await setCertificate(HOST, { renew_at: new Date(0) });
  await enqueue(own.db, 'renew-certificates', {});
  await expect
    .poll(async () => (await certificateAt(otherHttps, HOST))?.serialNumber, SLOW)
    .not.toBe(first.serialNumber);

  await own.db.deleteFrom('link_hosts').where('host', '=', HOST).execute();
  for (const port of [https, otherHttps]) await expect.poll(() => certificateAt(port, HOST)).toBeNull();
  second.child.kill('SIGTERM');
  await second.ended;
}, 90_000);
