/**
 * All settings: name, description, default and parser of each. Only this file reads the environment.
 * docs/configuration.md and .env.example are generated from it.
 */
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { readEgresses } from './egress-settings.ts';
import { dnsSettings } from './dns-settings.ts';
import { checkDatabaseSettings, databaseSettings } from './database-settings.ts';
import { MOST_RECIPIENTS, type Egresses } from './features/instance/facts.ts';
import {
  setting,
  urlHost,
  optional,
  integer,
  port,
  boolean,
  oneOf,
  host,
  readHostName,
  readHostNames,
  readHttpUrl,
  readBaseUrl,
  readRelayUrl,
  readBlobUrl,
  readDestinationRates,
  readMailPorts,
  readOtlpEndpoint,
  readOtlpHeaders,
  readSecret,
  readBootstrapKey,
  readToken,
  readAcmeUrl,
  readEmailAddress,
} from './read-setting.ts';
import { readSignOn, signOnSettings } from './sign-on-settings.ts';
import { storageSettings } from './storage-settings.ts';
import { nameInSetting } from './platform/names-in-settings.ts';
import { defaultBudgetMb } from './platform/memory/memory-budget.ts';

const PRIMES = { auto: null, '2': 2, '3': 3 } as const;

export const settings = {
  port: setting('PORT', '3000', 'The port for HTTP: API, documentation, dashboard and webmail.', port(3000)),
  host: setting(
    'HOST',
    '127.0.0.1',
    'The address that HTTP listens on. Use 0.0.0.0 for all addresses.',
    host('127.0.0.1'),
  ),
  baseUrl: setting(
    'BASE_URL',
    'from HOST and PORT',
    'The public URL of Posthorn. Links in emails start with it.',
    optional(readBaseUrl),
  ),
  allowedHosts: setting(
    'ALLOWED_HOSTS',
    'none',
    'Further host names under which HTTP is served, comma-separated, such as `posthorn,old-mail.example.com`; `*` allows all. Known without it are the hosts of BASE_URL and MAIL_HOST, localhost and IP addresses. Requests for other hosts get 421. If BASE_URL is not set, all hosts are served.',
    readHostNames,
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    'The folder for the embedded PostgreSQL, the instance secret and the self-signed TLS certificate.',
    (text) => resolve(text ?? './data'),
  ),
  ...databaseSettings,
  blobUrl: setting(
    'BLOB_URL',
    'none',
    'An S3-compatible store for received messages and attachments of 32 kB and more: `s3://KEY:SECRET@host[:port]/bucket[/prefix]?region=us-east-1&tls=on&timeout=30`. Key and secret are percent-encoded. `tls=off` uses plain HTTP. `timeout` is in seconds. Without it, everything is stored in the database.',
    optional(readBlobUrl),
  ),
  instanceSecret: setting(
    'INSTANCE_SECRET',
    'DATA_DIR/secret',
    'The secret that encrypts private keys at rest, as 64 hexadecimal digits. Set it if several machines share one database. A process whose secret is not the one of its database does not start.',
    optional(readSecret),
  ),
  smtpHost: setting(
    'SMTP_HOST',
    '127.0.0.1',
    'The address that the SMTP and IMAP ports listen on.',
    host('127.0.0.1'),
  ),
  smtpPort: setting('SMTP_PORT', '2525', 'The port for incoming mail.', port(2525)),
  submissionPort: setting(
    'SUBMISSION_PORT',
    '2587',
    'The port for submission. Applications send email here with an API key as the password, and email apps with an app password.',
    port(2587),
  ),
  submissionsPort: setting(
    'SUBMISSIONS_PORT',
    '2465',
    'Submission with TLS from the first byte (RFC 8314). If it is not set and 2465 is in use, Posthorn starts without this port.',
    optional(port(2465)),
  ),
  imapPort: setting(
    'IMAP_PORT',
    '2143',
    'The port for IMAP with STARTTLS, where email apps read mailboxes. If it is not set and 2143 is in use, Posthorn starts without this port.',
    optional(port(2143)),
  ),
  imapsPort: setting(
    'IMAPS_PORT',
    '2993',
    'IMAP with TLS from the first byte. If it is not set and 2993 is in use, Posthorn starts without this port.',
    optional(port(2993)),
  ),
  publicMailPorts: setting(
    'PUBLIC_MAIL_PORTS',
    'the ports that Posthorn listens on',
    'The ports that email apps connect to, if a router or container maps them, such as `imap=143,imaps=993,submission=587,submissions=465`. They are shown to people and used for the automatic setup of email apps.',
    readMailPorts,
  ),
  httpsPort: setting(
    'HTTPS_PORT',
    'none',
    'A port for HTTPS in addition to PORT, usually 443. It uses the certificate of the mail ports. It listens on SMTP_HOST.',
    optional(port(443)),
  ),
  acmeEmail: setting(
    'ACME_EMAIL',
    'none',
    'Your email address for the certificate authority. If it is set, Posthorn gets and renews a certificate for MAIL_HOST and the host of BASE_URL by ACME (HTTP-01). If HTTPS_PORT is set as well and BASE_URL begins with https, also those of the link hosts and MTA-STS hosts of domains: then all processes need both settings. By setting it, you agree to the terms of the authority.',
    optional(readEmailAddress),
  ),
  acmeDirectoryUrl: setting(
    'ACME_DIRECTORY_URL',
    "Let's Encrypt",
    'The directory of the ACME server.',
    (text) => readAcmeUrl(text ?? 'https://acme-v02.api.letsencrypt.org/directory'),
  ),
  acmeHttpPort: setting(
    'ACME_HTTP_PORT',
    '80',
    'The port where ACME challenges are answered, on SMTP_HOST. It must be reachable as port 80. All other requests are redirected to BASE_URL.',
    port(80),
  ),
  smtpTlsCert: setting(
    'SMTP_TLS_CERT',
    'self-signed',
    'The file with the certificate for the SMTP and IMAP ports and its chain, in PEM. A new certificate is loaded without a restart. If not set, Posthorn creates a self-signed certificate.',
    optional((text) => resolve(text)),
  ),
  smtpTlsKey: setting(
    'SMTP_TLS_KEY',
    'self-signed',
    'The file with the private key for SMTP_TLS_CERT, in PEM.',
    optional((text) => resolve(text)),
  ),
  mailHost: setting(
    'MAIL_HOST',
    'the host of BASE_URL',
    'The name of this server for other mail servers: EHLO, MX and SPF values.',
    optional(readHostName),
  ),
  reportHost: setting(
    'REPORT_HOST',
    'MAIL_HOST',
    'The host of the addresses to which other mail servers send DMARC and TLS reports about your domains. Its MX must lead to SMTP_PORT.',
    optional(readHostName),
  ),
  mailTransport: setting(
    'MAIL_TRANSPORT',
    'sandbox',
    '`sandbox` keeps all mail on this machine, `relay` sends everything to RELAY_URL, `direct` delivers to the MX of each recipient.',
    oneOf(['sandbox', 'relay', 'direct']),
  ),
  relayUrl: setting(
    'RELAY_URL',
    'none',
    'The relay: `smtp://user:pass@host:port` (uses STARTTLS if offered) or `smtps://…`. A password is sent only to this machine, or over TLS with a certificate that is valid for the host. Add `?tls=unverified` to accept any certificate. Use `RELAY_URL_<REGION>` for the domains of one region. More ways out are `EGRESS_<NAME>` (`direct:<local IP>#<host name>`, or the URL of a relay) and pools of them `EGRESS_POOL_<NAME>` (`first:3,second:1`), which domains choose by `pools`.',
    optional(readRelayUrl),
  ),
  dkimSign: setting(
    'DKIM_SIGN',
    'true',
    'Whether Posthorn signs outgoing mail with DKIM. Use `false` if the relay signs for your domains.',
    boolean(true),
  ),
  dkimPrimes: setting(
    'DKIM_PRIMES',
    'auto',
    'How many prime factors new DKIM keys have: `2`, `3`, or `auto` for the number that signs faster on this machine. Every verifier accepts both, because the public key has the same form. Use `2` if a policy or a hardware module demands it.',
    (text) => PRIMES[oneOf(['auto', '2', '3'])(text)],
  ),
  ...dnsSettings,
  rspamdUrl: setting(
    'RSPAMD_URL',
    'none',
    'The URL of an rspamd that checks received mail, such as `http://:password@127.0.0.1:11334`. It must be the controller, which also learns from what people move into spam and out of it. Mail is delivered if it does not respond. Without it, a built-in score is used.',
    optional(readHttpUrl),
  ),
  dmarcReject: setting(
    'DMARC_REJECT',
    'spam',
    'What to do with received mail that fails DMARC when the policy of the sender domain is reject: `spam` moves it to spam, `refuse` rejects it. Mail with the policy quarantine always goes to spam, and so does mail without exactly one usable author.',
    oneOf(['spam', 'refuse']),
  ),
  smtpConnectionsPerIp: setting(
    'SMTP_CONNECTIONS_PER_IP',
    '50',
    'How many connections one IPv4 address or IPv6 /64 network can have open to SMTP_PORT, and to SUBMISSION_PORT before login. There is no limit for this machine itself.',
    integer(50, 1, 10_000),
  ),
  smtpMessagesPerIp: setting(
    'SMTP_MESSAGES_PER_IP',
    '1000',
    'How many messages one IPv4 address or IPv6 /64 network can send to SMTP_PORT per minute. A recipient address that does not exist counts as one message.',
    integer(1_000, 1, 1_000_000),
  ),
  smtpMessagesPerMailbox: setting(
    'SMTP_MESSAGES_PER_MAILBOX',
    '2000',
    'How many messages one mailbox can receive through SMTP_PORT per minute.',
    integer(2_000, 1, 1_000_000),
  ),
  maxRecipients: setting(
    'MAX_RECIPIENTS',
    '50',
    'How many recipients one email can have when it is sent by the API or from a mailbox.',
    integer(50, 1, MOST_RECIPIENTS),
  ),
  smtpMaxRecipients: setting(
    'SMTP_MAX_RECIPIENTS',
    '100',
    'How many recipients one message can have on the SMTP ports. RFC 5321 requires at least 100.',
    integer(100, 100, MOST_RECIPIENTS),
  ),
  maxMessageMb: setting(
    'MAX_MESSAGE_MB',
    '25',
    'The largest message that can be sent, in MiB. The submission ports announce it (SIZE). An HTTP request can be at most 40 MiB, which is enough for about 29 MiB of attachments.',
    integer(25, 1, 200),
  ),
  inboundMaxMessageMb: setting(
    'INBOUND_MAX_MESSAGE_MB',
    '50',
    'The largest message that SMTP_PORT accepts, in MiB. The port announces it (SIZE).',
    integer(50, 1, 200),
  ),
  memoryBudgetMb: setting(
    'MEMORY_BUDGET_MB',
    'a sixteenth of the memory, at least 64',
    'How many MiB of large requests and messages one process holds at once. Beyond it, clients wait for up to 30 seconds, and then get 503 (HTTP) or 452 (SMTP); clients that stop sending get 503 or 421 sooner. Copies that are made of a message are not included.',
    (text) => integer(defaultBudgetMb(), 32, 65_536)(text),
  ),
  ...storageSettings,
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'false',
    'Allow webhooks, and attachments that are fetched by URL, to reach loopback and private addresses.',
    boolean(false),
  ),
  destinationRates: setting(
    'DESTINATION_RATES',
    'none',
    'How many messages can be sent to a recipient domain per minute, over all processes: `gmail.com=600,yahoo.com=300,default=3000`. `default` is for all domains that are not listed. Mail over the limit waits in the queue. It applies to MAIL_TRANSPORT `relay` and `direct`.',
    readDestinationRates,
  ),
  directAllowPrivate: setting(
    'DIRECT_ALLOW_PRIVATE',
    'false',
    'With MAIL_TRANSPORT=direct, allow mail servers (MX) and MTA-STS policy hosts with loopback and private addresses. A relay can always have one.',
    boolean(false),
  ),
  bootstrapApiKey: setting(
    'BOOTSTRAP_API_KEY',
    'none',
    'A full-access API key for the first team, created at the first start. 32 to 256 characters of A-Z a-z 0-9 _ -.',
    optional(readBootstrapKey),
  ),
  importImapPassword: setting(
    'IMPORT_IMAP_PASSWORD',
    'none',
    'The password of the other server for `posthorn import imap`. Without it and without --password-file, the command asks for it.',
    optional((text) => text),
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    'off',
    'How many requests per minute one team can make to one process. Further requests get 429.',
    optional(integer(0, 1, 1_000_000)),
  ),
  ...signOnSettings,
  metricsToken: setting(
    'METRICS_TOKEN',
    'none',
    'The bearer token for GET /metrics. Without a token, /metrics is available only to direct connections from this machine.',
    optional(readToken),
  ),
  metricsPort: setting(
    'METRICS_PORT',
    'off',
    'The port for GET /metrics and /healthz of a process that does not run `http`. It listens on HOST. A process that runs `http` serves them on PORT.',
    optional(port(0)),
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'off',
    'The URL of an OpenTelemetry collector, such as http://127.0.0.1:4318. Traces are sent to it by OTLP over HTTP, as JSON.',
    optional(readOtlpEndpoint),
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'none',
    'Headers for the collector: `name=value`, comma-separated, with values in percent-encoding.',
    optional(readOtlpHeaders),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'The log level: fatal, error, warn, info, debug, trace or silent.',
    oneOf(['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
  ),
};

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: ReturnType<Settings[Name]['read']> };

export interface Config extends Omit<
  Values,
  'baseUrl' | 'mailHost' | 'reportHost' | 'smtpTlsCert' | 'smtpTlsKey'
> {
  baseUrl: string;
  isBaseUrlSet: boolean;
  mailHost: string;
  reportHost: string;
  /** SMTP_TLS_CERT and SMTP_TLS_KEY. */
  smtpTls: { certFile: string; keyFile: string } | null;
  oidc: { issuer: string; clientId: string; clientSecret: string } | null;
  /** RELAY_URL_<REGION>, by region in lower case. */
  relayUrls: Record<string, string>;
  /** EGRESS_<NAME> and EGRESS_POOL_<NAME>. */
  egresses: Egresses;
}

const MAIL_PORTS = ['smtpPort', 'submissionPort', 'submissionsPort', 'imapPort', 'imapsPort'] as const;
const PORTS = ['port', 'httpsPort', ...MAIL_PORTS] as const;

/** Reads all settings. Throws one error that lists all problems. An empty value counts as unset. */
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

  const entries = Object.entries(settings);
  const values = Object.fromEntries(
    entries.map(([key, each]) => [key, read<unknown>(each.name, each.read)]),
  ) as Values;
  const relayUrls: Record<string, string> = {};
  for (const name of Object.keys(env)) {
    const region = /^RELAY_URL_([A-Z0-9_]{1,32})$/.exec(name)?.[1];
    const url = region && read(name, optional(readRelayUrl));
    if (url) relayUrls[nameInSetting(region)] = url;
  }
  const egresses = readEgresses(env, read, problems);
  if (values.mailTransport === 'relay' && !values.relayUrl && Object.keys(relayUrls).length === 0)
    problems.push('RELAY_URL must be set when MAIL_TRANSPORT is relay');
  problems.push(...checkDatabaseSettings(values));
  const ports = PORTS.map((key) => values[key]).filter(Boolean);
  if (new Set(ports).size < ports.length)
    problems.push(`${PORTS.map((key) => settings[key].name).join(', ')} must differ from each other`);
  const oidc = readSignOn(values, problems);
  // If this setting were ignored, events would be deleted too early.
  if (env.EVENT_RETENTION_DAYS) problems.push('EVENT_RETENTION_DAYS is called EVENT_DAYS');
  if (values.acmeEmail && (values.smtpTlsCert || values.smtpTlsKey))
    problems.push('ACME_EMAIL must not be set together with SMTP_TLS_CERT and SMTP_TLS_KEY');
  const { smtpTlsCert: certFile, smtpTlsKey: keyFile, ...others } = values;
  if (Boolean(certFile) !== Boolean(keyFile))
    problems.push('SMTP_TLS_CERT and SMTP_TLS_KEY must be set together');
  if (problems.length > 0) throw new ConfigError(problems);
  const baseUrl = values.baseUrl ?? `http://${urlHost(values.host)}:${values.port}`;
  const mailHost = values.mailHost ?? new URL(baseUrl).hostname;
  const smtpTls = certFile && keyFile ? { certFile, keyFile } : null;
  const reportHost = values.reportHost ?? mailHost;
  const isBaseUrlSet = values.baseUrl !== null;
  return { ...others, baseUrl, isBaseUrlSet, mailHost, reportHost, smtpTls, relayUrls, egresses, oidc };
}
