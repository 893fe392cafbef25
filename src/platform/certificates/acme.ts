/**
 * Gets a TLS certificate from an ACME server (RFC 8555) with the HTTP-01 challenge, and renews it. The account key,
 * the certificate and its key are files in DATA_DIR/acme, so that all processes that share this folder use them.
 * Only the process that opened the challenge port renews. That port redirects all other requests to BASE_URL.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CertificateFiles } from './certificate.ts';
import type { Log } from '../log.ts';
import { ListenError, listenOn } from '../network/listen.ts';
import { createAccountKey, orderCertificate } from './order-certificate.ts';
import { fetchRenewalWindow, findRenewalInfo, twoThirds } from './renewal-info.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';

export interface AcmeOptions {
  dataDir: string;
  email: string;
  directoryUrl: string;
  /** The interface that responds to the challenge. ACME servers connect to port 80. */
  host: string;
  port: number;
  baseUrl: string;
  /** The names of the certificate. */
  names: string[];
  log: Log;
  /** Returns the answer to a challenge of another order, which another process may have placed. */
  findAnswer(token: string): Promise<string | null>;
  answerWithinMs?: number;
}

export interface AcmeRenewal {
  close(): Promise<void>;
}

const CHALLENGE_PATH = '/.well-known/acme-challenge/';
/** The tokens of RFC 8555 section 8.3. Others are not looked up. */
const TOKEN = /^[\w-]{16,128}$/;
const CHECK_MS = DAY_MS / 2;
/** Let's Encrypt allows five failures per name and hour. */
const AFTER_FAILURE_MS = HOUR_MS;

export function acmeFiles(dataDir: string): CertificateFiles {
  return { certFile: join(dataDir, 'acme', 'certificate.pem'), keyFile: join(dataDir, 'acme', 'key.pem') };
}

/** Returns null if another process has the challenge port. */
export async function startAcme(options: AcmeOptions): Promise<AcmeRenewal | null> {
  const { log, port } = options;
  const answers = new Map<string, string>();
  const server = await openChallengePort(options, answers);
  if (!server) {
    log.warn(
      { port },
      'acme: the port for challenges (ACME_HTTP_PORT) is in use, so this process does not renew the certificate',
    );
    return null;
  }
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function check(): Promise<void> {
    let nextMs = CHECK_MS;
    try {
      if (await isDue(options)) {
        await renew(options, answers);
        log.info({ names: options.names }, 'acme: new certificate');
      }
    } catch (error) {
      const { directoryUrl: url } = options;
      const reason = error instanceof Error ? error.message : String(error);
      if (!isClosed) log.error({ url, reason }, 'acme: no certificate, trying again in an hour');
      nextMs = AFTER_FAILURE_MS;
    }
    if (!isClosed) timer = setTimeout(() => void check(), nextMs).unref();
  }

  void check();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openChallengePort(
  { host, port, baseUrl, findAnswer, log }: AcmeOptions,
  answers: Map<string, string>,
): Promise<Server | null> {
  async function answerTo(path: string): Promise<string | null> {
    if (!path.startsWith(CHALLENGE_PATH)) return null;
    const token = path.slice(CHALLENGE_PATH.length);
    return answers.get(token) ?? (TOKEN.test(token) ? findAnswer(token) : null);
  }
  async function respond(path: string, response: ServerResponse): Promise<void> {
    try {
      const answer = await answerTo(path);
      if (answer !== null) response.setHeader('content-type', 'text/plain').end(answer);
      // A path that begins with two slashes must not redirect to another host.
      else response.writeHead(308, { location: `${baseUrl}/${path.replace(/^\/+/, '')}` }).end();
    } catch (error) {
      log.warn({ err: error }, 'acme: the answer to a challenge could not be read');
      response.writeHead(503).end();
    }
  }
  const server = createServer((request, response) => void respond(request.url ?? '/', response));
  try {
    await listenOn('acme', server, { host, port, setting: 'ACME_HTTP_PORT' });
    return server;
  } catch (error) {
    if (error instanceof ListenError && error.code === 'EADDRINUSE') return null;
    throw error;
  }
}

async function isDue({ dataDir, directoryUrl, names }: AcmeOptions): Promise<boolean> {
  const text = await readFile(acmeFiles(dataDir).certFile, 'utf8').catch(() => null);
  if (text === null) return true;
  const certificate = readCertificate(text);
  if (!certificate) return true;
  const isNamed = names.every((name) => certificate.checkHost(name) !== undefined);
  if (!isNamed) return true;
  const window = await fetchRenewalWindow(await findRenewalInfo(directoryUrl), text);
  // The check comes twice a day, so the start of the window is near enough.
  return Date.now() > (window?.start ?? twoThirds(certificate)).getTime();
}

/** Returns null for a damaged file. */
function readCertificate(text: string): X509Certificate | null {
  try {
    return new X509Certificate(text);
  } catch {
    return null;
  }
}

async function renew(
  { dataDir, email, directoryUrl, names, answerWithinMs }: AcmeOptions,
  answers: Map<string, string>,
): Promise<void> {
  const { certFile, keyFile } = acmeFiles(dataDir);
  await mkdir(join(dataDir, 'acme'), { recursive: true, mode: 0o700 });
  const { key, cert } = await orderCertificate({
    directoryUrl,
    accountKey: await loadAccountKey(dataDir),
    email,
    names,
    challenges: {
      put: (token, answer) => void answers.set(token, answer),
      remove: (token) => void answers.delete(token),
    },
    answerWithinMs,
  });
  // A process that reads only one of the new files keeps the old pair until both match.
  await replace(keyFile, key);
  await replace(certFile, cert);
}

async function loadAccountKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'acme', 'account.pem');
  const kept = await readFile(file).catch(() => null);
  if (kept) return kept;
  const key = await createAccountKey();
  await replace(file, key);
  return key;
}

async function replace(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.${process.pid}`, content, { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}

/** Certificates are for names with a dot, not for IP addresses. */
export function certificateNames(mailHost: string, baseUrl: string): string[] {
  const names = [mailHost, new URL(baseUrl).hostname].map((name) => name.toLowerCase());
  return [...new Set(names)].filter(
    (name) => name.includes('.') && isIP(name) === 0 && !name.startsWith('['),
  );
}
