/** Parses the texts of settings (config.ts). A parser throws an Error whose message follows the name of the setting. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { readDatabaseUrl } from './platform/database/database-hosts.ts';
import type { BlocklistZone } from './mail/auth/blocklists.ts';
import type { ObjectStoreSettings } from './platform/object-store/s3-requests.ts';
import {
  DEFAULT_TEAM_LIMITS,
  MAIL_PORT_NAMES,
  type LimitedNoun,
  type MailPorts,
  type TeamLimits,
} from './features/instance/facts.ts';

export interface Setting<Value> {
  name: string;
  description: string;
  /** The default as shown in the documentation. */
  defaultText: string;
  /** Parses the text, which is undefined if unset. Throws an Error whose message follows the name of the setting. */
  read(text: string | undefined): Value;
}

export function setting<Value>(
  name: string,
  defaultText: string,
  description: string,
  read: (text: string | undefined) => Value,
): Setting<Value> {
  return { name, description, defaultText, read };
}

export function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return isIP(address) === 6 ? `[${address}]` : address;
}

export function optional<Value>(read: (text: string) => Value): (text: string | undefined) => Value | null {
  return (text) => (text === undefined ? null : read(text));
}

export function integer(fallback: number, min: number, max: number): (text: string | undefined) => number {
  return (text) => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    }
    return value;
  };
}

export function port(fallback: number): (text: string | undefined) => number {
  return integer(fallback, 1, 65_535);
}

export function boolean(fallback: boolean): (text: string | undefined) => boolean {
  return (text) => {
    if (text === undefined) return fallback;
    if (/^(true|1|yes|on)$/i.test(text)) return true;
    if (/^(false|0|no|off)$/i.test(text)) return false;
    throw new Error(`must be true or false, not "${text}"`);
  };
}

/** The first choice is the default. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
): (text: string | undefined) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === (text ?? choices[0])?.toLowerCase());
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}, not "${text}"`);
    return choice;
  };
}

export function host(fallback: string): (text: string | undefined) => string {
  return (text) => (text === undefined ? fallback : isIP(text) ? text : readHostName(text));
}

export function readHostName(text: string): string {
  // domainToASCII silently ignores everything from the first of these characters on.
  const name = /[/?#%\\]/.test(text) ? '' : domainToASCII(text);
  if (
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)
  ) {
    throw new Error(`must be a host name, not "${text}"`);
  }
  return name;
}

export function readHostNames(text: string | undefined): string[] {
  const names = text?.split(',').map((part) => part.trim()) ?? [];
  return names.map((name) => (name === '*' ? name : readHostName(name)));
}

function readUrl(text: string, protocols: string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The text may contain a password, so the message does not repeat it.
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must look like ${example}`);
  return url;
}

export function readBaseUrl(text: string): string {
  const url = readUrl(text, ['http:', 'https:'], 'https://mail.example.com');
  if (url.search || url.hash || url.username) throw new Error('must not have a query, fragment or user name');
  if (url.pathname !== '/') throw new Error('must not have a path, because Posthorn needs its own host name');
  return url.origin;
}

export function readPostgresUrl(text: string): string {
  readDatabaseUrl(text);
  return text;
}

/** The URL must name one server, because the position must be read from the same server as the data. */
export function readReplicaUrl(text: string): string {
  if (readDatabaseUrl(text).hosts) throw new Error('must name one server, without target_session_attrs');
  return text;
}

export function readRelayUrl(text: string): string {
  const url = readUrl(text, ['smtp:', 'smtps:'], 'smtp://user:password@host:587');
  if (!url.hostname) throw new Error('must have a host, as in smtp://user:password@host:587');
  if (url.search && url.search !== '?tls=unverified')
    throw new Error('must not have any parameter other than tls=unverified');
  return text;
}

const BLOB_URL_EXAMPLE = 's3://KEY:SECRET@s3.example.com/bucket?region=eu-central-1';

/** Returns all settings of the store that BLOB_URL contains. */
export function readBlobUrl(text: string): Omit<ObjectStoreSettings, 'namespace'> {
  const url = readUrl(text, ['s3:'], BLOB_URL_EXAMPLE);
  const [bucket = '', ...prefix] = url.pathname.replaceAll(/^\/|\/$/g, '').split('/');
  const {
    region = 'us-east-1',
    tls = 'on',
    timeout = '30',
    ...others
  } = Object.fromEntries(url.searchParams);
  if (!url.hostname || !url.username || !url.password || url.hash)
    throw new Error(`must have a host, a key and a secret, as in ${BLOB_URL_EXAMPLE}`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || !prefix.every((part) => /^[\w.-]+$/.test(part)))
    throw new Error(`must name a bucket, and a prefix of only A-Z a-z 0-9 . _ - / if any`);
  if (Object.keys(others).length > 0 || !/^(on|off)$/.test(tls) || !/^[a-z0-9-]{1,64}$/.test(region))
    throw new Error('must not have parameters other than region=…, tls=on|off and timeout=SECONDS');
  const seconds = integer(30, 1, 300)(timeout);
  return {
    origin: `${tls === 'off' ? 'http' : 'https'}://${url.host}`,
    bucket,
    prefix: prefix.join('/'),
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    region,
    timeoutMs: seconds * 1_000,
  };
}

export function readDnsServers(text: string): string[] {
  return text.split(',').map((part) => {
    const server = part.trim();
    const match = /^(?:\[([0-9a-f:.]+)\]|([^:]+)|([0-9a-f:.]+:[0-9a-f:.]+))(?::(\d{1,5}))?$/i.exec(server);
    const name = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
    const address = name === 'localhost' ? '127.0.0.1' : name;
    const number = Number(match?.[4] ?? 53);
    if (isIP(address) === 0 || number < 1 || number > 65_535) {
      throw new Error(
        `must be a list of IP addresses with optional ports, such as 127.0.0.1:53; "${server}" is not valid`,
      );
    }
    return isIP(address) === 6 ? `[${address}]:${number}` : `${address}:${number}`;
  });
}

const MAX_ZONES = 20;

export function readBlocklistZones(text: string | undefined): BlocklistZone[] {
  const parts = text?.split(',').map((part) => part.trim()) ?? [];
  if (parts.length > MAX_ZONES) throw new Error(`must have at most ${MAX_ZONES} names`);
  return parts.map((part) => {
    const [, prefix, name = ''] = /^(domain:)?(.*)$/.exec(part)!;
    return { zone: readHostName(name).toLowerCase(), lists: prefix ? 'domains' : 'addresses' };
  });
}

export function readTeamLimits(text: string | undefined): TeamLimits {
  const limits = { ...DEFAULT_TEAM_LIMITS };
  for (const part of text?.split(',') ?? []) {
    const [, noun = '', limit = ''] = /^\s*([A-Za-z]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(limits, noun)) {
      throw new Error(
        `must be a list of limits, such as mailboxes=500, for ${Object.keys(limits).join(', ')}; "${part.trim()}" is not valid`,
      );
    }
    limits[noun as LimitedNoun] = Number(limit);
  }
  return limits;
}

export function readDestinationRates(text: string | undefined): Record<string, number> {
  const rates: Record<string, number> = {};
  for (const part of text?.split(',') ?? []) {
    const [, name = '', rate = ''] = /^\s*([^\s=]+)\s*=\s*(\d{1,7})\s*$/.exec(part) ?? [];
    if (!name || Number(rate) === 0)
      throw new Error(
        `must be a list of messages per minute, such as gmail.com=600; "${part.trim()}" is not valid`,
      );
    rates[readHostName(name).toLowerCase()] = Number(rate);
  }
  return rates;
}

export function readMailPorts(text: string | undefined): Partial<MailPorts> {
  const ports: Partial<MailPorts> = {};
  for (const part of text?.split(',') ?? []) {
    const [, name = '', number = ''] = /^\s*([a-z]+)\s*=\s*(\d{1,5})\s*$/.exec(part) ?? [];
    const known = MAIL_PORT_NAMES.find((candidate) => candidate === name);
    if (!known || Number(number) < 1 || Number(number) > 65_535)
      throw new Error(
        `must be a list of ports, such as imaps=993, for ${MAIL_PORT_NAMES.join(', ')}; "${part.trim()}" is not valid`,
      );
    ports[known] = Number(number);
  }
  return ports;
}

export function readSecret(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('must be 64 hexadecimal digits');
  return text;
}

export function readBootstrapKey(text: string): string {
  if (!/^[A-Za-z0-9_-]{32,256}$/.test(text)) {
    throw new Error('must be 32 to 256 characters of A-Z, a-z, 0-9, _ and -');
  }
  return text;
}

export function readToken(text: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Error('must be at least 16 visible ASCII characters');
  return text;
}

/** May have a password. */
export function readHttpUrl(text: string): string {
  const url = readUrl(text, ['http:', 'https:'], 'http://:password@127.0.0.1:11334');
  if (url.search || url.hash) throw new Error('must not have a query or fragment');
  return url.href;
}

export function readOtlpEndpoint(text: string): string {
  const url = readUrl(text, ['http:', 'https:'], 'http://127.0.0.1:4318');
  if (url.search || url.hash || url.username) throw new Error('must not have a query, fragment or user name');
  return text;
}

export function readOtlpHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [, name = '', value = ''] =
      /^\s*([A-Za-z0-9!#$&'*+.^_`|~-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(part) ?? [];
    // The value may be a password, so the message does not repeat it.
    if (!name) throw new Error('must be a list of headers, such as authorization=Bearer%20abc');
    headers[name] = decodeURIComponent(value);
  }
  return headers;
}

/** An ACME server on the same machine may use plain HTTP. */
export function readAcmeUrl(text: string): string {
  const example = 'https://acme-v02.api.letsencrypt.org/directory';
  const protocols = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(text)
    ? ['http:', 'https:']
    : ['https:'];
  return readUrl(text, protocols, example).href;
}

export function readEmailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Error(`must be an email address, not "${text}"`);
  return text;
}

export function readIssuer(text: string): string {
  readUrl(text, ['http:', 'https:'], 'https://login.example.com');
  return text;
}
