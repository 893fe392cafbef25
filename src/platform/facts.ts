export interface InboundLimits {
  connectionsPerIp: number;
  /** In a minute; so is the next. */
  messagesPerIp: number;
  messagesPerMailbox: number;
}

/** What a team can have only so many of, and how many by default. */
export const DEFAULT_TEAM_LIMITS = {
  domains: 1_000,
  mailboxes: 10_000,
  drafts: 10_000,
  contactBooks: 10_000,
  contactImports: 100_000,
  segments: 10_000,
  topics: 1_000,
  templates: 10_000,
  campaigns: 100_000,
  suppressions: 100_000,
  apiKeys: 1_000,
  webhooks: 100,
  members: 1_000,
};
export type LimitedNoun = keyof typeof DEFAULT_TEAM_LIMITS;
export type TeamLimits = Record<LimitedNoun, number>;

/** What the features may know of the instance they run in. */
export interface Facts {
  baseUrl: string;
  /** Our name to other mail servers. */
  mailHost: string;
  mailTransport: 'sandbox' | 'relay' | 'direct';
  /** False: the relay signs. */
  dkimSign: boolean;
  eventRetentionDays: number;
  webhookAllowPrivate: boolean;
  directAllowPrivate: boolean;
  /** What becomes of received mail whose sender's domain asks to refuse it. */
  dmarcReject: 'spam' | 'refuse';
  inboundLimits: InboundLimits;
  teamLimits: TeamLimits;
  /** The root of everything sealed or signed; see crypto.ts. */
  secret: Buffer;
  /** Something may be due: cheap, may be called for every message, and nothing is lost if it goes unheard. */
  wakeCouriers(): void;
  /** Something came to a mailbox or moved there: as cheap, and as little lost. */
  hintMail(): void;
  /** Calls back at every such hint, of any process, until the returned function is called. */
  onMailHint(listener: () => void): () => void;
  /** Aborted when the process begins to stop: whoever would answer for ever ends now. */
  stopping: AbortSignal;
}
