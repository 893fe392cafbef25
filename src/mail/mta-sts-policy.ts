/** The MTA-STS policy file (RFC 8461 section 3.2) and its fetching over HTTPS (section 3.3). */
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Dns } from './dns.ts';

export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none';
  /** Names, or `*.name` for one label more. */
  mx: string[];
  maxAgeSeconds: number;
}

export interface StsWeb {
  /** Other than 443, for tests. */
  port?: number;
  /** Trusted instead of the usual authorities. */
  ca?: string;
  timeoutMs?: number;
  /** Addresses that it refuses are not connected to. All are allowed without it. */
  mayConnect?: (address: string) => boolean;
}

const MOST_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const LONGEST_AGE_SECONDS = 31_557_600;
const OK = 200;

/** Null for anything that is not a policy: then the domain has none. */
export function parsePolicy(text: string): StsPolicy | null {
  const mx: string[] = [];
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const [, key, written] = /^([A-Za-z0-9_.-]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (key === undefined || written === undefined) return null;
    const value = written.trim();
    if (key === 'mx') mx.push(value.toLowerCase());
    // Of a field that comes twice the first counts (section 3.2).
    else if (!fields.has(key)) fields.set(key, value);
  }
  const mode = fields.get('mode');
  const maxAge = fields.get('max_age') ?? '';
  if (fields.get('version') !== 'STSv1' || !/^\d{1,10}$/.test(maxAge)) return null;
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null;
  if (mx.length === 0 && mode !== 'none') return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), LONGEST_AGE_SECONDS) };
}

/** The policy, or why there is none. Redirects are not followed (section 3.3). */
export async function fetchPolicy(
  dns: Dns,
  domain: string,
  web: StsWeb,
): Promise<StsPolicy | { problem: string }> {
  const host = `mta-sts.${domain}`;
  const address = await findAddress(dns, host, web.mayConnect);
  if (address === null) return { problem: `${host} has no address to connect to` };

  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(web.timeoutMs ?? TIMEOUT_MS);
    const port = web.port ?? 443;
    const path = '/.well-known/mta-sts.txt';
    const call = request({ host, port, path, ca: web.ca, lookup: lookUpAs(address), signal, agent: false });
    const give = (result: StsPolicy | { problem: string }): void => {
      resolve(result);
      call.destroy();
    };
    call.on('error', (error) => give({ problem: error.message }));
    call.on('response', (response) => {
      const type = response.headers['content-type'] ?? '';
      if (response.statusCode !== OK) return give({ problem: `status ${response.statusCode}` });
      if (!/^text\/plain\s*(;|$)/i.test(type)) return give({ problem: `content type ${type}` });
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_BYTES) give({ problem: 'over 64 KB' });
      });
      response.on('end', () => give(parsePolicy(text) ?? { problem: 'not a policy' }));
      response.on('error', (error) => give({ problem: error.message }));
    });
    call.end();
  });
}

/** Our own answer in place of the system's resolver. */
function lookUpAs(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, options, done) =>
    options.all ? done(null, [{ address, family }]) : done(null, address, family);
}

async function findAddress(
  dns: Dns,
  host: string,
  mayConnect: (address: string) => boolean = () => true,
): Promise<string | null> {
  const answers = await Promise.all([dns.a(host), dns.aaaa(host)]);
  const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
  return addresses.find(mayConnect) ?? null;
}
