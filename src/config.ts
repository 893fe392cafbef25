/**
 * Every setting, once: its name, what it means, its default and how its text is read. This file is the only
 * reader of the environment; docs/configuration.md and .env.example are generated from it.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { DEFAULT_TEAM_LIMITS, type LimitedNoun, type TeamLimits } from './platform/facts.ts';

export interface Setting<Value> {
  name: string;
  description: string;
  /** As it stands in the documentation. */
  defaultText: string;
  /** Reads the text; throws a plain Error that says in words what is wrong. Gets undefined when unset. */
  read(text: string | undefined): Value;
}

function setting<Value>(
  name: string,
  defaultText: string,
  description: string,
  read: (text: string | undefined) => Value,
): Setting<Value> {
  return { name, description, defaultText, read };
}

export const settings = {
  port: setting('PORT', '3000', 'The HTTP door: API, documentation, dashboard and webmail.', port(3000)),
  host: setting(
    'HOST',
    '127.0.0.1',
    'The address the HTTP door listens on; 0.0.0.0 for all.',
    host('127.0.0.1'),
  ),
  baseUrl: setting(
    'BASE_URL',
    'from HOST and PORT',
    'How the outside reaches the HTTP door; links in mail start with it.',
    optional(readBaseUrl),
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    'The folder of the embedded PostgreSQL, the instance secret and our own TLS certificate.',
    (text) => resolve(text ?? './data'),
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    'none',
    'A PostgreSQL 15 or newer to use instead of the embedded one.',
    optional(readPostgresUrl),
  ),
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    '16',
    'How many database connections the HTTP and SMTP doors of one process use at most, and as many again for mail that comes in.',
    integer(16, 1, 500),
  ),
  instanceSecret: setting(
    'INSTANCE_SECRET',
    'DATA_DIR/secret',
    'The secret that seals private keys at rest, as 64 hexadecimal digits. Set it where several machines share one database.',
    optional(readSecret),
  ),
  smtpHost: setting('SMTP_HOST', '127.0.0.1', 'The address both SMTP doors listen on.', host('127.0.0.1')),
  smtpPort: setting('SMTP_PORT', '2525', 'Inbound mail.', port(2525)),
  submissionPort: setting(
    'SUBMISSION_PORT',
    '2587',
    'Submission: programs send mail here, with an API key as the password.',
    port(2587),
  ),
  smtpTlsCert: setting(
    'SMTP_TLS_CERT',
    'one of our own',
    'The file with the certificate of both SMTP ports and its chain, in PEM. A new one in its place is noticed without a restart. Without it we sign one for ourselves.',
    optional((text) => resolve(text)),
  ),
  smtpTlsKey: setting(
    'SMTP_TLS_KEY',
    'one of our own',
    'The file with the private key of SMTP_TLS_CERT, in PEM.',
    optional((text) => resolve(text)),
  ),
  mailHost: setting(
    'MAIL_HOST',
    'the host of BASE_URL',
    'Our name to other mail servers: EHLO, MX and SPF values.',
    optional(readHostName),
  ),
  mailTransport: setting(
    'MAIL_TRANSPORT',
    'sandbox',
    '`sandbox` keeps all mail on this machine, `relay` hands everything to RELAY_URL, `direct` looks up MX.',
    oneOf(['sandbox', 'relay', 'direct']),
  ),
  relayUrl: setting(
    'RELAY_URL',
    'none',
    'The relay: `smtp://user:pass@host:port` (STARTTLS when offered) or `smtps://…`. A password goes only to this machine or under a certificate that is valid for the host; `?tls=unverified` at the end takes any. `RELAY_URL_<REGION>` for the domains of one region.',
    optional(readRelayUrl),
  ),
  dkimSign: setting(
    'DKIM_SIGN',
    'true',
    'Whether we sign what we send. `false` where the relay signs for your domains.',
    boolean(true),
  ),
  dnsServers: setting(
    'DNS_SERVERS',
    "the system's",
    'Resolvers for every look-up, by their IP addresses: `host[:port]`, comma-separated.',
    optional(readDnsServers),
  ),
  dmarcReject: setting(
    'DMARC_REJECT',
    'spam',
    "What becomes of received mail that its sender's domain asks to refuse (DMARC): `spam` puts it there, `refuse` refuses it. What it asks to quarantine goes to spam in either case.",
    oneOf(['spam', 'refuse']),
  ),
  smtpConnectionsPerIp: setting(
    'SMTP_CONNECTIONS_PER_IP',
    '50',
    'How many connections one address of the network (of IPv6: one network of 64 bits) may hold open to SMTP_PORT at a time, and to SUBMISSION_PORT before it has logged in. This machine itself has no limit.',
    integer(50, 1, 10_000),
  ),
  smtpMessagesPerIp: setting(
    'SMTP_MESSAGES_PER_IP',
    '1000',
    'How many messages one address of the network (of IPv6: one network of 64 bits) may bring to SMTP_PORT in a minute. An address that is not known here counts as one.',
    integer(1_000, 1, 1_000_000),
  ),
  smtpMessagesPerMailbox: setting(
    'SMTP_MESSAGES_PER_MAILBOX',
    '2000',
    'How many messages one mailbox may get over SMTP_PORT in a minute.',
    integer(2_000, 1, 1_000_000),
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'false',
    'Webhooks may reach loopback and private addresses.',
    boolean(false),
  ),
  directAllowPrivate: setting(
    'DIRECT_ALLOW_PRIVATE',
    'false',
    'With MAIL_TRANSPORT=direct, mail servers (MX) and hosts of MTA-STS policies may have loopback and private addresses. A relay may in any case.',
    boolean(false),
  ),
  teamLimits: setting(
    'TEAM_LIMITS',
    Object.entries(DEFAULT_TEAM_LIMITS)
      .map(([noun, limit]) => `${noun}=${limit}`)
      .join(', '),
    'How many of each a team may have, as `mailboxes=500,webhooks=20`; those that are not named keep their default. Creating one more is refused with 400. Of suppressions, only those added by hand count; members count together with open invitations.',
    readTeamLimits,
  ),
  eventRetentionDays: setting(
    'EVENT_RETENTION_DAYS',
    '365',
    'For how long the events of emails are kept; counters are kept for ever.',
    integer(365, 31, 36_500),
  ),
  bootstrapApiKey: setting(
    'BOOTSTRAP_API_KEY',
    'none',
    'A full-access key for the first team, made at first start: 32 to 256 characters of A-Z a-z 0-9 _ -.',
    optional(readBootstrapKey),
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    'off',
    'Requests a minute that one team may make of one process; over it the answer is 429.',
    optional(integer(0, 1, 1_000_000)),
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    'none',
    'The bearer token for GET /metrics. Without one, /metrics answers direct connections from this machine alone.',
    optional(readToken),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'How much is logged: fatal, error, warn, info, debug, trace or silent.',
    oneOf(['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
  ),
};

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: ReturnType<Settings[Name]['read']> };

export interface Config extends Omit<Values, 'baseUrl' | 'mailHost' | 'smtpTlsCert' | 'smtpTlsKey'> {
  baseUrl: string;
  mailHost: string;
  /** SMTP_TLS_CERT and SMTP_TLS_KEY. */
  smtpTls: { certFile: string; keyFile: string } | null;
  /** RELAY_URL_<REGION>, by region in lower case. */
  relayUrls: Record<string, string>;
}

export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads all settings, or throws with everything that is wrong at once. An empty value counts as unset. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  function read<Value>(name: string, reader: (text: string | undefined) => Value): Value | undefined {
    try {
      return reader(env[name]?.trim() || undefined);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return undefined;
    }
  }

  const entries = Object.entries(settings).map(([key, { name, read: reader }]) => [
    key,
    read<unknown>(name, reader),
  ]);
  const values = Object.fromEntries(entries) as Values;
  const relayUrls: Record<string, string> = {};
  for (const name of Object.keys(env)) {
    const region = /^RELAY_URL_([A-Z0-9_]{1,32})$/.exec(name)?.[1];
    const url = region && read(name, optional(readRelayUrl));
    if (url) relayUrls[region.toLowerCase().replaceAll('_', '-')] = url;
  }
  if (values.mailTransport === 'relay' && !values.relayUrl && Object.keys(relayUrls).length === 0) {
    problems.push('RELAY_URL must be set when MAIL_TRANSPORT is relay');
  }
  const ports = [values.port, values.smtpPort, values.submissionPort].filter(Boolean);
  if (new Set(ports).size < ports.length) {
    problems.push('PORT, SMTP_PORT and SUBMISSION_PORT must differ from each other');
  }
  const { smtpTlsCert: certFile, smtpTlsKey: keyFile, ...others } = values;
  if (Boolean(certFile) !== Boolean(keyFile)) {
    problems.push('SMTP_TLS_CERT and SMTP_TLS_KEY must be set together');
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const baseUrl = values.baseUrl ?? `http://${urlHost(values.host)}:${values.port}`;
  const mailHost = values.mailHost ?? new URL(baseUrl).hostname;
  const smtpTls = certFile && keyFile ? { certFile, keyFile } : null;
  return { ...others, baseUrl, mailHost, smtpTls, relayUrls };
}

function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return isIP(address) === 6 ? `[${address}]` : address;
}

function optional<Value>(read: (text: string) => Value): (text: string | undefined) => Value | null {
  return (text) => (text === undefined ? null : read(text));
}

function integer(fallback: number, min: number, max: number): (text: string | undefined) => number {
  return (text) => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    }
    return value;
  };
}

function port(fallback: number): (text: string | undefined) => number {
  return integer(fallback, 1, 65_535);
}

function boolean(fallback: boolean): (text: string | undefined) => boolean {
  return (text) => {
    if (text === undefined) return fallback;
    if (/^(true|1|yes|on)$/i.test(text)) return true;
    if (/^(false|0|no|off)$/i.test(text)) return false;
    throw new Error(`must be true or false, not "${text}"`);
  };
}

/** The first of the choices is the default. */
function oneOf<const Choice extends string>(
  choices: readonly Choice[],
): (text: string | undefined) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === (text ?? choices[0])?.toLowerCase());
    if (!choice) throw new Error(`must be one of ${choices.join(', ')}, not "${text}"`);
    return choice;
  };
}

function host(fallback: string): (text: string | undefined) => string {
  return (text) => (text === undefined ? fallback : isIP(text) ? text : readHostName(text));
}

function readHostName(text: string): string {
  // The converter reads a URL's host and stops without a word where a path would begin.
  const name = /[/?#%\\]/.test(text) ? '' : domainToASCII(text);
  if (
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)
  ) {
    throw new Error(`must be a host name, not "${text}"`);
  }
  return name;
}

function readUrl(text: string, protocols: string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The text may hold a password: it is not repeated.
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must look like ${example}`);
  return url;
}

function readBaseUrl(text: string): string {
  const url = readUrl(text, ['http:', 'https:'], 'https://mail.example.com');
  if (url.search || url.hash || url.username) throw new Error('must have no query, fragment or user name');
  if (url.pathname !== '/') throw new Error('must have no path: Posthorn needs a host name of its own');
  return url.origin;
}

function readPostgresUrl(text: string): string {
  readUrl(text, ['postgres:', 'postgresql:'], 'postgresql://user:password@host:5432/database');
  return text;
}

function readRelayUrl(text: string): string {
  const url = readUrl(text, ['smtp:', 'smtps:'], 'smtp://user:password@host:587');
  if (!url.hostname) throw new Error('must name a host, as in smtp://user:password@host:587');
  if (url.search && url.search !== '?tls=unverified')
    throw new Error('must have no parameter but tls=unverified');
  return text;
}

function readDnsServers(text: string): string[] {
  return text.split(',').map((part) => {
    const server = part.trim();
    const match = /^(?:\[([0-9a-f:.]+)\]|([^:]+)|([0-9a-f:.]+:[0-9a-f:.]+))(?::(\d{1,5}))?$/i.exec(server);
    const name = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
    const address = name === 'localhost' ? '127.0.0.1' : name;
    const number = Number(match?.[4] ?? 53);
    if (isIP(address) === 0 || number < 1 || number > 65_535) {
      throw new Error(
        `must list IP addresses, each with an optional port, as in 127.0.0.1:53; "${server}" is not one`,
      );
    }
    return isIP(address) === 6 ? `[${address}]:${number}` : `${address}:${number}`;
  });
}

function readTeamLimits(text: string | undefined): TeamLimits {
  const limits = { ...DEFAULT_TEAM_LIMITS };
  for (const part of text?.split(',') ?? []) {
    const [, noun = '', limit = ''] = /^\s*([A-Za-z]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(limits, noun)) {
      throw new Error(
        `must list limits as mailboxes=500, of ${Object.keys(limits).join(', ')}; "${part.trim()}" is not one`,
      );
    }
    limits[noun as LimitedNoun] = Number(limit);
  }
  return limits;
}

function readSecret(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('must be 64 hexadecimal digits');
  return text;
}

function readBootstrapKey(text: string): string {
  if (!/^[A-Za-z0-9_-]{32,256}$/.test(text)) {
    throw new Error('must be 32 to 256 characters of A-Z, a-z, 0-9, _ and -');
  }
  return text;
}

function readToken(text: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Error('must be at least 16 visible ASCII characters');
  return text;
}
