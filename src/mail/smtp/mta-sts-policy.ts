/** The MTA-STS policy file (RFC 8461 section 3.2) and its fetching over HTTPS (section 3.3). */
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Dns } from '../auth/dns.ts';

export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none';
  /** Host names, or `*.name` for exactly one more label. */
  mx: string[];
  maxAgeSeconds: number;
}

export interface StsWeb {
  /** The port instead of 443, for tests. */
  port?: number;
  /** The certificate authority that is trusted instead of the default ones. */
  ca?: string;
  timeoutMs?: number;
  /** Excludes the addresses for which it returns false. By default all are allowed. */
  mayConnect?: (address: string) => boolean;
}

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_AGE_SECONDS = 31_557_600;
const OK = 200;

/** Returns null for anything that is not a valid policy; the domain then has none. */
export function parsePolicy(text: string): StsPolicy | null {
  const mx: string[] = [];
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const [, key, text] = /^([A-Za-z0-9_.-]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (key === undefined || text === undefined) return null;
    const value = text.trim();
    if (key === 'mx') mx.push(value.toLowerCase());
    // The first of duplicate fields counts (section 3.2).
    else if (!fields.has(key)) fields.set(key, value);
  }
  const mode = fields.get('mode');
  const maxAge = fields.get('max_age') ?? '';
  if (fields.get('version') !== 'STSv1' || !/^\d{1,10}$/.test(maxAge)) return null;
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null;
  if (mx.length === 0 && mode !== 'none') return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS) };
}

/** Returns the policy, or why there is none. Does not follow redirects (section 3.3). */
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
    const finish = (result: StsPolicy | { problem: string }): void => {
      resolve(result);
      call.destroy();
    };
    call.on('error', (error) => finish({ problem: error.message }));
    call.on('response', (response) => {
      const type = response.headers['content-type'] ?? '';
      if (response.statusCode !== OK) return finish({ problem: `status ${response.statusCode}` });
      if (!/^text\/plain\s*(;|$)/i.test(type)) return finish({ problem: `content type ${type}` });
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MAX_BYTES) finish({ problem: 'over 64 KB' });
      });
      response.on('end', () => finish(parsePolicy(text) ?? { problem: 'not a policy' }));
      response.on('error', (error) => finish({ problem: error.message }));
    });
    call.end();
  });
}

/** Resolves to this address instead of asking the system resolver. */
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
