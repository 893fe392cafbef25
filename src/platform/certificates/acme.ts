/**
 * Gets a TLS certificate from an ACME server (RFC 8555) with the HTTP-01 challenge, and renews it. The account key,
 * the certificate and its key are files in DATA_DIR/acme, so that all processes that share this folder use them.
 * Only the process that opened the challenge port renews. That port redirects all other requests to BASE_URL.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type Acme from 'acme-client';
import type { CertificateFiles } from './certificate.ts';
import type { Log } from '../log.ts';
import { ListenError, listenOn } from '../network/listen.ts';
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
  answerWithinMs?: number;
}

export interface AcmeRenewal {
  close(): Promise<void>;
}

const CHALLENGE_PATH = '/.well-known/acme-challenge/';
/** Let's Encrypt issues certificates for 90 days and recommends renewing them after 60. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
const CHECK_MS = DAY_MS / 2;
/** Let's Encrypt allows five failures per name and hour. */
const AFTER_FAILURE_MS = HOUR_MS;
/** Without this limit, a stalled server would end all renewals silently. */
const ANSWER_WITHIN_MS = 30_000;

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
  { host, port, baseUrl }: AcmeOptions,
  answers: Map<string, string>,
): Promise<Server | null> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const answer = path.startsWith(CHALLENGE_PATH)
      ? answers.get(path.slice(CHALLENGE_PATH.length))
      : undefined;
    if (answer !== undefined) return void response.setHeader('content-type', 'text/plain').end(answer);
    // A path that begins with two slashes must not redirect to another host.
    response.writeHead(308, { location: `${baseUrl}/${path.replace(/^\/+/, '')}` }).end();
  });
  try {
    await listenOn('acme', server, { host, port, setting: 'ACME_HTTP_PORT' });
    return server;
  } catch (error) {
    if (error instanceof ListenError && error.code === 'EADDRINUSE') return null;
    throw error;
  }
}

async function isDue({ dataDir, names }: AcmeOptions): Promise<boolean> {
  const text = await readFile(acmeFiles(dataDir).certFile, 'utf8').catch(() => null);
  if (text === null) return true;
  const certificate = readCertificate(text);
  if (!certificate) return true;
  const isNamed = names.every((name) => certificate.checkHost(name) !== undefined);
  return !isNamed || Date.parse(certificate.validTo) < Date.now() + RENEW_BEFORE_MS;
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
  { dataDir, email, directoryUrl, names, answerWithinMs = ANSWER_WITHIN_MS }: AcmeOptions,
  answers: Map<string, string>,
): Promise<void> {
  const { certFile, keyFile } = acmeFiles(dataDir);
  await requireDirectory(directoryUrl, answerWithinMs);
  await mkdir(join(dataDir, 'acme'), { recursive: true, mode: 0o700 });
  // Import the library only here: it accounts for a quarter of the start time, and few processes renew a
  // certificate.
  const { default: acme } = await import('acme-client');
  acme.axios.defaults.timeout = answerWithinMs;
  const client = new acme.Client({ directoryUrl, accountKey: await loadAccountKey(dataDir, acme) });
  const [key, csr] = await acme.crypto.createCsr(
    { commonName: names[0], altNames: names },
    await acme.crypto.createPrivateEcdsaKey(),
  );
  const order = client.auto({
    csr,
    email,
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // The machine may not reach its own public address.
    skipChallengeVerification: true,
    challengeCreateFn: async (_authorization, challenge, answer) => void answers.set(challenge.token, answer),
    challengeRemoveFn: async (_authorization, challenge) => void answers.delete(challenge.token),
  });
  const certificate = await order.catch((error: unknown) => {
    // acme-client throws a TypeError if the response never came.
    throw error instanceof TypeError ? new Error('The ACME server has stopped answering.') : error;
  });
  // A process that reads only one of the new files keeps the old pair until both match.
  await replace(keyFile, key);
  await replace(certFile, certificate);
}

/** acme-client's own error does not say that the server cannot be reached. */
async function requireDirectory(url: string, answerWithinMs: number): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) }).catch(
    (error: Error & { cause?: Error }) => {
      throw new Error(`The ACME server cannot be reached: ${error.cause?.message ?? error.message}`);
    },
  );
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The ACME server responded with status ${response.status}.`);
}

async function loadAccountKey(dataDir: string, acme: typeof Acme): Promise<Buffer> {
  const file = join(dataDir, 'acme', 'account.pem');
  const kept = await readFile(file).catch(() => null);
  if (kept) return kept;
  const key = await acme.crypto.createPrivateEcdsaKey();
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
