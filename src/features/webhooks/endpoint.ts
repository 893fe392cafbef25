/**
 * One request to somebody's endpoint, and what came of it as a value: every way in which the network fails is one of
 * a few words. It ends within 15 seconds, reads no more than 64 kB of an answer, and follows no redirect.
 *
 * Where private addresses are not allowed, the address that is connected to is held against the list, after the name
 * was resolved: a name that points inside, now or by the next look-up, leads nowhere.
 */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import type { Dns } from '../../mail/dns.ts';
import { isPrivateHost, isPublicAddress } from '../../platform/public-address.ts';
import type { CallError } from './calls.schema.ts';
import { readRetryAfter } from './retry.ts';

export interface Attempt {
  durationMs: number;
  statusCode: number | null;
  /** The beginning of the answer; null when none came. */
  answer: string | null;
  /** Null: it was taken. */
  error: CallError | null;
  retryAfterMs: number | null;
}

export interface EndpointCaller {
  /** Null when `closing` cut it off: nothing is known about it then. */
  post(
    url: string,
    headers: Record<string, string>,
    body: string,
    closing: AbortSignal,
  ): Promise<Attempt | null>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 2 * 1024;
/** Short, so that hardly any server hangs up on us just as we send the next call. */
const KEEP_ALIVE_MS = 1_000;

export function createEndpointCaller(
  dns: Dns,
  options: { allowPrivate: boolean; timeoutMs?: number },
): EndpointCaller {
  const { allowPrivate, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({
    connect: createConnector(dns, allowPrivate),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return {
    async post(url, headers, body, closing) {
      const startMs = performance.now();
      const found = await ask(url, { headers, body, agent, closing, timeoutMs });
      if (closing.aborted && found.error !== null && found.statusCode === null) return null;
      return {
        durationMs: Math.round(performance.now() - startMs),
        ...found,
        retryAfterMs: readRetryAfter(found.retryAfter, new Date()),
      };
    },
    close: () => agent.destroy(),
  };
}

interface Found {
  statusCode: number | null;
  answer: string | null;
  error: CallError | null;
  retryAfter?: string;
}

async function ask(
  url: string,
  tools: {
    headers: Record<string, string>;
    body: string;
    agent: Agent;
    closing: AbortSignal;
    timeoutMs: number;
  },
): Promise<Found> {
  const { headers, body, agent, closing, timeoutMs } = tools;
  const tooLate = AbortSignal.timeout(timeoutMs);
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      body,
      dispatcher: agent,
      signal: AbortSignal.any([tooLate, closing]),
    });
    const { statusCode } = response;
    const answer = await readBeginning(response.body);
    const error =
      statusCode >= 200 && statusCode < 300
        ? null
        : statusCode >= 300 && statusCode < 400
          ? 'redirect'
          : 'http_error';
    return { statusCode, answer, error, retryAfter: [response.headers['retry-after']].flat()[0] };
  } catch (error) {
    return { statusCode: null, answer: null, error: tooLate.aborted ? 'timeout' : wordFor(error) };
  }
}

/** Endless answers are cut off. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  // Cutting it off makes the stream tell of an error, which is none.
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < MAX_KEPT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_READ_BYTES) break;
  }
  const kept = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES);
  // PostgreSQL keeps no NUL, and the cut may go through a character.
  return kept
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/\uFFFD{1,3}$/, '');
}

class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

function createConnector(dns: Dns, allowPrivate: boolean): buildConnector.connector {
  const findAddresses = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    const answer = await dns.host(hostname);
    if (answer.kind !== 'found') throw Object.assign(new Error('No such host'), { code: 'ENOTFOUND' });
    const allowed = allowPrivate ? answer.records : answer.records.filter(isPublicAddress);
    if (allowed.length === 0) throw new PrivateAddressError();
    return allowed.map((address) => ({ address, family: isIP(address) }));
  });
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    // Node then asks for all addresses, and takes the first that answers.
    autoSelectFamily: true,
    lookup: (hostname, _options, callback) => findAddresses(hostname, callback),
  });
  return (options, callback) => {
    // An address in the URL is never looked up.
    if (!allowPrivate && isPrivateHost(options.hostname)) return callback(new PrivateAddressError(), null);
    return connect(options, callback);
  };
}

const WORDS: [RegExp, CallError][] = [
  [/^PRIVATE_ADDRESS$/, 'private_address'],
  [/^(ENOTFOUND|EAI_\w+|ESERVFAIL|ENODATA)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'refused'],
  [/TIMEDOUT|TIMEOUT/, 'timeout'],
  [/^(EPROTO|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(HPE_|HTTPParserError|UND_ERR_(HEADERS_OVERFLOW|RES_))/, 'protocol'],
];

function wordFor(error: unknown): CallError {
  const { code, name } = error as Error & { code?: string };
  return WORDS.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? 'reset';
}
