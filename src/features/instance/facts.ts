import type { BlocklistZone } from '../../mail/auth/blocklists.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import type { Db } from '../../platform/database/database.ts';
import type { DiskSpace } from '../../platform/disk-space.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { ObjectStore } from '../../platform/object-store/s3-store.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';
import type { CheckUrls } from './check-urls.ts';
import type { FetchChanged, FetchFile } from './fetch-file.ts';

export interface InboundLimits {
  connectionsPerIp: number;
  /** Per minute. */
  messagesPerIp: number;
  /** Per minute. */
  messagesPerMailbox: number;
}

export interface MailLimits {
  /** Maximum for one email over HTTP. */
  recipients: number;
  /** Maximum for one SMTP transaction, submission and inbound. */
  smtpRecipients: number;
  /** The largest message that can be sent: content and attachments over HTTP, the whole message over SMTP. */
  messageBytes: number;
  inboundMessageBytes: number;
}

export const MAIL_PORT_NAMES = ['imap', 'imaps', 'submission', 'submissions'] as const;
/** The ports that email apps connect to, as they are reachable from outside. */
export type MailPorts = Record<(typeof MAIL_PORT_NAMES)[number], number>;

/** The highest value of MAX_RECIPIENTS and SMTP_MAX_RECIPIENTS. */
export const MOST_RECIPIENTS = 1_000;

/** How many objects of each kind a team may have by default. */
export const DEFAULT_TEAM_LIMITS = {
  domains: 1_000,
  mailboxes: 10_000,
  drafts: 10_000,
  contactBooks: 10_000,
  contactImports: 100_000,
  segments: 10_000,
  topics: 1_000,
  forms: 10_000,
  templates: 10_000,
  media: 10_000,
  campaigns: 100_000,
  automations: 1_000,
  feeds: 100,
  suppressions: 100_000,
  apiKeys: 1_000,
  sendPolicies: 1_000,
  webhooks: 100,
  members: 1_000,
};
export type LimitedNoun = keyof typeof DEFAULT_TEAM_LIMITS;
export type TeamLimits = Record<LimitedNoun, number>;

/** How many days data is kept. Teams can set fewer days. */
export interface Retention {
  /** Null: forever. */
  emailContentDays: number | null;
  sandboxDays: number;
  eventDays: number;
}

/** What a team may still store. */
export interface StorageRoom {
  fits(bytes: number): boolean;
  /** Counts bytes that are stored. */
  add(bytes: number): void;
  /** Throws if the bytes do not fit, and counts them otherwise. */
  require(bytes: number): void;
}

export interface TeamStorage {
  /** TEAM_STORAGE_MB. 0: no limit. */
  defaultMb: number;
  look(teamId: number): Promise<StorageRoom>;
}

/** A way out of the server besides MAIL_TRANSPORT: EGRESS_<NAME>, with its name in lower case. */
export type EgressSetting = EgressRoute & { name: string };

export type EgressRoute =
  { kind: 'direct'; localAddress: string; localName: string } | { kind: 'relay'; url: string };

export interface Egresses {
  ways: EgressSetting[];
  /** EGRESS_POOL_<NAME>, by name in lower case. */
  pools: Record<string, { egress: string; weight: number }[]>;
}

/** What a spam filter says about an email before it is sent. */
export interface ContentScore {
  by: 'rspamd' | 'built-in';
  score: number;
  spamFrom: number;
  isSpam: boolean;
  /** Sentences, the weightiest first. */
  reasons: string[];
}

/** Returns null if the filter does not answer. */
export type ScoreContent = (
  db: Db,
  teamId: number,
  email: { raw: Buffer; from: string; to: string },
) => Promise<ContentScore | null>;

/** The settings and services of the running instance that features may use. */
export interface Facts {
  baseUrl: string;
  /** The host name that other mail servers see. */
  mailHost: string;
  /** The host of the addresses to which other servers send reports about domains. */
  reportHost: string;
  mailPorts: MailPorts;
  mailTransport: 'sandbox' | 'relay' | 'direct';
  /** DESTINATION_RATES: messages per minute by recipient domain; `default` is for all others. */
  destinationRates: Record<string, number>;
  egresses: Egresses;
  /** False when the relay signs. */
  dkimSign: boolean;
  /** The number of prime factors of new DKIM keys. Null chooses the number that signs fastest on this computer. */
  dkimPrimes: 2 | 3 | null;
  retention: Retention;
  /** OIDC_ISSUER: the provider of the instance. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null;
  webhookAllowPrivate: boolean;
  directAllowPrivate: boolean;
  acmeDirectoryUrl: string;
  /** Set if this instance serves HTTPS with certificates by ACME, and so orders those of link hosts. */
  hostCertificates: { email: string } | null;
  /** The resolver of DNS_SERVERS. */
  dns: Dns;
  /** RSPAMD_URL. */
  rspamdUrl: string | null;
  /** Scores an email that a caller wants to send. */
  scoreContent: ScoreContent;
  /** DNSBL_ZONES. */
  blocklistZones: BlocklistZone[];
  /** The certificate of the mail ports in PEM. */
  readCertificate(): string;
  /** How to handle received mail that fails DMARC when the sender's domain has the policy `reject`. */
  dmarcReject: 'spam' | 'refuse';
  inboundLimits: InboundLimits;
  mailLimits: MailLimits;
  teamLimits: TeamLimits;
  /** The instance secret. All keys for encryption and signatures are derived from it (platform/crypto.ts). */
  secret: Buffer;
  /** Every write that can grow needs `requireSpace` (require-space.ts) first. */
  disk: DiskSpace;
  storage: TeamStorage;
  /** Where the bytes of large blobs are. Null if they are in the database. */
  objectStore: ObjectStore | null;
  /** Tells the workers that a delivery may be due. Cheap enough for every message; a lost call only causes a delay. */
  wakeDeliveryWorkers(): void;
  /** Tells listeners that a mailbox has changed. Also cheap, and a lost call only causes a delay. */
  hintMail(): void;
  /** Calls the listener for every mail hint of any process, until the returned function is called. */
  onMailHint(listener: () => void): () => void;
  /** The metrics of this process. */
  metrics: Metrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  /** Fetches a file from a URL that a caller named. */
  fetchFile: FetchFile;
  /** The same for something that is fetched again and again, if it has changed. Follows redirects. */
  fetchChanged: FetchChanged;
  /** Tells whether URLs that a caller named can be reached. */
  checkUrls: CheckUrls;
  /** Aborted when the process begins to stop. Responses without an end, such as event streams, must end then. */
  stopping: AbortSignal;
}
