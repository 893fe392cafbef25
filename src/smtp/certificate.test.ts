import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import nodemailer from 'nodemailer';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { start, type Running } from '../main.ts';
import type { Certificate } from '../platform/certificates/certificate.ts';
import { makeSelfSigned } from '../platform/certificates/self-signed.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';

let folder: string;
let database: TestDatabase;
let running: Running;
let logged: string[] = [];
const first = makeSelfSigned('mx.one.test', new Date());

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-smtp-tls-'));
  database = await createTestDatabase();
  put(first);
  running = await startWith(file('cert.pem'), file('key.pem'));
});
afterAll(async () => {
  await running.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function file(name: string): string {
  return join(folder, name);
}

/** Replaces the files as certificate renewal does: one after the other, each atomically. */
function put({ cert, key }: Certificate): void {
  for (const [name, text] of [
    ['cert.pem', cert],
    ['key.pem', key],
  ] as const) {
    writeFileSync(file('new.pem'), text);
    renameSync(file('new.pem'), file(name));
  }
}

function startWith(cert: string, key: string): Promise<Running> {
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, SMTP_TLS_CERT: cert, SMTP_TLS_KEY: key };
  const config = { ...loadConfig(env), smtpPort: 0, submissionPort: 0, submissionsPort: 0 };
  const destination = new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(line.toString());
      done();
    },
  });
  return start(config, pino(destination), ['smtp']);
}

/** Sends EHLO and STARTTLS, and trusts only this certificate. */
async function verify(port: number | null, { cert }: Certificate, servername: string): Promise<true> {
  const tls = { ca: cert, servername };
  return nodemailer.createTransport({ host: '127.0.0.1', port: port!, requireTLS: true, tls }).verify();
}

test('both ports use the certificate of the files, and a renewed one without a restart', async () => {
  const ports = [running.smtpPort, running.submissionPort];
  for (const port of ports) expect(await verify(port, first, 'mx.one.test')).toBe(true);
  const second = makeSelfSigned('mx.two.test', new Date());
  put(second);
  for (const port of ports) {
    expect(await verify(port, second, 'mx.two.test')).toBe(true);
    await expect(verify(port, first, 'mx.one.test')).rejects.toThrow(/certificate/);
  }
  expect(logged.filter((line) => line.includes('tls: new certificate"'))).toHaveLength(1);
  put(first);
});

test('a renewed key that does not match is logged once, and the old certificate stays in use', async () => {
  expect(await verify(running.smtpPort, first, 'mx.one.test')).toBe(true);
  logged = [];
  const other = makeSelfSigned('mx.three.test', new Date());
  put({ cert: other.cert, key: first.key });
  for (const port of [running.smtpPort, running.submissionPort, running.smtpPort])
    expect(await verify(port, first, 'mx.one.test')).toBe(true);
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0]!)).toMatchObject({
    level: 50,
    err: { message: `${file('key.pem')} does not match ${file('cert.pem')}` },
    msg: 'tls: new certificate not used, the old one is kept',
  });
  rmSync(file('key.pem'));
  expect(await verify(running.smtpPort, first, 'mx.one.test')).toBe(true);
  put(other);
  expect(await verify(running.smtpPort, other, 'mx.three.test')).toBe(true);
});

test('unusable certificate files prevent the start with an error that names the reason', async () => {
  const { cert, key } = makeSelfSigned('mx.four.test', new Date());
  writeFileSync(file('a.pem'), cert);
  writeFileSync(file('b.pem'), key);
  writeFileSync(file('broken.pem'), cert + cert.slice(0, 200));
  writeFileSync(file('other.pem'), first.key);
  const lock = { type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'sesame' } as const;
  writeFileSync(file('locked.pem'), createPrivateKey(key).export(lock));
  const reasons: [string, string, string][] = [
    ['none.pem', 'b.pem', 'none.pem cannot be read'],
    ['a.pem', 'none.pem', 'none.pem cannot be read'],
    ['b.pem', 'b.pem', 'b.pem contains no certificate'],
    ['broken.pem', 'b.pem', 'broken.pem contains no certificate that can be used for TLS'],
    ['a.pem', 'a.pem', 'a.pem contains no private key without a passphrase'],
    ['a.pem', 'locked.pem', 'locked.pem contains no private key without a passphrase'],
    ['a.pem', 'other.pem', `other.pem does not match ${file('a.pem')}`],
  ];
  for (const [certName, keyName, reason] of reasons) {
    const error = await startWith(file(certName), file(keyName)).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: 'SMTP_TLS_CERT and SMTP_TLS_KEY cannot be used' });
    expect(((error as Error).cause as Error).message).toBe(join(folder, reason));
  }
});
