/** Generated from the OpenAPI document by `npm run generate`. */

/** An error in object form, used by all operations except those that use the text form */
export type Error = {
  error: {
    code:
      | 'BAD_REQUEST'
      | 'UNAUTHORIZED'
      | 'FORBIDDEN'
      | 'NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'CONFLICT'
      | 'already_sent'
      | 'THREAD_CHANGED'
      | 'TOO_LARGE'
      | 'IDEMPOTENCY_MISMATCH'
      | 'RATE_LIMITED'
      | 'INTERNAL'
      | 'NOT_IMPLEMENTED'
      | 'UNAVAILABLE';

    /** What is wrong and how to fix it */
    message: string;

    /** Details about each invalid field, if there are any */
    issues?: Array<{
      /** A JSON pointer into the request */
      path: string;
      message: string;
    }>;
  };
};

/** An error in text form, used by a few operations for all of their errors */
export type ErrorText = {
  /** What is wrong and how to fix it */
  error: string;
};

export type EmailTag = { name: string; value: string };

export type SendEmailBody = {
  from: string;
  to: string | Array<string>;
  cc?: string | Array<string> | null;
  bcc?: string | Array<string> | null;
  replyTo?: string | Array<string> | null;

  /** Required without a templateId */
  subject?: string | null;

  /** At most 5000 links */
  html?: string | null;
  text?: string | null;

  /** The template to use instead of html and text */
  templateId?: string | null;

  /** The values for the merge tags, conditions and loops of the template. `{{order.total}}` reads the property of an object, `{% for item in order.items %}` a list */
  variables?: Record<
    string,
    string | number | boolean | null | Array<unknown> | Record<string, unknown>
  > | null;
  headers?: Record<string, string> | null;
  attachments?: Array<{
    filename: string;

    /** Base64 */
    content: string;
    contentType?: string | null;

    /** For an image that the HTML refers to with a cid: URL */
    contentId?: string | null;
  }> | null;

  /** Shown in events, webhooks and lists. Recipients do not see them */
  tags?: Array<EmailTag> | null;

  /** Your own data. Shown with the email and in webhooks. Recipients do not see it */
  metadata?: Record<string, string> | null;

  /** The send time. Up to a minute in the past counts as now */
  scheduledAt?: string | null;

  /** The email to reply to */
  inReplyToId?: string | null;

  /** How many seconds the email is held so that it can be cancelled */
  undoSeconds?: number | null;

  /** Whether opens and clicks are tracked. By default the setting of the domain */
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;
};

export type HeldEmail = {
  emailId: string;

  /** It waits for the approval of a person */
  status: 'held';
  approvalId: string;
  policy: PolicyReason;
};

export type PolicyReason = {
  /** The field of the send policy that decided */
  rule: string;

  /** Why, and what would be allowed */
  sentence: string;
};

export type BlockedEmail = {
  /** Nothing is stored under this ID */
  emailId: string;

  /** It is neither stored nor sent */
  status: 'blocked';
  policy: PolicyReason;
};

export type SendEmailsAnswer = { data: Array<{ emailId: string } | HeldEmail | BlockedEmail> };

export type RescheduleEmailBody = { scheduledAt: string };

export type RescheduleEmailAnswer = { emailId: string };

export type CancelEmailAnswer = { emailId: string };

export type DeleteEmailAnswer = { id: string; success: boolean };

export type EmailListItem = {
  id: string;
  teamId: number;
  domainId: number;
  from: string;
  to: Array<string>;
  cc: Array<string>;
  bcc: Array<string>;
  replyTo: Array<string>;
  subject: string;

  /** The Message-ID header */
  messageId: string;
  tags: Array<EmailTag>;
  metadata: Record<string, string>;

  /** The latest status. With several recipients, the worst one */
  status:
    | 'SCHEDULED'
    | 'QUEUED'
    | 'SENT'
    | 'DELIVERED'
    | 'DELIVERY_DELAYED'
    | 'BOUNCED'
    | 'REJECTED'
    | 'RENDERING_FAILURE'
    | 'COMPLAINED'
    | 'OPENED'
    | 'CLICKED'
    | 'SUPPRESSED'
    | 'CANCELLED'
    | 'FAILED';

  /** The campaign that the email belongs to */
  campaignId: string | null;
  scheduledAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ListEmailsAnswer = { items: Array<EmailListItem>; next_cursor: string | null };

export type Email = {
  id: string;
  teamId: number;
  domainId: number;
  from: string;
  to: Array<string>;
  cc: Array<string>;
  bcc: Array<string>;
  replyTo: Array<string>;
  subject: string;

  /** The Message-ID header */
  messageId: string;
  tags: Array<EmailTag>;
  metadata: Record<string, string>;

  /** The latest status. With several recipients, the worst one */
  status:
    | 'SCHEDULED'
    | 'QUEUED'
    | 'SENT'
    | 'DELIVERED'
    | 'DELIVERY_DELAYED'
    | 'BOUNCED'
    | 'REJECTED'
    | 'RENDERING_FAILURE'
    | 'COMPLAINED'
    | 'OPENED'
    | 'CLICKED'
    | 'SUPPRESSED'
    | 'CANCELLED'
    | 'FAILED';

  /** The campaign that the email belongs to */
  campaignId: string | null;
  scheduledAt: string | null;
  createdAt: string;
  updatedAt: string;
  html: string | null;
  text: string | null;

  /** When the content was deleted, by `DELETE /emails/{emailId}` or because its retention time was over. `html` and `text` are null from then on */
  contentDeletedAt: string | null;

  /** Get their contents with `GET /emails/{emailId}/attachments/{n}` */
  attachments: Array<EmailAttachment>;

  /** All opens and clicks, and those by people as far as bots can be detected */
  tracking: { opens: number; humanOpens: number; clicks: number; humanClicks: number };

  /** Oldest first */
  emailEvents: Array<EmailEvent>;
};

export type EmailAttachment = {
  /** The position in the message, from 0 */
  no: number;
  filename: string | null;
  contentType: string;
  contentId: string | null;

  /** Whether the HTML shows it */
  inline: boolean;

  /** In bytes */
  size: number;
};

export type EmailEvent = {
  emailId: string;
  status:
    | 'SCHEDULED'
    | 'QUEUED'
    | 'SENT'
    | 'DELIVERED'
    | 'DELIVERY_DELAYED'
    | 'BOUNCED'
    | 'REJECTED'
    | 'RENDERING_FAILURE'
    | 'COMPLAINED'
    | 'OPENED'
    | 'CLICKED'
    | 'SUPPRESSED'
    | 'CANCELLED'
    | 'FAILED';
  recipient: string | null;
  createdAt: string;

  /** The reply of the receiving server, or the recipient that the event is about */
  data: unknown;
};

export type EmailSource = {
  emailId: string;

  /** The full message before it was signed with DKIM. null for campaign emails, which are created when they are sent, for account emails such as password resets, and after the content was deleted */
  raw: string | null;
};

export type ContactActivity = {
  type: 'email' | 'event';

  /** The ID of the email or event */
  id: string;

  /** This and the next fields are null for an event */
  from: string | null;
  subject: string | null;

  /** The latest status for this address */
  status:
    | 'SCHEDULED'
    | 'QUEUED'
    | 'SENT'
    | 'DELIVERED'
    | 'DELIVERY_DELAYED'
    | 'BOUNCED'
    | 'REJECTED'
    | 'RENDERING_FAILURE'
    | 'COMPLAINED'
    | 'OPENED'
    | 'CLICKED'
    | 'SUPPRESSED'
    | 'CANCELLED'
    | 'FAILED'
    | null;
  campaign: { id: string; name: string } | null;
  scheduledAt: string | null;

  /** When a person first opened it. Null for an email to several addresses */
  openedAt: string | null;

  /** When a person first clicked a link. Null for an email to several addresses */
  clickedAt: string | null;

  /** What an application sent by `POST /events`. Null for an email */
  event: { name: string; data: Record<string, unknown>; occurredAt: string } | null;
  createdAt: string;
};

export type ListContactActivityAnswer = { items: Array<ContactActivity>; next_cursor: string | null };

export type CreateTemplateBody = {
  name: string;

  /** A name that emails can use as `templateId`. It is unique in your team */
  alias?: string | null;

  /** Without a subject, each email must have its own */
  subject?: string | null;

  /** At most 5000 links and 1000 merge tags */
  html?: string | null;

  /** At most 1000 merge tags */
  text?: string | null;

  /** The JSON document of the email editor. html is generated from it */
  content?: string | Record<string, unknown> | null;

  /** The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. An email gets the language of its variable `language`: that one, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them */
  translations?: Record<
    string,
    {
      subject: string;
      previewText?: string | null;

      /** Used instead of `content` if both are sent */
      html?: string | null;
      content?: string | Record<string, unknown> | null;
    }
  > | null;

  /** MJML instead of `html` and `content`. It is rendered once and stored as HTML. mj-include is rejected */
  mjml?: string | null;
};

export type Template = {
  id: string;
  name: string;
  alias: string | null;
  subject: string | null;

  /** The names of the merge tags */
  variables: Array<string>;
  createdAt: string;
  updatedAt: string;
  html: string | null;

  /** The JSON document of the email editor that html was generated from */
  content: string | null;

  /** null: generated from html when the email is sent */
  text: string | null;

  /** The content in further languages, by BCP 47 tag. null: none */
  translations: Record<
    string,
    { subject: string; previewText: string | null; html: string | null; content: string | null }
  > | null;

  /** When the subject, html, content or text was last changed */
  contentSavedAt: string;
};

export type PreviewContentBody = {
  content?: string | Record<string, unknown> | null;

  /** Used instead of `content` if both are sent */
  html?: string | null;
};

export type PreviewContentAnswer = { html: string; text: string };

export type TemplateListItem = {
  id: string;
  name: string;
  alias: string | null;
  subject: string | null;

  /** The names of the merge tags */
  variables: Array<string>;
  createdAt: string;
  updatedAt: string;
};

export type ListTemplatesAnswer = { items: Array<TemplateListItem>; next_cursor: string | null };

export type UpdateTemplateBody = {
  name?: string;

  /** A name that emails can use as `templateId`. It is unique in your team */
  alias?: string | null;

  /** Without a subject, each email must have its own */
  subject?: string | null;

  /** At most 5000 links and 1000 merge tags */
  html?: string | null;

  /** At most 1000 merge tags */
  text?: string | null;

  /** The JSON document of the email editor. html is generated from it */
  content?: string | Record<string, unknown> | null;

  /** The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. An email gets the language of its variable `language`: that one, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them */
  translations?: Record<
    string,
    {
      subject: string;
      previewText?: string | null;

      /** Used instead of `content` if both are sent */
      html?: string | null;
      content?: string | Record<string, unknown> | null;
    }
  > | null;

  /** MJML instead of `html` and `content`. It is rendered once and stored as HTML. mj-include is rejected */
  mjml?: string | null;

  /** The `contentSavedAt` of the template that you edited. If its content has changed in the meantime, the response is 409 and nothing is changed */
  basedOn?: string | null;
};

export type DeleteTemplateAnswer = { id: string; success: boolean };

export type VersionListItem = {
  id: string;
  subject: string | null;

  /** When this content was saved */
  savedAt: string;

  /** When other content took its place */
  replacedAt: string;

  /** What saved it: an API key (`key_…`), a user (`user:usr_…`) or a `command`. null: not known */
  savedBy: string | null;

  /** The name of that person or key. null: not known, or deleted */
  savedByName: string | null;
};

export type ListTemplateVersionsAnswer = { items: Array<VersionListItem>; next_cursor: string | null };

export type Version = {
  id: string;
  subject: string | null;

  /** When this content was saved */
  savedAt: string;

  /** When other content took its place */
  replacedAt: string;

  /** What saved it: an API key (`key_…`), a user (`user:usr_…`) or a `command`. null: not known */
  savedBy: string | null;

  /** The name of that person or key. null: not known, or deleted */
  savedByName: string | null;

  /** Only of campaigns */
  previewText: string | null;
  html: string | null;
  text: string | null;

  /** The JSON document of the email editor */
  content: string | null;

  /** The HTML as it would be sent, with merge tags */
  rendered: string | null;

  /** The A/B test of a campaign. null: no test */
  variants: Array<{
    subject: string | null;
    from: string | null;
    previewText: string | null;
    html: string | null;
    content: string | null;
    rendered: string | null;
  }> | null;

  /** The content in further languages, by BCP 47 tag. null: none */
  translations: Record<
    string,
    { subject: string; previewText: string | null; html: string | null; content: string | null }
  > | null;
};

export type StarterTemplate = {
  id: string;
  name: string;
  description: string;
  subject: string;

  /** False for email that your application sends, with merge tags that contacts do not have */
  forCampaigns: boolean;

  /** The JSON document of the email editor, for a campaign or template */
  content: string;

  /** The document as it is sent, with merge tags */
  html: string;
};

export type ListStarterTemplatesAnswer = { items: Array<StarterTemplate> };

export type Media = {
  id: string;

  /** Public, and the same for as long as the image exists */
  url: string;
  name: string;

  /** Detected from the content of the image */
  contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

  /** In pixels */
  width: number;

  /** In pixels */
  height: number;

  /** In bytes */
  size: number;
  createdAt: string;
};

export type ListMediaAnswer = { items: Array<Media>; next_cursor: string | null };

export type DeleteMediaAnswer = { id: string; success: boolean };

export type CreateDomainBody = {
  name: string;

  /** The name of an outbound route, if the server has several */
  region?: string | null;
};

export type Domain = {
  id: number;
  name: string;
  teamId: number;
  status: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE';
  publicKey: string;
  createdAt: string;
  updatedAt: string;
  dnsRecords: Array<DnsRecord>;

  /** Optional records with which email apps find the servers of its mailboxes (RFC 6186) */
  serviceRecords: Array<ServiceRecord>;
  region: string;
  clickTracking: boolean;
  openTracking: boolean;
  tracking: DomainTracking;

  /** The MTA-STS policy that is served for the domain (RFC 8461) */
  mtaSts: 'off' | 'testing' | 'enforce';

  /** `testing` becomes `enforce` after 14 days of TLS reports without a failure */
  mtaStsAuto: boolean;
  brake: DomainBrake;

  /** Which outgoing routes of the server its mail uses. Null: MAIL_TRANSPORT */
  pools: DomainPools;
  dkimStatus: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE';

  /** The selector of the key that signs */
  dkimSelector: string;

  /** The selector of a new key that is waiting for its DNS record */
  nextDkimSelector: string | null;

  /** The selector of the key that signed before, while its record must stay published */
  retiredDkimSelector: string | null;

  /** The combined status of the MX and SPF records of the return path */
  spfDetails: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE';
  dmarcAdded: boolean;
  isVerifying: boolean;

  /** An internal error */
  errorMessage: string | null;

  /** The part before the registrable domain. Empty if there is none */
  subdomain: string;

  /** Which record is wrong, what was expected and what was found */
  verificationError: string | null;
  lastCheckedTime: string | null;
};

export type DnsRecord = {
  type: 'TXT' | 'MX' | 'CNAME' | 'CAA' | 'A' | 'AAAA';

  /** Relative to the registrable domain. `@` is the domain itself */
  name: string;
  value: string;
  ttl: string;
  priority: string | null;
  status: 'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE';

  /** Not required for verification */
  recommended: boolean;
};

export type ServiceRecord = {
  type: 'SRV';

  /** Relative to the registrable domain */
  name: string;

  /** Priority, weight, port and host */
  value: string;
  ttl: string;
};

export type DomainTracking = {
  /** The host of links, such as links.example.com */
  host: string | null;

  /** Links use the host only while it is ACTIVE, and the host of BASE_URL otherwise */
  status: 'NONE' | 'WAITING_DNS' | 'CAA_BLOCKED' | 'ISSUING' | 'ACTIVE' | 'BROKEN';
  error: string | null;
};

export type DomainBrake = {
  /** ON: campaigns are paused and marketing emails of automations wait */
  status: 'OFF' | 'WARNING' | 'ON';
  since: string | null;
  measure: 'complaints' | 'hard_bounces' | null;

  /** What was counted: 24 hours, the last 1,000 delivered emails, or what was sent since the release */
  window: 'day' | 'last_delivered' | 'since_release' | null;

  /** The share of complaints or hard bounces, from 0 to 1 */
  rate: number | null;

  /** The number of complaints or hard bounces */
  cases: number | null;

  /** The number of recipients of which they are a part */
  outOf: number | null;

  /** Set if the mail of one campaign alone is the cause */
  campaignId: string | null;

  /** The same in words */
  reason: string | null;

  /** When someone last released the brake */
  releasedAt: string | null;

  /** The reason that they gave */
  releaseReason: string | null;
};

export type DomainPools = {
  /** Single emails, replies and confirmations */
  transactional: string | Array<{ egress: string; weight: number }> | null;
  campaign: string | Array<{ egress: string; weight: number }> | null;
  automation: string | Array<{ egress: string; weight: number }> | null;
};

export type UpdateDomainBody = {
  clickTracking?: boolean | null;
  openTracking?: boolean | null;

  /** The host of links in emails of the domain: `links` is links.example.com. Null: that of BASE_URL */
  trackingSubdomain?: string | null;
  mtaSts?: 'off' | 'testing' | 'enforce' | null;
  mtaStsAuto?: boolean | null;

  /** Names of EGRESS_ settings or pools, or lists of them with weights. Kinds that are not named stay */
  pools?: {
    transactional?: string | Array<{ egress: string; weight?: number }> | null;
    campaign?: string | Array<{ egress: string; weight?: number }> | null;
    automation?: string | Array<{ egress: string; weight?: number }> | null;
  } | null;
};

export type DeleteDomainAnswer = { id: number; success: boolean; message: string };

export type VerifyDomainAnswer = { message: string };

export type DomainHealth = {
  score: 'good' | 'watch' | 'bad';

  /** The check to take care of first. Null if there is none */
  next: {
    name:
      | 'spf'
      | 'dkim'
      | 'dmarc'
      | 'return_path'
      | 'mx'
      | 'ehlo'
      | 'ptr'
      | 'tls_certificate'
      | 'mta_sts'
      | 'tls_rpt'
      | 'bimi'
      | 'blocklists'
      | 'one_click'
      | 'link_host';
    sentence: string;
  } | null;
  checkedAt: string;
  checks: Array<DomainHealthCheck>;
};

export type DomainHealthCheck = {
  name:
    | 'spf'
    | 'dkim'
    | 'dmarc'
    | 'return_path'
    | 'mx'
    | 'ehlo'
    | 'ptr'
    | 'tls_certificate'
    | 'mta_sts'
    | 'tls_rpt'
    | 'bimi'
    | 'blocklists'
    | 'one_click'
    | 'link_host';

  /** `off`: not used, or of no use here. `unknown`: it could not be looked up */
  status: 'good' | 'watch' | 'bad' | 'off' | 'unknown';
  found: string | null;
  expected: string | null;

  /** What this means, and what to do */
  sentence: string;
};

export type ReleaseBrakeBody = {
  /** What was found and changed. The audit log keeps it */
  reason: string;
};

export type Egress = {
  name: string;
  kind: 'direct' | 'relay';

  /** The local address, or the host of the relay */
  address: string;
  ehlo: string | null;

  /** The pools that contain it */
  pools: Array<{ name: string; weight: number }>;
  warmup: WarmUp | null;
  slowed: Array<{
    /** A large provider, or the domain of recipients */
    provider: string;
    until: string;
    because: string;
  }>;
};

export type WarmUp = {
  target: number;
  start: number;
  factor: number;
  startedAt: string;
  providers: Array<WarmUpProvider>;
};

export type WarmUpProvider = {
  /** A large provider, found by its mail servers, or `other` */
  provider: string;

  /** The most messages of today. Null: warm, no limit */
  cap: number | null;

  /** How many were sent today */
  sent: number;

  /** How many more can be sent today. Null: no limit */
  room: number | null;

  /** Messages of campaigns that wait for a later day */
  waiting: number;

  /** How the limit follows from the last day with mail */
  change: 'start' | 'rise' | 'hold' | 'halve' | 'rest' | 'warm';

  /** The same in words */
  because: string;

  /** The last 60 days with mail, oldest first */
  curve: Array<{ day: string; cap: number | null; sent: number }>;
};

export type ListEgressesAnswer = { items: Array<Egress> };

export type StartWarmUpBody = {
  /** Messages a day and provider */
  target: number;
  start?: number;
  factor?: number;
};

export type DmarcReports = {
  messages: number;
  aligned: number;
  failed: number;

  /** The policy that the newest report found. Null without reports */
  policy: 'none' | 'quarantine' | 'reject' | null;

  /** The 200 with the most messages */
  sources: Array<DmarcSource>;
  byDay: Array<{ date: string; messages: number; aligned: number; failed: number }>;
  reporters: Array<{ name: string; contact: string | null; reports: number; messages: number }>;

  /** Reports whose own message did not pass DMARC. They are counted nowhere else */
  unverified: { reports: number; messages: number };
  lastReportAt: string | null;

  /** The policy that is safe to publish now. Null while there is no step to take */
  next: { policy: 'none' | 'quarantine' | 'reject'; since: string; because: string } | null;

  /** What to do next about the policy */
  advice: string;
};

export type DmarcSource = {
  /** A service, a domain, or a network */
  name: string;

  /** This server, a known email service, a server that passes mail on, or another one */
  kind: 'ours' | 'service' | 'forwarder' | 'other';

  /** The host name of its busiest address by reverse DNS, of a source that is named by its network. A hint only */
  host: string | null;
  ours: boolean;

  /** Its mail counts for the advice about the policy. Decided by `mark`, else by what the reports say */
  confirmed: boolean;

  /** What someone has said about it. Null if nobody has */
  mark: 'confirmed' | 'disowned' | null;

  /** The 50 addresses with the most messages */
  ips: Array<string>;
  ipCount: number;
  messages: number;

  /** Messages for which SPF passed for the domain */
  spf: number;

  /** Messages with a signature of the domain that passed */
  dkim: number;

  /** Messages that passed DMARC, by SPF or DKIM */
  aligned: number;
  quarantined: number;
  rejected: number;

  /** Who sends, and what to do */
  sentence: string;
};

export type MarkedSource = {
  /** The `name` of a source */
  name: string;
  kind: 'ours' | 'service' | 'forwarder' | 'other';

  /** Whether it sends for the domain. Null: the reports decide again */
  confirmed: boolean | null;
};

export type TlsReports = {
  /** Connections to the servers of the domain, failed ones too */
  sessions: number;
  failed: number;

  /** The 200 most frequent */
  failures: Array<TlsFailure>;
  byDay: Array<{ date: string; sessions: number; failed: number }>;
  reporters: Array<{ name: string; contact: string | null; reports: number; sessions: number }>;

  /** Reports by mail whose own message did not pass DMARC. They are counted nowhere else */
  unverified: { reports: number; sessions: number };
  lastReportAt: string | null;
};

export type TlsFailure = {
  /** As in RFC 8460 section 4.3, such as certificate-expired */
  type: string;

  /** Connections */
  count: number;

  /** The server that was connected to */
  mx: string | null;

  /** What a reporter says about it */
  reason: string | null;

  /** The end of the last report about it */
  lastAt: string;

  /** What it means, and what to do */
  sentence: string;
};

export type CreateContactBookBody = {
  name: string;
  emoji?: string | null;
  properties?: Record<string, unknown> | null;
  variables?: Array<string> | null;
  doubleOptInEnabled?: boolean | null;

  /** `Name <user@domain>` or a plain address, on a verified domain of your team */
  doubleOptInFrom?: string | null;
  doubleOptInSubject?: string | null;

  /** Must contain {{doubleOptInUrl}} while double opt-in is on */
  doubleOptInContent?: string | Record<string, unknown> | null;

  /** Publishes `/a/{contactBookId}` with a feed at `/a/{contactBookId}/feed.xml`; false by default */
  archiveEnabled?: boolean | null;
  archiveTitle?: string | null;
  archiveDescription?: string | null;

  /** false by default */
  archiveIndexed?: boolean | null;

  /** The IANA time zone of contacts without a property `timezone`, for campaigns with `localTime`; UTC by default */
  timezone?: string | null;
};

export type ContactBook = {
  id: string;
  name: string;
  teamId: number;
  properties: Record<string, unknown>;

  /** Personalisation variables for the contacts in this book */
  variables: Array<string>;
  emoji: string;
  createdAt: string;
  updatedAt: string;
  doubleOptInEnabled: boolean;
  doubleOptInFrom: string | null;
  doubleOptInSubject: string;

  /** The JSON document of the email editor, as a string */
  doubleOptInContent: string;

  /** Whether the page `/a/{contactBookId}` shows the campaigns with `showInArchive` to everyone */
  archiveEnabled: boolean;

  /** null: the name of the book */
  archiveTitle: string | null;
  archiveDescription: string | null;

  /** Whether search engines may list the archive */
  archiveIndexed: boolean;
  timezone: string;
  _count: { contacts: number };
};

export type UpdateContactBookBody = {
  name?: string;
  emoji?: string | null;
  properties?: Record<string, unknown> | null;
  variables?: Array<string> | null;
  doubleOptInEnabled?: boolean | null;

  /** `Name <user@domain>` or a plain address, on a verified domain of your team */
  doubleOptInFrom?: string | null;
  doubleOptInSubject?: string | null;

  /** Must contain {{doubleOptInUrl}} while double opt-in is on */
  doubleOptInContent?: string | Record<string, unknown> | null;

  /** Publishes `/a/{contactBookId}` with a feed at `/a/{contactBookId}/feed.xml`; false by default */
  archiveEnabled?: boolean | null;
  archiveTitle?: string | null;
  archiveDescription?: string | null;

  /** false by default */
  archiveIndexed?: boolean | null;

  /** The IANA time zone of contacts without a property `timezone`, for campaigns with `localTime`; UTC by default */
  timezone?: string | null;
};

export type DeleteContactBookAnswer = { id: string; success: boolean; message: string };

export type GetContactBookGrowthAnswer = {
  items: Array<{
    /** A day, the Monday of a week, or the first day of a month, as 2026-11-15; the start of an hour in UTC */
    date: string;

    /** Contacts that were added, except as unsubscribed; those that have to confirm first included */
    joined: number;

    /** Contacts that had to confirm and became subscribers */
    confirmed: number;

    /** Contacts that had unsubscribed and subscribed again */
    returned: number;

    /** Subscribers that unsubscribed or were deleted */
    left: number;

    /** Subscribers at the end of this time */
    total: number;

    /** Contacts that had not confirmed yet at the end of this time */
    pending: number;
  }>;

  /** Where those who joined in this time came from, most first, at most 100 */
  sources: Array<{
    source: 'form' | 'import' | 'api' | 'archive' | 'referral';

    /** As `sourceId` of a contact */
    id: string | null;

    /** The name of the form, API key, person, campaign or book; null if it was deleted */
    name: string | null;
    joined: number;
  }>;
};

export type CreateContactBody = {
  firstName?: string | null;
  lastName?: string | null;

  /** Merged key by key; keys are case-insensitive. null removes a key */
  properties?: Record<string, string | number | boolean | null> | null;
  subscribed?: boolean | null;
  email: string;
};

export type CreateContactAnswer = { contactId: string };

export type CreateContactsAnswer = { message: string; count: number };

export type DeleteContactsBody = { contactIds: Array<string> };

export type DeleteContactsAnswer = { success: boolean; count: number };

export type Contact = {
  id: string;
  contactBookId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, string | number | boolean>;

  /** Also false while double opt-in is pending */
  subscribed: boolean;
  unsubscribeReason: string | null;

  /** How this contact came here: by an import with `consent=confirmed`, or by a form */
  consent: ContactConsent | null;

  /** Where the contact came from. `api`: added by a request, or by a person in the dashboard */
  source: 'form' | 'import' | 'api' | 'archive' | 'referral';

  /** The form (`frm_…`), the import (`imp_…`), the API key (`key_…`) or the person (`user:usr_…`). For `archive` the campaign (`cmp_…`) or the book, for `referral` the contact who brought this one (`con_…`) */
  sourceId: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ContactConsent =
  | {
      source: 'import';
      importId: string;

      /** The `consentNote` of the import */
      note: string | null;

      /** What started the import: an API key (`key_…`), a user (`user:usr_…`) or a `command` */
      by: string;
      at: string;
    }
  | {
      source: 'form';

      /** The form by which the person signed up */
      formId: string;

      /** The form again, or `recipient` after a confirmation by email */
      by: string;
      at: string;
    }
  | {
      /** A page of the archive of the book */
      source: 'archive';
      by: string;
      at: string;
    };

export type ListContactsAnswer = { items: Array<Contact>; next_cursor: string | null };

export type ListContactIdsAnswer = { items: Array<string>; next_cursor: string | null };

export type SearchContactsAnswer = { items: Array<Contact>; next_cursor: string | null };

export type ContactDetails = {
  id: string;
  contactBookId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, string | number | boolean>;

  /** Also false while double opt-in is pending */
  subscribed: boolean;
  unsubscribeReason: string | null;

  /** How this contact came here: by an import with `consent=confirmed`, or by a form */
  consent: ContactConsent | null;

  /** Where the contact came from. `api`: added by a request, or by a person in the dashboard */
  source: 'form' | 'import' | 'api' | 'archive' | 'referral';

  /** The form (`frm_…`), the import (`imp_…`), the API key (`key_…`) or the person (`user:usr_…`). For `archive` the campaign (`cmp_…`) or the book, for `referral` the contact who brought this one (`con_…`) */
  sourceId: string | null;
  createdAt: string;
  updatedAt: string;
  subscription: {
    state: 'subscribed' | 'pending' | 'unsubscribed';
    changedAt: string;

    /** What changed it last: an API key (`key_…`), a user (`user:usr_…`), or a link in an email */
    changedBy: string;
  };

  /** When the double opt-in email was last sent */
  confirmationSentAt: string | null;

  /** When the contact last opened an email of a campaign */
  lastOpenedAt: string | null;

  /** When the contact last clicked a link of a campaign */
  lastClickedAt: string | null;

  /** People who signed up on the page that this contact has shared */
  referrals: number;

  /** Set while the team sends nothing to this address */
  suppression: { reason: 'HARD_BOUNCE' | 'COMPLAINT' | 'MANUAL' | 'ERASED'; createdAt: string } | null;

  /** All contact books that have this address, the oldest first */
  books: Array<{
    contactBookId: string;
    contactId: string;
    name: string;
    emoji: string;
    subscribed: boolean;
  }>;
};

export type UpdateContactBody = {
  firstName?: string | null;
  lastName?: string | null;

  /** Merged key by key; keys are case-insensitive. null removes a key */
  properties?: Record<string, string | number | boolean | null> | null;
  subscribed?: boolean | null;
};

export type UpdateContactAnswer = { contactId: string };

export type PutContactBody = {
  firstName?: string | null;
  lastName?: string | null;

  /** Merged key by key; keys are case-insensitive. null removes a key */
  properties?: Record<string, string | number | boolean | null> | null;
  subscribed?: boolean | null;
  email: string;
};

export type PutContactAnswer = { contactId: string };

export type DeleteContactAnswer = { success: boolean };

export type UpdateContactsBody = {
  contactIds: Array<string>;

  /** `false` unsubscribes the contacts */
  subscribed?: false | null;

  /** At most 10 topics */
  topics?: Array<{ id: string; subscribed: boolean }> | null;
};

export type UpdateContactsAnswer = { success: boolean; count: number };

export type ErasePersonAnswer = { success: boolean; count: number };

export type ContactImport = {
  id: string;
  contactBookId: string;
  status: 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED';
  consent: 'confirmed' | 'ask' | 'none';
  consentNote: string | null;

  /** With `consent=ask`: the number of confirmation emails that have not been sent yet */
  confirmationsWaiting: number;
  totalBytes: number;
  doneBytes: number;
  progress: number;

  /** Rows read so far, without blank rows: created, updated and rejected together */
  rows: number;
  created: number;

  /** Rows for a contact that already existed or that appeared earlier in the file */
  updated: number;
  refused: number;

  /** Rows of people who, according to the file, have left or never confirmed. They are not subscribed */
  unsubscribed: number;

  /** How the columns are imported, the first 200. Empty until the header has been read */
  columns: Array<ContactImportColumn>;

  /** The first 1000 rejected rows with the reason. Always empty in lists */
  refusals: Array<ContactImportRefusal>;

  /** Why the import FAILED */
  error: string | null;
  createdAt: string;
  updatedAt: string;
  finishedAt: string | null;
};

export type ContactImportColumn = {
  /** The name in the header row */
  name: string;

  /** null: the column is skipped */
  importedAs:
    'email' | 'firstName' | 'lastName' | 'subscribed' | 'unsubscribed' | 'status' | 'property' | null;

  /** The name of the property */
  property: string | null;
};

export type ContactImportRefusal = {
  /** The line of the file where the row starts. The header is line 1 */
  line: number;

  /** The value in the email column, if it could be read */
  email: string | null;
  reason: string;
};

export type ListContactImportsAnswer = { items: Array<ContactImport>; next_cursor: string | null };

export type ListContactImportRefusalsAnswer = {
  items: Array<ContactImportRefusal>;
  next_cursor: string | null;
};

export type CreateSegmentBody = {
  name: string;
  contactBookId: string;

  /** A group `{"all":[…]}` or `{"any":[…]}` of conditions and nested groups, at most 5 levels and 100 conditions. A condition is `{"field","op","value"}`. `email`, `firstName`, `lastName`: equals, notEquals, contains, notContains, startsWith, endsWith, exists, notExists, ignoring case. `subscribed`, `engagement.opened`, `engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, `engagement.lastClickedAt`: before and after a date-time, withinLastDays and moreThanDaysAgo a number of days, exists, notExists. `properties.KEY`: all of these, greater and less than a number, and withinNextDays a number of days, from the beginning of today in UTC. `topic`: in and notIn with the ID of a topic. `campaign`: sent, notSent, opened, notOpened, clicked and notClicked with the ID of a campaign; notOpened and notClicked match only contacts to whom the campaign was delivered, and clicked and notClicked can have a `url` so that only clicks on that link count, as long as events are kept. `{"all":[]}` is everyone. */
  filter: Record<string, unknown>;
};

export type Segment = {
  id: string;
  name: string;
  contactBookId: string;

  /** A group `{"all":[…]}` or `{"any":[…]}` of conditions and nested groups, at most 5 levels and 100 conditions. A condition is `{"field","op","value"}`. `email`, `firstName`, `lastName`: equals, notEquals, contains, notContains, startsWith, endsWith, exists, notExists, ignoring case. `subscribed`, `engagement.opened`, `engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, `engagement.lastClickedAt`: before and after a date-time, withinLastDays and moreThanDaysAgo a number of days, exists, notExists. `properties.KEY`: all of these, greater and less than a number, and withinNextDays a number of days, from the beginning of today in UTC. `topic`: in and notIn with the ID of a topic. `campaign`: sent, notSent, opened, notOpened, clicked and notClicked with the ID of a campaign; notOpened and notClicked match only contacts to whom the campaign was delivered, and clicked and notClicked can have a `url` so that only clicks on that link count, as long as events are kept. `{"all":[]}` is everyone. */
  filter: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
};

export type ListSegmentsAnswer = { items: Array<Segment>; next_cursor: string | null };

export type CountFilterBody = {
  contactBookId: string;

  /** A group `{"all":[…]}` or `{"any":[…]}` of conditions and nested groups, at most 5 levels and 100 conditions. A condition is `{"field","op","value"}`. `email`, `firstName`, `lastName`: equals, notEquals, contains, notContains, startsWith, endsWith, exists, notExists, ignoring case. `subscribed`, `engagement.opened`, `engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, `engagement.lastClickedAt`: before and after a date-time, withinLastDays and moreThanDaysAgo a number of days, exists, notExists. `properties.KEY`: all of these, greater and less than a number, and withinNextDays a number of days, from the beginning of today in UTC. `topic`: in and notIn with the ID of a topic. `campaign`: sent, notSent, opened, notOpened, clicked and notClicked with the ID of a campaign; notOpened and notClicked match only contacts to whom the campaign was delivered, and clicked and notClicked can have a `url` so that only clicks on that link count, as long as events are kept. `{"all":[]}` is everyone. */
  filter: Record<string, unknown>;
};

export type CountFilterAnswer = { count: number };

export type CountSegmentAnswer = { count: number };

export type UpdateSegmentBody = {
  name?: string;

  /** A group `{"all":[…]}` or `{"any":[…]}` of conditions and nested groups, at most 5 levels and 100 conditions. A condition is `{"field","op","value"}`. `email`, `firstName`, `lastName`: equals, notEquals, contains, notContains, startsWith, endsWith, exists, notExists, ignoring case. `subscribed`, `engagement.opened`, `engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, `engagement.lastClickedAt`: before and after a date-time, withinLastDays and moreThanDaysAgo a number of days, exists, notExists. `properties.KEY`: all of these, greater and less than a number, and withinNextDays a number of days, from the beginning of today in UTC. `topic`: in and notIn with the ID of a topic. `campaign`: sent, notSent, opened, notOpened, clicked and notClicked with the ID of a campaign; notOpened and notClicked match only contacts to whom the campaign was delivered, and clicked and notClicked can have a `url` so that only clicks on that link count, as long as events are kept. `{"all":[]}` is everyone. */
  filter?: Record<string, unknown>;
};

export type DeleteSegmentAnswer = { id: string; success: boolean };

export type ListSegmentContactsAnswer = { items: Array<Contact>; next_cursor: string | null };

export type CreateTopicBody = {
  name: string;
  description?: string | null;

  /** `opt_out`: all contacts are subscribed until they opt out. `opt_in`: no contact is subscribed until they opt in */
  defaultSubscription?: 'opt_in' | 'opt_out';
};

export type Topic = {
  id: string;
  name: string;
  description: string | null;

  /** `opt_out`: all contacts are subscribed until they opt out. `opt_in`: no contact is subscribed until they opt in */
  defaultSubscription: 'opt_in' | 'opt_out';
  createdAt: string;
  updatedAt: string;
};

export type ListTopicsAnswer = { items: Array<Topic>; next_cursor: string | null };

export type UpdateTopicBody = {
  name?: string;
  description?: string | null;

  /** `opt_out`: all contacts are subscribed until they opt out. `opt_in`: no contact is subscribed until they opt in */
  defaultSubscription?: 'opt_in' | 'opt_out';
};

export type DeleteTopicAnswer = { id: string; success: boolean };

export type ContactTopic = {
  id: string;
  name: string;
  description: string | null;

  /** `opt_out`: all contacts are subscribed until they opt out. `opt_in`: no contact is subscribed until they opt in */
  defaultSubscription: 'opt_in' | 'opt_out';

  /** When the topic was created */
  createdAt: string;

  /** Whether the contact is subscribed to the topic */
  subscribed: boolean;

  /** Null if the contact has not made a choice */
  changedAt: string | null;
};

export type ListContactTopicsAnswer = { items: Array<ContactTopic>; next_cursor: string | null };

export type ChangeContactTopicsBody = { topics: Array<{ id: string; subscribed: boolean }> };

export type ChangeContactTopicsAnswer = { contactId: string };

export type CreateFormBody = {
  name: string;
  contactBookId: string;

  /** `email` is added if it is missing */
  fields?: Array<
    | {
        /** `email`, `firstName`, `lastName` or a variable of the contact book */
        name: string;
        label?: string | null;
        required?: boolean | null;
      }
    | string
  > | null;
  topicIds?: Array<string> | null;

  /** `null` or an empty text restores the default */
  texts?: {
    title?: string | null;
    description?: string | null;
    button?: string | null;
    note?: string | null;
    thankYouTitle?: string | null;
    thankYou?: string | null;
  } | null;

  /** `null` restores the default */
  colors?: {
    background?: string | null;
    text?: string | null;
    button?: string | null;
    buttonText?: string | null;
  } | null;
  redirectUrl?: string | null;
  language?: 'en' | 'de' | 'fr' | 'es' | 'nl' | null;
};

export type Form = {
  id: string;
  name: string;
  contactBookId: string;

  /** The first is always `email`, and required */
  fields: Array<FormField>;

  /** People who sign up are subscribed to these topics */
  topicIds: Array<string>;

  /** Null: the default text in the language of the page */
  texts: {
    title: string | null;
    description: string | null;
    button: string | null;
    note: string | null;
    thankYouTitle: string | null;
    thankYou: string | null;
  };

  /** Null: the default, which follows the light or dark mode of the visitor */
  colors: {
    background: string | null;
    text: string | null;
    button: string | null;
    buttonText: string | null;
  };

  /** Where visitors go after signing up. Null: to a page that says thank you */
  redirectUrl: string | null;

  /** Null: the language that the visitor prefers */
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | null;

  /** The page with the form */
  url: string;

  /** The form as plain HTML, to insert into any site */
  embedHtml: string;

  /** The form with a style, by a script of at most 5 kB that sets no cookies: where the code stands, as a pop-up after a while, or as a bar at the bottom */
  embedScripts: { inline: string; popup: string; bar: string };
  counts: {
    /** How often the page was shown. Forms in other sites are not counted */
    views: number;

    /** People who signed up. People who were already subscribed are not counted */
    signups: number;

    /** How many of them are subscribed: immediately, or after they confirmed if double opt-in is on */
    confirmed: number;
  };
  createdAt: string;
  updatedAt: string;
};

export type FormField = {
  name: string;

  /** Null: the default label in the language of the page */
  label: string | null;
  required: boolean;
};

export type ListFormsAnswer = { items: Array<Form>; next_cursor: string | null };

export type UpdateFormBody = {
  name?: string;
  contactBookId?: string;

  /** `email` is added if it is missing */
  fields?: Array<
    | {
        /** `email`, `firstName`, `lastName` or a variable of the contact book */
        name: string;
        label?: string | null;
        required?: boolean | null;
      }
    | string
  > | null;
  topicIds?: Array<string> | null;

  /** `null` or an empty text restores the default */
  texts?: {
    title?: string | null;
    description?: string | null;
    button?: string | null;
    note?: string | null;
    thankYouTitle?: string | null;
    thankYou?: string | null;
  } | null;

  /** `null` restores the default */
  colors?: {
    background?: string | null;
    text?: string | null;
    button?: string | null;
    buttonText?: string | null;
  } | null;
  redirectUrl?: string | null;
  language?: 'en' | 'de' | 'fr' | 'es' | 'nl' | null;
};

export type DeleteFormAnswer = { id: string; success: boolean };

export type PreviewFormBody = {
  name?: string;
  contactBookId: string;

  /** `email` is added if it is missing */
  fields?: Array<
    | {
        /** `email`, `firstName`, `lastName` or a variable of the contact book */
        name: string;
        label?: string | null;
        required?: boolean | null;
      }
    | string
  > | null;
  topicIds?: Array<string> | null;

  /** `null` or an empty text restores the default */
  texts?: {
    title?: string | null;
    description?: string | null;
    button?: string | null;
    note?: string | null;
    thankYouTitle?: string | null;
    thankYou?: string | null;
  } | null;

  /** `null` restores the default */
  colors?: {
    background?: string | null;
    text?: string | null;
    button?: string | null;
    buttonText?: string | null;
  } | null;
  redirectUrl?: string | null;
  language?: 'en' | 'de' | 'fr' | 'es' | 'nl' | null;
};

export type PreviewFormAnswer = {
  /** The page as an HTML document */
  html: string;
};

export type CreateCampaignBody = {
  name: string;

  /** An address on a verified domain of your team */
  from: string;

  /** Can contain merge tags, such as `{{firstName,fallback=friend}}` */
  subject: string;

  /** Shown after the subject in the inbox */
  previewText?: string | null;

  /** Used instead of `content` if both are sent. At most 5000 links and 1000 merge tags */
  html?: string | null;

  /** The plain text part. By default it is generated from the HTML */
  text?: string | null;
  content?: string | Record<string, unknown> | null;

  /** The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. The property `language` of a contact chooses: that language, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them */
  translations?: Record<
    string,
    {
      subject: string;
      previewText?: string | null;

      /** Used instead of `content` if both are sent */
      html?: string | null;
      content?: string | Record<string, unknown> | null;
    }
  > | null;

  /** MJML instead of `html` and `content`. It is rendered once and stored as HTML. mj-include is rejected */
  mjml?: string | null;

  /** Required without contactBookIds */
  contactBookId?: string | null;

  /** Several contact books. An address that is in more than one book gets one email */
  contactBookIds?: Array<string> | null;

  /** Only contacts that match this segment, in every book. The segment must belong to one of the books */
  segmentId?: string | null;

  /** Excludes contacts that match any of these segments */
  excludeSegmentIds?: Array<string> | null;

  /** Only contacts subscribed to this topic */
  topicId?: string | null;

  /** Excludes contacts who have been sent that campaign by the time this one starts */
  excludeCampaignId?: string | null;

  /** With `excludeCampaignId`: sends only to contacts to whom that campaign was delivered and who have neither opened it nor clicked in it. Opens by bots do not count */
  notOpened?: boolean | null;
  replyTo?: string | Array<string> | null;

  /** Each address gets a copy of every email */
  cc?: string | Array<string> | null;
  bcc?: string | Array<string> | null;

  /** How many recipients are queued at a time; 500 by default */
  batchSize?: number | null;

  /** The maximum number of emails per minute, to warm up a domain. null: no limit */
  ratePerMinute?: number | null;

  /** null: use the setting of the domain */
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;

  /** Shows the email publicly in the archives of its books once it is sent, without the data of any contact; false by default. Only this field can be changed in every state */
  showInArchive?: boolean | null;

  /** An A/B test: what differs in each variant. null: no test */
  variants?: Array<{
    subject?: string | null;

    /** An address on a verified domain of your team */
    from?: string | null;
    previewText?: string | null;

    /** At most 5000 links */
    html?: string | null;
    content?: string | Record<string, unknown> | null;
  }> | null;

  /** The percentage of recipients in the test; 20 by default. All others get the winner */
  testPercent?: number | null;

  /** The variant with the highest rate of opens (the default) or clicks by people wins, which needs tracking. `person`: choose it with `POST /campaigns/{campaignId}/winner` */
  decideBy?: 'opens' | 'clicks' | 'person' | null;

  /** How long after the test was sent the winner is chosen; 240 by default */
  decideAfterMinutes?: number | null;

  /** RFC 3339, or plain English in UTC (`tomorrow 9am`). If absent or up to a minute in the past, the campaign starts now. Times further in the past are rejected */
  scheduledAt?: string | null;

  /** Sends to each recipient when it is this date and time in their time zone, which is the property `timezone` of the contact (an IANA name), or else that of the book. The campaign starts when it is this time in the first time zone of the world (UTC+14). Recipients for whom the time has already passed get the email at the same time on the next day. A time that is skipped when clocks go forward is an hour later; of a time that occurs twice, the second is used. Cannot be combined with `scheduledAt` or an A/B test */
  localTime?: string | null;

  /** Start sending right away */
  sendNow?: boolean | null;
};

export type Campaign = {
  id: string;
  name: string;
  from: string;
  subject: string;
  createdAt: string;
  updatedAt: string;
  status: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'SENT';
  scheduledAt: string | null;

  /** The number of recipients when the campaign started; 0 before that */
  total: number;

  /** The number of recipients with at least one delivery attempt */
  sent: number;
  delivered: number;

  /** Recipients who opened it, without bots */
  opened: number;

  /** Recipients who clicked a link, without bots */
  clicked: number;
  bounced: number;
  complained: number;
  unsubscribed: number;
  rates: CampaignRates;

  /** Whether opens and clicks can be counted, by the campaign or its domain. If not, their rates are 0 and say nothing */
  tracked: { opens: boolean; clicks: boolean };
  contactBookId: string | null;
  topicId: string | null;
  segmentId: string | null;

  /** Why it was paused automatically */
  statusReason: string | null;

  /** Whether it can be updated: it is a DRAFT, or it is SCHEDULED or PAUSED and no recipient has been queued yet */
  editable: boolean;
  previewText: string | null;
  html: string | null;

  /** null: generated from html when the email is sent */
  text: string | null;

  /** The JSON document of the email editor, as a string */
  content: string | null;

  /** The content in further languages, by BCP 47 tag. null: none */
  translations: Record<
    string,
    { subject: string; previewText: string | null; html: string | null; content: string | null }
  > | null;
  contactBookIds: Array<string>;
  excludeSegmentIds: Array<string>;
  excludeCampaignId: string | null;
  notOpened: boolean;
  batchSize: number;

  /** Always 0. The next batch starts as soon as there is room in the queue */
  batchWindowMinutes: number;
  ratePerMinute: number | null;
  tracking: { opens: boolean | null; clicks: boolean | null };
  hardBounced: number;
  replyTo: Array<string>;
  cc: Array<string>;
  bcc: Array<string>;
  startedAt: string | null;
  sentAt: string | null;

  /** The local time at which each recipient gets it. null: everyone gets it at `scheduledAt` */
  localTime: string | null;

  /** Set if each recipient gets it at its best hour */
  bestHour: { withinHours: number; holdoutPercent: number } | null;
  showInArchive: boolean;

  /** When the subject, preview text, content, text or variants were last changed */
  contentSavedAt: string;

  /** null: no A/B test. A field that is null is taken from the campaign */
  variants: Array<{
    subject: string | null;
    from: string | null;
    previewText: string | null;
    html: string | null;
    content: string | null;
  }> | null;
  testPercent: number;
  decideBy: 'opens' | 'clicks' | 'person';
  decideAfterMinutes: number;

  /** When the test had been sent to all of its recipients */
  testSentAt: string | null;

  /** The position of the variant that all others get, from 0 */
  winner: number | null;
  decidedAt: string | null;
};

/** Percentages from 0 to 100; 0 when there is nothing to divide by */
export type CampaignRates = {
  /** Percentage of `sent` */
  deliveryRate: number;

  /** Percentage of `delivered` */
  openRate: number;

  /** Percentage of `delivered` */
  clickRate: number;

  /** Percentage of `opened` */
  clickToOpenRate: number;

  /** Percentage of `sent` */
  bounceRate: number;

  /** Percentage of `delivered` */
  complaintRate: number;

  /** Percentage of `delivered` */
  unsubscribeRate: number;
};

export type CampaignListItem = {
  id: string;
  name: string;
  from: string;
  subject: string;
  createdAt: string;
  updatedAt: string;
  status: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'SENT';
  scheduledAt: string | null;

  /** The number of recipients when the campaign started; 0 before that */
  total: number;

  /** The number of recipients with at least one delivery attempt */
  sent: number;
  delivered: number;

  /** Recipients who opened it, without bots */
  opened: number;

  /** Recipients who clicked a link, without bots */
  clicked: number;
  bounced: number;
  complained: number;
  unsubscribed: number;
  rates: CampaignRates;

  /** Whether opens and clicks can be counted, by the campaign or its domain. If not, their rates are 0 and say nothing */
  tracked: { opens: boolean; clicks: boolean };
  contactBookId: string | null;
  topicId: string | null;
  segmentId: string | null;
};

export type ListCampaignsAnswer = { campaigns: Array<CampaignListItem>; totalPage: number };

export type UpdateCampaignBody = {
  name?: string;

  /** An address on a verified domain of your team */
  from?: string;

  /** Can contain merge tags, such as `{{firstName,fallback=friend}}` */
  subject?: string;

  /** Shown after the subject in the inbox */
  previewText?: string | null;

  /** Used instead of `content` if both are sent. At most 5000 links and 1000 merge tags */
  html?: string | null;

  /** The plain text part. By default it is generated from the HTML */
  text?: string | null;
  content?: string | Record<string, unknown> | null;

  /** The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. The property `language` of a contact chooses: that language, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them */
  translations?: Record<
    string,
    {
      subject: string;
      previewText?: string | null;

      /** Used instead of `content` if both are sent */
      html?: string | null;
      content?: string | Record<string, unknown> | null;
    }
  > | null;

  /** MJML instead of `html` and `content`. It is rendered once and stored as HTML. mj-include is rejected */
  mjml?: string | null;

  /** Required without contactBookIds */
  contactBookId?: string | null;

  /** Several contact books. An address that is in more than one book gets one email */
  contactBookIds?: Array<string> | null;

  /** Only contacts that match this segment, in every book. The segment must belong to one of the books */
  segmentId?: string | null;

  /** Excludes contacts that match any of these segments */
  excludeSegmentIds?: Array<string> | null;

  /** Only contacts subscribed to this topic */
  topicId?: string | null;

  /** Excludes contacts who have been sent that campaign by the time this one starts */
  excludeCampaignId?: string | null;

  /** With `excludeCampaignId`: sends only to contacts to whom that campaign was delivered and who have neither opened it nor clicked in it. Opens by bots do not count */
  notOpened?: boolean | null;
  replyTo?: string | Array<string> | null;

  /** Each address gets a copy of every email */
  cc?: string | Array<string> | null;
  bcc?: string | Array<string> | null;

  /** How many recipients are queued at a time; 500 by default */
  batchSize?: number | null;

  /** The maximum number of emails per minute, to warm up a domain. null: no limit */
  ratePerMinute?: number | null;

  /** null: use the setting of the domain */
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;

  /** Shows the email publicly in the archives of its books once it is sent, without the data of any contact; false by default. Only this field can be changed in every state */
  showInArchive?: boolean | null;

  /** An A/B test: what differs in each variant. null: no test */
  variants?: Array<{
    subject?: string | null;

    /** An address on a verified domain of your team */
    from?: string | null;
    previewText?: string | null;

    /** At most 5000 links */
    html?: string | null;
    content?: string | Record<string, unknown> | null;
  }> | null;

  /** The percentage of recipients in the test; 20 by default. All others get the winner */
  testPercent?: number | null;

  /** The variant with the highest rate of opens (the default) or clicks by people wins, which needs tracking. `person`: choose it with `POST /campaigns/{campaignId}/winner` */
  decideBy?: 'opens' | 'clicks' | 'person' | null;

  /** How long after the test was sent the winner is chosen; 240 by default */
  decideAfterMinutes?: number | null;

  /** The `contentSavedAt` of the content that you edited. If the content has changed in the meantime, the response is 409 and nothing is changed */
  basedOn?: string | null;

  /** Stores the replaced content as a version, even if the last version is recent */
  keepVersion?: boolean | null;
};

export type ScheduleCampaignBody = {
  /** RFC 3339, or plain English in UTC (`tomorrow 9am`). If absent or up to a minute in the past, the campaign starts now. Times further in the past are rejected */
  scheduledAt?: string | null;

  /** Sends to each recipient when it is this date and time in their time zone, which is the property `timezone` of the contact (an IANA name), or else that of the book. The campaign starts when it is this time in the first time zone of the world (UTC+14). Recipients for whom the time has already passed get the email at the same time on the next day. A time that is skipped when clocks go forward is an hour later; of a time that occurs twice, the second is used. Cannot be combined with `scheduledAt` or an A/B test */
  localTime?: string | null;

  /** Each recipient gets it at the hour of the day at which that contact has opened and clicked most, or else at which its book has, within `withinHours` after the start. Opens and clicks by bots do not count. Cannot be combined with `localTime` or an A/B test */
  bestHour?: {
    withinHours?: number;

    /** The percentage of recipients that get it at the start; the report compares them with the others */
    holdoutPercent?: number;
  } | null;

  /** How many recipients are queued at a time; 500 by default */
  batchSize?: number | null;
};

export type ScheduleCampaignAnswer = { success: boolean };

export type UnscheduleCampaignAnswer = { success: boolean };

export type PauseCampaignAnswer = { success: boolean };

export type ResumeCampaignAnswer = { success: boolean };

export type TestCampaignBody = {
  /** If a contact in the book has this address, the email is rendered for that contact */
  to: string | Array<string>;

  /** Which variant of an A/B test, from 0; 0 by default */
  variant?: number | null;

  /** Renders the email as for a contact with this language, instead of the language of the contact */
  language?: string | null;
};

export type TestCampaignAnswer = { success: boolean; emailIds: Array<string> };

export type PreviewCampaignBody = {
  /** Which variant of an A/B test, from 0; 0 by default */
  variant?: number | null;

  /** Renders the email as for a contact with this language, instead of the language of the contact */
  language?: string | null;

  /** The address of a contact in the book. By default the newest contact */
  to?: string | null;
};

export type CampaignPreview = {
  /** The contact it is rendered for */
  to: string;
  subject: string;
  html: string;
  text: string;
};

export type CampaignCheck = {
  /** False if a finding blocks */
  ready: boolean;

  /** Those that block the campaign first, then warnings, then advice */
  findings: Array<CampaignFinding>;
  links: Array<CheckedLink>;

  /** The number of links beyond the first 50 */
  linksLeftOut: number;

  /** The size of the HTML as it is sent, of the largest variant */
  htmlBytes: number;

  /** What a spam filter says: rspamd if there is one, and what your team has taught by moving mail to spam otherwise. Of the worst variant. Null with `links=false`, and if the filter does not answer */
  spam: {
    by: 'rspamd' | 'built-in';
    score: number;

    /** Mail is spam from this score */
    spamFrom: number;
    isSpam: boolean;

    /** Sentences, the weightiest first */
    reasons: Array<string>;
  } | null;

  /** Whether recipients can unsubscribe with one click (RFC 8058), which needs an https URL */
  oneClick: boolean;

  /** How many days sending takes. More than 1 only while an address is warmed up */
  days: number;
  sender: {
    domain: string;

    /** Email is signed for the domain of the sender, and DNS has the key */
    dkimAligned: boolean;

    /** The return path is below the domain of the sender, and SPF passes */
    spfAligned: boolean;
    dmarcRecord: boolean;
  };
  audience: CampaignAudience;
};

export type CampaignFinding = {
  code:
    | 'not_ready'
    | 'no_recipients'
    | 'no_content'
    | 'unknown_tags'
    | 'foreign_tags'
    | 'missing_translations'
    | 'broken_links'
    | 'doubtful_links'
    | 'unchecked_links'
    | 'unusable_links'
    | 'sample_links'
    | 'insecure_links'
    | 'untracked_links'
    | 'links_left_out'
    | 'images_without_text'
    | 'unsupported_html'
    | 'unsupported_css'
    | 'large_style_sheet'
    | 'too_large'
    | 'nearly_too_large'
    | 'long_subject'
    | 'no_preview_text'
    | 'no_unsubscribe_link'
    | 'no_postal_address'
    | 'test_not_tracked'
    | 'not_tracked'
    | 'not_aligned'
    | 'no_dmarc_record'
    | 'warm_up'
    | 'spam_score'
    | 'listed_links'
    | 'mostly_images'
    | 'no_one_click';

  /** `blocks`: the campaign cannot be sent until this is corrected */
  level: 'blocks' | 'warning' | 'advice';
  message: string;

  /** The variant of the A/B test, from 0, if the finding is about only one */
  variant: number | null;

  /** The first 20 URLs, names or pieces of HTML and CSS that the finding is about */
  places: Array<string>;
};

export type CheckedLink = {
  url: string;
  kind: 'link' | 'image';

  /** Whether clicks on it are counted */
  tracked: boolean;

  /** `doubtful`: its server is busy or blocks automated requests. `unchecked`: it has merge tags, it leads to this server or to example.com, there was no time left, or `links` is false */
  state: 'ok' | 'broken' | 'doubtful' | 'unchecked';

  /** The status code of the last response, after redirects */
  statusCode: number | null;

  /** Why it does not work. `redirects`: more than 5, or to something other than http and https. `not_an_image`: the URL of an image returns a page, such as a sign-in page */
  problem:
    | 'timeout'
    | 'dns'
    | 'refused'
    | 'private_address'
    | 'tls'
    | 'reset'
    | 'protocol'
    | 'redirects'
    | 'not_an_image'
    | null;
};

export type CampaignAudience = {
  /** The contacts in all contact books of the campaign */
  contacts: number;

  /** How many would get the campaign if it started now */
  recipients: number;

  /** Each contact counts for the first reason that applies. `duplicate`: also in another book */
  leftOut: Array<{
    reason:
      | 'unsubscribed'
      | 'unconfirmed'
      | 'suppressed'
      | 'not_in_segment'
      | 'in_excluded_segment'
      | 'not_in_topic'
      | 'excluded_by_campaign'
      | 'duplicate';
    count: number;
  }>;
  books: Array<{ id: string; name: string; contacts: number; recipients: number }>;

  /** How many contacts of the books match the segment */
  segment: { id: string; name: string; contacts: number } | null;

  /** How many contacts of the books are subscribed to the topic */
  topic: { id: string; name: string; contacts: number } | null;
};

export type ListCampaignVersionsAnswer = { items: Array<VersionListItem>; next_cursor: string | null };

export type CreateAutomationBody = {
  name: string;

  /** Default: the oldest book of the team */
  contactBookId?: string | null;
  trigger?:
    | {
        event: string;

        /** A filter as in segments. Fields may also be `event.x`, a value of the event, `step.<key>` (with op delivered, opened, clicked or replied) and `step.<key>.x`, a value of a webhook’s response. */
        where?: Record<string, unknown> | null;
      }
    | { segmentId: string }
    | { date: { property: string; offset?: string | null; at: string; yearly?: boolean } }
    | null;
  steps?: Array<unknown>;
  exitOn?: Array<
    | 'replied'
    | 'unsubscribed'
    | {
        event: string;

        /** A filter as in segments. Fields may also be `event.x`, a value of the event, `step.<key>` (with op delivered, opened, clicked or replied) and `step.<key>.x`, a value of a webhook’s response. */
        where?: Record<string, unknown> | null;
      }
  > | null;
  reentry?: 'once' | 'after_end' | 'always' | null;
  timezone?: string | null;

  /** Such as `30 minutes`, `3 days` or `2 weeks`: 1 second to 366 days */
  holdOnAutoReply?: string | null;
  ratePerMinute?: number | null;
};

export type Automation = {
  id: string;
  name: string;
  status: 'DRAFT' | 'ACTIVE' | 'CLOSED' | 'PAUSED';
  contactBookId: string;

  /** 0 before the first activation */
  version: number;

  /** Whether there are changes that are not published */
  hasDraft: boolean;
  createdAt: string;
  updatedAt: string;
  trigger: Record<string, unknown> | null;
  steps: Array<Record<string, unknown>>;
  exitOn: Array<string | Record<string, unknown>>;
  reentry: 'once' | 'after_end' | 'always';
  timezone: string;
  holdOnAutoReply: string;
  ratePerMinute: number | null;
};

export type AutomationListItem = {
  id: string;
  name: string;
  status: 'DRAFT' | 'ACTIVE' | 'CLOSED' | 'PAUSED';
  contactBookId: string;

  /** 0 before the first activation */
  version: number;

  /** Whether there are changes that are not published */
  hasDraft: boolean;
  createdAt: string;
  updatedAt: string;
  trigger: Record<string, unknown> | null;
  steps: Array<Record<string, unknown>>;
  exitOn: Array<string | Record<string, unknown>>;
  reentry: 'once' | 'after_end' | 'always';
  timezone: string;
  holdOnAutoReply: string;
  ratePerMinute: number | null;
  counts: {
    /** Runs ever started */
    started: number;

    /** Runs under way */
    active: number;

    /** Runs that reached the end */
    done: number;

    /** Emails sent */
    emails: number;
  };
};

export type ListAutomationsAnswer = { items: Array<AutomationListItem>; next_cursor: string | null };

export type UpdateAutomationBody = {
  name?: string;
  trigger?:
    | {
        event: string;

        /** A filter as in segments. Fields may also be `event.x`, a value of the event, `step.<key>` (with op delivered, opened, clicked or replied) and `step.<key>.x`, a value of a webhook’s response. */
        where?: Record<string, unknown> | null;
      }
    | { segmentId: string }
    | { date: { property: string; offset?: string | null; at: string; yearly?: boolean } };
  steps?: Array<unknown>;
  exitOn?: Array<
    | 'replied'
    | 'unsubscribed'
    | {
        event: string;

        /** A filter as in segments. Fields may also be `event.x`, a value of the event, `step.<key>` (with op delivered, opened, clicked or replied) and `step.<key>.x`, a value of a webhook’s response. */
        where?: Record<string, unknown> | null;
      }
  >;
  reentry?: 'once' | 'after_end' | 'always';
  timezone?: string;

  /** Such as `30 minutes`, `3 days` or `2 weeks`: 1 second to 366 days */
  holdOnAutoReply?: string;
  ratePerMinute?: number | null;

  /** The `updatedAt` that the change is based on. If someone else has changed the automation since, the answer is 409 */
  basedOn?: string;
};

export type DeleteAutomationAnswer = { id: string; success: boolean };

export type ResumeAutomationBody = { overdue?: 'shift' | 'now' };

export type CheckAutomationAnswer = {
  errors: Array<{
    /** A JSON pointer */
    path: string;
    step: string | null;
    message: string;
  }>;
  warnings: Array<{
    /** A JSON pointer */
    path: string;
    step: string | null;
    message: string;
  }>;
};

export type GetAutomationWebhookSecretAnswer = { secret: string };

export type GetPublishImpactAnswer = {
  /** Runs under way */
  people: number;
  byStep: Array<{
    key: string;
    waiting: number;

    /** With `runs: move` */
    becomes: 'same' | 'moved' | 'ended';
    to: string | null;
  }>;

  /** Emails that leave within 24 hours, as far as delays tell. Where contacts take different ways, the way with the most emails counts */
  emailsNext24Hours: number;
};

export type PublishAutomationBody = { runs?: 'finish' | 'move' | 'end' };

export type ListAutomationVersionsAnswer = {
  items: Array<{
    version: number;
    isLive: boolean;
    createdAt: string;
    createdBy: string;
    trigger: Record<string, unknown> | null;
    steps: Array<Record<string, unknown>>;
  }>;
};

export type AutomationRun = {
  id: string;
  automationId: string;
  version: number;
  contactId: string;

  /** Null if the contact was deleted */
  email: string | null;
  status: 'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED';

  /** Why it ended */
  reason: string | null;

  /** The step that is next */
  step: string | null;

  /** `quiet_hours`, `frequency_cap`, `auto_reply`, `paused`, or what someone has to mend */
  heldBy: string | null;
  dueAt: string | null;
  startedAt: string;
  endedAt: string | null;
};

export type ListAutomationRunsAnswer = { items: Array<AutomationRun>; next_cursor: string | null };

export type ContactAutomationRun = {
  id: string;
  automationId: string;
  version: number;
  contactId: string;

  /** Null if the contact was deleted */
  email: string | null;
  status: 'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED';

  /** Why it ended */
  reason: string | null;

  /** The step that is next */
  step: string | null;

  /** `quiet_hours`, `frequency_cap`, `auto_reply`, `paused`, or what someone has to mend */
  heldBy: string | null;
  dueAt: string | null;
  startedAt: string;
  endedAt: string | null;
  automationName: string;
};

export type ListAutomationRunsOfContactAnswer = {
  items: Array<ContactAutomationRun>;
  next_cursor: string | null;
};

export type AutomationRunDetails = {
  id: string;
  automationId: string;
  version: number;
  contactId: string;

  /** Null if the contact was deleted */
  email: string | null;
  status: 'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED';

  /** Why it ended */
  reason: string | null;

  /** The step that is next */
  step: string | null;

  /** `quiet_hours`, `frequency_cap`, `auto_reply`, `paused`, or what someone has to mend */
  heldBy: string | null;
  dueAt: string | null;
  startedAt: string;
  endedAt: string | null;

  /** The event that started it */
  event: { id: string | null; name: string; data: Record<string, unknown> } | null;
  history: Array<{
    key: string;
    type: string;
    version: number;
    at: string;
    result: string;
    emailId: string | null;
  }>;
};

export type EnrollContactsBody = {
  contactIds?: Array<string> | null;
  segmentId?: string | null;
  contactBookId?: string | null;
  events?: { name: string; from: string; to: string } | null;
  spreadMinutes?: number | null;
  dryRun?: boolean | null;
};

export type EnrollContactsAnswer = { enrolled: number; skipped: Record<string, number> };

export type ExplainAutomationAnswer = { email: string; sentences: Array<string>; runs: Array<AutomationRun> };

export type SimulateAutomationBody = {
  contactId?: string | null;
  email?: string | null;

  /** The data of the event that starts the run, or the event as runs show it: `{name, data}` */
  event?: Record<string, unknown> | null;

  /** The way that is taken out of a step */
  assume?: Record<string, string> | null;
  startAt?: string | null;
};

export type SimulateAutomationAnswer = {
  path: Array<{
    key: string;
    type: string;
    at: string;
    result: string;
    email: { subject: string; html: string; text: string } | null;
  }>;
  end: string;
};

export type AutomationReport = {
  runs: { started: number; active: number; done: number; exited: number; failed: number; cancelled: number };
  exits: Record<string, number>;
  steps: Array<{
    key: string;
    type: string;
    entered: number;
    waiting: number;
    done: number;
    skipped: number;
    failed: number;
    ways: Record<string, number>;
    email: {
      sent: number;
      delivered: number;
      opened: number;
      clicked: number;
      replied: number;
      unsubscribed: number;
      bounced: number;
    } | null;
  }>;
};

export type EventInput = {
  name: string;
  email?: string | null;
  contactId?: string | null;

  /** An address that is not in this book is added to it */
  contactBookId?: string | null;

  /** At most 16 kB as JSON */
  data?: Record<string, unknown> | null;

  /** Default: now */
  occurredAt?: string | null;

  /** Makes the call repeatable: for 30 days, the same ID is recorded once */
  id?: string | null;
};

export type SendEventAnswer = {
  id: string;
  name: string;

  /** Null if no contact has the address */
  contactId: string | null;

  /** True if an event with this ID was recorded before. Nothing happened then */
  duplicate: boolean;
};

export type SendEventsAnswer = {
  data: Array<{
    id: string;
    name: string;

    /** Null if no contact has the address */
    contactId: string | null;

    /** True if an event with this ID was recorded before. Nothing happened then */
    duplicate: boolean;
  }>;
};

export type CustomEvent = {
  id: string;
  name: string;
  contactId: string | null;
  contactBookId: string | null;
  email: string | null;
  data: Record<string, unknown>;
  occurredAt: string;
  createdAt: string;
};

export type ListEventsAnswer = { items: Array<CustomEvent>; next_cursor: string | null };

export type EventDefinition = {
  name: string;
  schema: Record<string, 'string' | 'number' | 'boolean' | 'date'>;
  createdAt: string;
  updatedAt: string;
};

export type ListEventDefinitionsAnswer = { items: Array<EventDefinition> };

export type PutEventDefinitionBody = { schema: Record<string, 'string' | 'number' | 'boolean' | 'date'> };

export type DeleteEventDefinitionAnswer = { name: string; success: boolean };

export type CampaignReport = {
  counts: {
    /** The number of recipients when the campaign started */
    total: number;
    sent: number;
    delivered: number;

    /** Recipients who opened it. A click counts as an open */
    opened: number;

    /** Recipients who clicked a link */
    clicked: number;
    bounced: number;
    hardBounced: number;
    complained: number;

    /** Contacts who unsubscribed by a link in this campaign */
    unsubscribed: number;

    /** Emails that a bot opened, such as a privacy proxy */
    machineOpened: number;

    /** Emails in which a bot followed a link, such as a link scanner */
    machineClicked: number;
  };
  rates: CampaignRates;

  /** The name of the count that each rate is a percentage of */
  rateBases: {
    deliveryRate: 'sent';
    openRate: 'delivered';
    clickRate: 'delivered';
    clickToOpenRate: 'opened';
    bounceRate: 'sent';
    complaintRate: 'delivered';
    unsubscribeRate: 'delivered';
  };

  /** Whether opens and clicks can be counted, by the campaign or its domain. If not, their rates are 0 and say nothing */
  tracked: { opens: boolean; clicks: boolean };

  /** Oldest first, without gaps, from the start of the campaign; empty before it */
  timeline: Array<{
    /** The beginning of the interval */
    at: string;

    /** First opens by people */
    opened: number;

    /** First clicks by people */
    clicked: number;
    unsubscribed: number;
    machineOpened: number;
    machineClicked: number;
  }>;

  /** The length of each interval, in UTC: hours for the first three days, then days, and weeks after a year */
  timelineInterval: 'hour' | 'day' | 'week';

  /** The links that were clicked, most people first. URLs with merge tags are not tracked */
  links: Array<{
    url: string;

    /** Clicks by people */
    clicks: number;

    /** Recipients who clicked it */
    people: number;
    machineClicks: number;
  }>;

  /** The 50 domains with the most recipients, largest first */
  domains: Array<{ domain: string; sent: number; delivered: number; bounced: number; opened: number }>;

  /** All further domains together */
  otherDomains: { domains: number; sent: number; delivered: number; bounced: number; opened: number } | null;

  /** For a campaign with translations, what happened in each language, by the language that contacts have now. Otherwise empty */
  languages: Array<{
    /** The BCP 47 tag of the translation. null: the default content */
    language: string | null;
    sent: number;
    opened: number;
    clicked: number;
    unsubscribed: number;
  }>;

  /** For a campaign with `bestHour`: whether the best hour has helped */
  bestHour: {
    withinHours: number;
    holdoutPercent: number;

    /** Recipients who got it at their best hour */
    best: { sent: number; opened: number; clicked: number; unsubscribed: number };

    /** Recipients who got it at the start */
    holdout: { sent: number; opened: number; clicked: number; unsubscribed: number };
  } | null;

  /** Why emails bounced, most frequent first */
  bounces: Array<{
    reason:
      | 'unknown_address'
      | 'unknown_domain'
      | 'mailbox_full'
      | 'mailbox_disabled'
      | 'blocked'
      | 'too_large'
      | 'content'
      | 'unreachable'
      | 'other';
    count: number;
  }>;

  /** The same by class, which is finer. Bounces from before there were classes count as `other` */
  bounceClasses: Array<{
    class:
      | 'invalid_recipient'
      | 'bad_domain'
      | 'inactive_mailbox'
      | 'quota'
      | 'greylisted'
      | 'rate_limit'
      | 'reputation'
      | 'spam_block'
      | 'policy'
      | 'authentication'
      | 'invalid_sender'
      | 'too_large'
      | 'content'
      | 'tls'
      | 'protocol'
      | 'routing'
      | 'server'
      | 'dns'
      | 'network'
      | 'expired'
      | 'other';
    count: number;
  }>;

  /** The last ten campaigns that started before this one, newest first */
  comparison: {
    campaigns: Array<{
      id: string;
      name: string;
      startedAt: string;
      sent: number;
      rates: CampaignRates;

      /** Whether opens and clicks can be counted, by the campaign or its domain. If not, their rates are 0 and say nothing */
      tracked: { opens: boolean; clicks: boolean };
    }>;

    /** The average of these rates, or null without campaigns. Open and click rates are averaged over campaigns that were tracked, and null if none was */
    average: {
      deliveryRate: number | null;
      openRate: number | null;
      clickRate: number | null;
      clickToOpenRate: number | null;
      bounceRate: number | null;
      complaintRate: number | null;
      unsubscribeRate: number | null;
    } | null;
  };
};

export type CampaignRecipient = {
  email: string;
  contactBookId: string;
  contactId: string;

  /** The furthest state. A recipient who clicked has also opened, and so on */
  state:
    | 'waiting'
    | 'sent'
    | 'delivered'
    | 'opened'
    | 'clicked'
    | 'bounced'
    | 'complained'
    | 'unsubscribed'
    | 'skipped';

  /** Why the recipient was skipped, or why the email bounced */
  reason:
    | 'unsubscribed'
    | 'suppressed'
    | 'deleted'
    | 'left_topic'
    | 'dropped'
    | 'unknown_address'
    | 'unknown_domain'
    | 'mailbox_full'
    | 'mailbox_disabled'
    | 'blocked'
    | 'too_large'
    | 'content'
    | 'unreachable'
    | 'other'
    | null;

  /** The class of the bounce */
  class:
    | 'invalid_recipient'
    | 'bad_domain'
    | 'inactive_mailbox'
    | 'quota'
    | 'greylisted'
    | 'rate_limit'
    | 'reputation'
    | 'spam_block'
    | 'policy'
    | 'authentication'
    | 'invalid_sender'
    | 'too_large'
    | 'content'
    | 'tls'
    | 'protocol'
    | 'routing'
    | 'server'
    | 'dns'
    | 'network'
    | 'expired'
    | 'other'
    | null;
  emailId: string | null;

  /** The status of the email */
  status: string | null;

  /** When a person first opened it */
  openedAt: string | null;

  /** When a person first clicked a link in it */
  clickedAt: string | null;

  /** The variant of an A/B test, from 0 */
  variant: number | null;

  /** When it is the `localTime` of the campaign in the time zone of the recipient. null without `localTime` */
  dueAt: string | null;
};

export type ListCampaignRecipientsAnswer = { items: Array<CampaignRecipient>; next_cursor: string | null };

export type CreateFeedBody = {
  /** RSS 2, Atom or JSON Feed, at most 2 MB, at a public address */
  url: string;
  contactBookId: string;

  /** The content. `{% for item in feed.items %}` has `title`, `url`, `summary`, `image` and `date` */
  templateId: string;

  /** An address on a verified domain of your team */
  from: string;

  /** `each`: a campaign for each new item. `digest`: one for all new items, by `schedule` */
  mode?: 'each' | 'digest';

  /** The times at which campaigns are made from the new items. Required for digests. Without it, each new item becomes a campaign when it is found */
  schedule?: {
    /** From 1 for Monday to 7 for Sunday. null: every day */
    weekdays?: Array<number> | null;
    at: string;

    /** The IANA time zone of `at` */
    timezone: string;
  } | null;

  /** 1 by default */
  minItems?: number;

  /** 10 by default */
  maxItems?: number;

  /** true by default: a person looks at each campaign and sends it */
  review?: boolean;
};

export type Feed = {
  id: string;
  url: string;

  /** The title that the feed gives itself */
  title: string | null;
  contactBookId: string;
  templateId: string;
  from: string;

  /** `each`: a campaign for each new item. `digest`: one for all new items, by `schedule` */
  mode: 'each' | 'digest';

  /** The times at which campaigns are made from the new items. Required for digests. Without it, each new item becomes a campaign when it is found */
  schedule: { weekdays: Array<number> | null; at: string; timezone: string } | null;

  /** With fewer new items than this, a digest waits for the next time */
  minItems: number;

  /** The most items of a digest, which are the latest; and the most campaigns that are made at a time */
  maxItems: number;

  /** true: campaigns are made as drafts. false: they are sent */
  review: boolean;
  status: 'ACTIVE' | 'PAUSED';
  lastCheckedAt: string | null;

  /** The next time of the schedule */
  nextIssueAt: string | null;

  /** New items that wait for their campaign */
  waiting: number;

  /** Why the feed cannot be read, or why no campaign could be made */
  error: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ListFeedsAnswer = { items: Array<Feed>; next_cursor: string | null };

export type UpdateFeedBody = {
  /** RSS 2, Atom or JSON Feed, at most 2 MB, at a public address */
  url?: string;
  contactBookId?: string;

  /** The content. `{% for item in feed.items %}` has `title`, `url`, `summary`, `image` and `date` */
  templateId?: string;

  /** An address on a verified domain of your team */
  from?: string;

  /** `each`: a campaign for each new item. `digest`: one for all new items, by `schedule` */
  mode?: 'each' | 'digest';

  /** The times at which campaigns are made from the new items. Required for digests. Without it, each new item becomes a campaign when it is found */
  schedule?: {
    /** From 1 for Monday to 7 for Sunday. null: every day */
    weekdays?: Array<number> | null;
    at: string;

    /** The IANA time zone of `at` */
    timezone: string;
  } | null;

  /** 1 by default */
  minItems?: number;

  /** 10 by default */
  maxItems?: number;

  /** true by default: a person looks at each campaign and sends it */
  review?: boolean;

  /** `PAUSED`: the feed is not read. What appears meanwhile counts as new */
  status?: 'ACTIVE' | 'PAUSED';
};

export type DeleteFeedAnswer = { id: string; success: boolean };

export type CheckFeedAnswer = {
  feed: Feed;

  /** Items that were not known before. At the first look none is new */
  newItems: number;

  /** Campaigns that were made by this look */
  campaignIds: Array<string>;
};

export type CampaignVariantResults = {
  variants: Array<{
    variant: number;
    subject: string;

    /** How many recipients got it or will get it, as far as known */
    recipients: number;
    sent: number;
    delivered: number;

    /** Emails that people opened */
    opened: number;

    /** Emails with a link that people clicked */
    clicked: number;
  }>;
  winner: number | null;
  testSentAt: string | null;

  /** When the winner will be chosen, if it has not been chosen yet */
  decideAt: string | null;
};

export type ChooseCampaignWinnerBody = {
  /** The position of the variant, from 0 */
  variant: number;
};

export type ChooseCampaignWinnerAnswer = { success: boolean };

export type AddSuppressionBody = { email: string };

export type Suppression = {
  id: string;
  email: string;

  /** `ERASED`: the person was erased with `DELETE /contacts` */
  reason: 'HARD_BOUNCE' | 'COMPLAINT' | 'MANUAL' | 'ERASED';
  createdAt: string;
};

export type ListSuppressionsAnswer = { items: Array<Suppression>; next_cursor: string | null };

export type RemoveSuppressionAnswer = { id: string; success: boolean };

export type QueuedDelivery = {
  /** The ID of the email and the number of the recipient */
  id: string;
  teamId: number;
  emailId: string;
  campaignId: string | null;
  from: string;
  subject: string;
  recipient: string;

  /** `waiting`: it is tried at `nextAttemptAt`. `sending`: a worker has claimed it. `held`: it is not tried until it is released. `paused`: its campaign is paused */
  state: 'waiting' | 'sending' | 'held' | 'paused';
  attempts: number;

  /** When the email was accepted */
  queuedAt: string;
  lastAttemptAt: string | null;

  /** The reply of the server, or why there was none */
  lastError: string | null;

  /** The class of that failure */
  lastClass:
    | 'invalid_recipient'
    | 'bad_domain'
    | 'inactive_mailbox'
    | 'quota'
    | 'greylisted'
    | 'rate_limit'
    | 'reputation'
    | 'spam_block'
    | 'policy'
    | 'authentication'
    | 'invalid_sender'
    | 'too_large'
    | 'content'
    | 'tls'
    | 'protocol'
    | 'routing'
    | 'server'
    | 'dns'
    | 'network'
    | 'expired'
    | 'other'
    | null;
  nextAttemptAt: string | null;
};

export type ListQueueAnswer = { items: Array<QueuedDelivery>; next_cursor: string | null };

export type CountQueueAnswer = {
  /** All deliveries that match, the held ones included */
  total: number;
  held: number;
};

export type QueuedDeliveryWithEvents = {
  /** The ID of the email and the number of the recipient */
  id: string;
  teamId: number;
  emailId: string;
  campaignId: string | null;
  from: string;
  subject: string;
  recipient: string;

  /** `waiting`: it is tried at `nextAttemptAt`. `sending`: a worker has claimed it. `held`: it is not tried until it is released. `paused`: its campaign is paused */
  state: 'waiting' | 'sending' | 'held' | 'paused';
  attempts: number;

  /** When the email was accepted */
  queuedAt: string;
  lastAttemptAt: string | null;

  /** The reply of the server, or why there was none */
  lastError: string | null;

  /** The class of that failure */
  lastClass:
    | 'invalid_recipient'
    | 'bad_domain'
    | 'inactive_mailbox'
    | 'quota'
    | 'greylisted'
    | 'rate_limit'
    | 'reputation'
    | 'spam_block'
    | 'policy'
    | 'authentication'
    | 'invalid_sender'
    | 'too_large'
    | 'content'
    | 'tls'
    | 'protocol'
    | 'routing'
    | 'server'
    | 'dns'
    | 'network'
    | 'expired'
    | 'other'
    | null;
  nextAttemptAt: string | null;
  events: Array<{ status: string; recipient: string | null; createdAt: string; data: unknown | null }>;
};

export type RetryQueueBody = {
  /** IDs of deliveries, or IDs of emails to select all their deliveries */
  deliveryIds?: Array<string>;

  /** The domain of the recipient */
  domain?: string;
  campaignId?: string;
  held?: boolean;

  /** Required if there is no other filter */
  all?: true;

  /** The `next_cursor` of the previous response */
  cursor?: string;
};

export type RetryQueueAnswer = {
  /** How many deliveries were changed */
  changed: number;

  /** How many were not changed because a worker is sending them */
  busy: number;

  /** Set when there may be more. Send the same request again with it as `cursor` */
  next_cursor: string | null;
};

export type HoldQueueBody = {
  /** IDs of deliveries, or IDs of emails to select all their deliveries */
  deliveryIds?: Array<string>;

  /** The domain of the recipient */
  domain?: string;
  campaignId?: string;
  held?: boolean;

  /** Required if there is no other filter */
  all?: true;

  /** The `next_cursor` of the previous response */
  cursor?: string;
};

export type HoldQueueAnswer = {
  /** How many deliveries were changed */
  changed: number;

  /** How many were not changed because a worker is sending them */
  busy: number;

  /** Set when there may be more. Send the same request again with it as `cursor` */
  next_cursor: string | null;
};

export type ReleaseQueueBody = {
  /** IDs of deliveries, or IDs of emails to select all their deliveries */
  deliveryIds?: Array<string>;

  /** The domain of the recipient */
  domain?: string;
  campaignId?: string;
  held?: boolean;

  /** Required if there is no other filter */
  all?: true;

  /** The `next_cursor` of the previous response */
  cursor?: string;
};

export type ReleaseQueueAnswer = {
  /** How many deliveries were changed */
  changed: number;

  /** How many were not changed because a worker is sending them */
  busy: number;

  /** Set when there may be more. Send the same request again with it as `cursor` */
  next_cursor: string | null;
};

export type DropQueueBody = {
  /** IDs of deliveries, or IDs of emails to select all their deliveries */
  deliveryIds?: Array<string>;

  /** The domain of the recipient */
  domain?: string;
  campaignId?: string;
  held?: boolean;

  /** Required if there is no other filter */
  all?: true;

  /** The `next_cursor` of the previous response */
  cursor?: string;
};

export type DropQueueAnswer = {
  /** How many deliveries were changed */
  changed: number;

  /** How many were not changed because a worker is sending them */
  busy: number;

  /** Set when there may be more. Send the same request again with it as `cursor` */
  next_cursor: string | null;
};

export type SandboxMessage = {
  id: string;
  emailId: string;

  /** The envelope sender (return path) */
  mailFrom: string;
  recipient: string;
  subject: string;

  /** The full message with its DKIM signature. Null with `source=false` */
  raw: string | null;
  createdAt: string;
};

export type ListSandboxMessagesAnswer = { items: Array<SandboxMessage>; next_cursor: string | null };

export type GetReputationMetricsAnswer = {
  delivered: number;
  hardBounced: number;
  complained: number;

  /** In percent: hard bounces divided by delivered emails plus hard bounces */
  bounceRate: number;

  /** In percent: complaints divided by delivered emails */
  complaintRate: number;
};

export type CreateMailboxBody = {
  /** An address on a verified domain of your team */
  address: string;
  name?: string | null;
  undo_seconds?: number;
  catch_all?: boolean;

  /** `listed`: only the person who creates it has access at first. Default: `team` */
  access?: 'team' | 'listed';
};

export type Mailbox = {
  id: string;
  address: string;

  /** Shown to recipients next to the address */
  name: string | null;

  /** How long a sent message is held so that it can be undone */
  undo_seconds: number;

  /** Whether it also receives messages to addresses of its domain that have no mailbox */
  catch_all: boolean;

  /** `team`: open to everyone in the team. `listed`: only to the people in its access list */
  access: 'team' | 'listed';

  /** What the caller may do in it. Null for owners and admins who are not in its access list */
  role: 'read' | 'draft' | 'reply' | 'manage' | null;

  /** What assistants are told about the mailbox, by MCP and by the inboxes of the Resend API. Posthorn runs no model itself. */
  assistant: {
    /** What to know and how to answer */
    instructions: string | null;
    tone: 'concise_professional' | 'concise_casual' | 'expanded_professional' | 'expanded_casual' | null;

    /** What it is meant to do. What it may do is decided by its key */
    actions: Array<
      | 'draft_reply'
      | 'forward_thread'
      | 'add_labels'
      | 'assign_thread'
      | 'mark_as_spam'
      | 'archive'
      | 'move_to_trash'
    >;
  } | null;
  created_at: string;
};

export type ListMailboxesAnswer = { items: Array<Mailbox>; next_cursor: string | null };

export type UpdateMailboxBody = {
  name?: string | null;
  undo_seconds?: number;
  catch_all?: boolean;

  /** What assistants are told about the mailbox, by MCP and by the inboxes of the Resend API. Posthorn runs no model itself. */
  assistant?: {
    /** What to know and how to answer */
    instructions: string | null;
    tone: 'concise_professional' | 'concise_casual' | 'expanded_professional' | 'expanded_casual' | null;

    /** What it is meant to do. What it may do is decided by its key */
    actions: Array<
      | 'draft_reply'
      | 'forward_thread'
      | 'add_labels'
      | 'assign_thread'
      | 'mark_as_spam'
      | 'archive'
      | 'move_to_trash'
    >;
  } | null;
};

export type DeleteMailboxAnswer = { id: string; success: boolean };

export type MailboxAddress = {
  id: string;
  address: string;

  /** Shown to recipients next to the address. Null: the name of the mailbox */
  name: string | null;
  created_at: string;
};

export type ListMailboxAddressesAnswer = { items: Array<MailboxAddress> };

export type AddMailboxAddressBody = {
  /** An address on a verified domain of your team */
  address: string;
  name?: string | null;
};

export type RenameMailboxAddressBody = { name: string | null };

export type RemoveMailboxAddressAnswer = { id: string; success: boolean };

export type Signature = {
  id: string;
  name: string;

  /** Sanitized exactly as in webmail */
  html: string;

  /** The only person who uses it. Null: everyone */
  user_id: string | null;

  /** The only further address that it is for. Null: all addresses of the mailbox */
  address_id: string | null;

  /** Whether it is used without being chosen */
  is_default: boolean;
};

export type ListSignaturesAnswer = { items: Array<Signature> };

export type CreateSignatureBody = {
  name: string;

  /** Sanitized before it is stored */
  html: string;
  user_id?: string | null;
  address_id?: string | null;
  is_default?: boolean;
};

export type UpdateSignatureBody = {
  name?: string;

  /** Sanitized before it is stored */
  html?: string;
  user_id?: string | null;
  address_id?: string | null;
  is_default?: boolean;
};

export type DeleteSignatureAnswer = { id: string; success: boolean };

export type BlockedSender = {
  id: string;

  /** An address, or @ and a domain */
  entry: string;
  action: 'spam' | 'reject';
  created_at: string;
};

export type ListBlocksAnswer = { items: Array<BlockedSender> };

export type BlockSenderBody = {
  /** An address or a domain */
  entry: string;

  /** `spam` moves messages of the sender to spam. `reject` rejects them with 550 at RCPT if the envelope names the sender; a message that has the sender only in From goes to spam. */
  action?: 'spam' | 'reject';
};

export type UnblockSenderAnswer = { id: string; success: boolean };

export type Rule = {
  id: string;
  name: string;
  enabled: boolean;

  /** Rules act in this order. The first has 1 */
  position: number;
  match: 'all' | 'any';

  /** Without conditions the rule matches every message */
  conditions: Array<{
    /** `from`, `to`, `cc`, `delivered_to` (the recipient of the envelope), `subject`, `body`, `header:` and a name, `list_id`, `attachment` (a file name), `size` (bytes), `authentication` (`pass`, `fail` or `none`), `spam`, `first_contact` (true or false) or `segment` (the ID of a segment that the sender is in) */
    field: string;

    /** `matches` takes `*` and `?`. Case does not matter */
    op:
      | 'is'
      | 'is_not'
      | 'contains'
      | 'not_contains'
      | 'starts_with'
      | 'ends_with'
      | 'matches'
      | 'exists'
      | 'greater'
      | 'less';

    /** `exists` takes true (default) or false */
    value: string | number | boolean | null;
  }>;
  actions: Array<unknown>;

  /** Whether later rules are left out if this one matches */
  stop: boolean;

  /** Why the rule was switched off by itself, for example because a folder is gone */
  disabled_reason: string | null;

  /** What the rule did last */
  last_run: { at: string; message_id: string | null; error: string | null } | null;
  created_at: string;
  updated_at: string;
};

export type ListRulesAnswer = { items: Array<Rule> };

export type CreateRuleBody = {
  name: string;
  enabled?: boolean;

  /** Default: after all others */
  position?: number;
  match?: 'all' | 'any';

  /** Without conditions the rule matches every message */
  conditions?: Array<{
    /** `from`, `to`, `cc`, `delivered_to` (the recipient of the envelope), `subject`, `body`, `header:` and a name, `list_id`, `attachment` (a file name), `size` (bytes), `authentication` (`pass`, `fail` or `none`), `spam`, `first_contact` (true or false) or `segment` (the ID of a segment that the sender is in) */
    field: string;

    /** `matches` takes `*` and `?`. Case does not matter */
    op:
      | 'is'
      | 'is_not'
      | 'contains'
      | 'not_contains'
      | 'starts_with'
      | 'ends_with'
      | 'matches'
      | 'exists'
      | 'greater'
      | 'less';

    /** `exists` takes true (default) or false */
    value?: string | number | boolean | null;
  }>;
  actions: Array<unknown>;

  /** Whether later rules are left out if this one matches */
  stop?: boolean;
};

export type UpdateRuleBody = {
  name?: string;
  enabled?: boolean;

  /** Rules act in this order. The first has 1 */
  position?: number;
  match?: 'all' | 'any';

  /** Without conditions the rule matches every message */
  conditions?: Array<{
    /** `from`, `to`, `cc`, `delivered_to` (the recipient of the envelope), `subject`, `body`, `header:` and a name, `list_id`, `attachment` (a file name), `size` (bytes), `authentication` (`pass`, `fail` or `none`), `spam`, `first_contact` (true or false) or `segment` (the ID of a segment that the sender is in) */
    field: string;

    /** `matches` takes `*` and `?`. Case does not matter */
    op:
      | 'is'
      | 'is_not'
      | 'contains'
      | 'not_contains'
      | 'starts_with'
      | 'ends_with'
      | 'matches'
      | 'exists'
      | 'greater'
      | 'less';

    /** `exists` takes true (default) or false */
    value?: string | number | boolean | null;
  }>;
  actions?: Array<unknown>;

  /** Whether later rules are left out if this one matches */
  stop?: boolean;
};

export type DeleteRuleAnswer = { id: string; success: boolean };

export type PreviewRuleBody = { days?: number };

export type MatchedMessage = {
  id: string;
  thread_id: string;
  from: string;
  subject: string;
  folder: string;
  created_at: string;
};

export type PreviewRuleAnswer = {
  /** Messages that the rule matches */
  count: number;

  /** Messages that were looked at, the newest 5,000 at most */
  examined: number;
  messages: Array<MatchedMessage>;
};

export type RuleApplication = {
  status: 'running' | 'done' | 'failed';
  examined: number;
  matched: number;
  started_at: string;
  ended_at: string | null;
};

export type GetSieveScriptAnswer = {
  /** A Sieve script (RFC 5228) */
  script: string;
};

export type PutSieveScriptBody = {
  /** A Sieve script (RFC 5228) */
  script: string;
};

export type PutSieveScriptAnswer = {
  /** Rules that the mailbox now has */
  rules: number;
};

export type MailboxAccess = {
  /** `team`: everyone in the team may read and reply. `listed`: only the people in the list have access */
  mode: 'team' | 'listed';
  people: Array<{
    user_id: string;
    name: string | null;
    email: string;

    /** `read`: read, write notes, assign. `draft`: also write drafts. `reply`: also send, move and delete. `manage`: also change rules and access */
    role: 'read' | 'draft' | 'reply' | 'manage';
  }>;
};

export type ChangeMailboxAccessBody = {
  /** `team`: everyone in the team may read and reply. `listed`: only the people in the list have access */
  mode: 'team' | 'listed';
  people?: Array<{
    user_id: string;

    /** `read`: read, write notes, assign. `draft`: also write drafts. `reply`: also send, move and delete. `manage`: also change rules and access */
    role: 'read' | 'draft' | 'reply' | 'manage';
  }>;
};

export type AutomaticReply = {
  enabled: boolean;

  /** Mail that arrives earlier gets no reply */
  from: string | null;

  /** Mail that arrives at this time or later gets no reply */
  until: string | null;

  /** Null: `Auto:` and the subject of the message */
  subject: string | null;
  text: string | null;
  html: string | null;
};

export type UpdateAutomaticReplyBody = {
  enabled?: boolean;
  from?: string | null;
  until?: string | null;
  subject?: string | null;
  text?: string | null;
  html?: string | null;
};

export type SendMessageBody = {
  /** An address of the mailbox. By default a reply comes from the address that the message was sent to, and other messages from the first address */
  from?: string | null;
  to: Array<string>;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;

  /** Required without a thread_id */
  subject?: string | null;

  /** Sanitized before it is stored and sent. At most 5000 links */
  html?: string | null;
  text?: string | null;
  attachments?: Array<{
    filename: string;

    /** Base64 */
    content: string;

    /** Also read as contentType */
    content_type?: string | null;

    /** For an image that the HTML refers to with a cid: URL. Also read as contentId */
    content_id?: string | null;
  }> | null;

  /** The thread to reply to */
  thread_id?: string | null;

  /** The draft to send. The message keeps its ID and files */
  draft_id?: string | null;

  /** For messages created from saved replies. `refuse` returns 400 if subject, html or text still contains a merge tag such as `{{firstName}}`. By default such tags are sent as written. */
  unfilled_tags?: 'keep' | 'refuse' | null;

  /** A saved reply of the mailbox. Its files are sent with the message, and its actions are done */
  saved_reply_id?: string | null;

  /** Whether the default signature is put below the text */
  signature?: boolean | null;

  /** The send time, from one minute to one year from now */
  send_at?: string | null;

  /** How long the message is held for undo if there is no send_at. By default the setting of the mailbox */
  undo_seconds?: number | null;

  /** When the thread comes back to the inbox if nobody has answered by then, from one minute to one year from now */
  remind_at?: string | null;

  /** The newest message of the thread that the writer saw. If the thread has a newer one, the response is 409 THREAD_CHANGED with the IDs in `newMessages` */
  seen_message_id?: string | null;

  /** Whether sending is cancelled if someone replies in the thread first */
  cancel_if_replied?: boolean | null;
};

export type AcceptedMessage = {
  id: string;
  thread_id: string;
  status: 'waiting';
  subject: string;
  to: Array<string>;
  send_at: string;
  created_at: string;
};

export type HeldMessage = {
  id: string;
  thread_id: string;

  /** It waits for the approval of a person */
  status: 'held';
  subject: string;
  to: Array<string>;
  send_at: null;
  created_at: string;
  approval_id: string;
  policy: PolicyReason;
};

export type BlockedMessage = {
  /** The draft, which stays as it is. Otherwise nothing is stored under this ID */
  id: string;
  thread_id: string;

  /** It is neither stored nor sent */
  status: 'blocked';
  subject: string;
  to: Array<string>;
  send_at: null;
  created_at: string;
  policy: PolicyReason;
};

export type WaitingMessage = {
  id: string;
  thread_id: string;
  subject: string;
  to: Array<string>;
  send_at: string;
  created_at: string;
};

export type ListWaitingMessagesAnswer = { items: Array<WaitingMessage> };

export type RescheduleMessageBody = {
  /** From one minute to one year from now */
  send_at: string;
};

export type RescheduleMessageAnswer = { id: string; send_at: string };

export type SendWaitingMessageNowAnswer = { id: string; send_at: string };

export type TakeBackMessageAnswer = { id: string; success: boolean };

export type CreateDraftBody = {
  to?: Array<string> | null;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  subject?: string | null;

  /** At most 5000 links */
  html?: string | null;
  text?: string | null;
  attachments?: Array<{
    filename: string;

    /** Base64 */
    content: string;

    /** Also read as contentType */
    content_type?: string | null;

    /** For an image that the HTML refers to with a cid: URL. Also read as contentId */
    content_id?: string | null;
  }> | null;
  thread_id?: string | null;
};

export type Message = {
  id: string;
  thread_id: string;
  direction: 'in' | 'out';
  status: 'received' | 'draft' | 'waiting' | 'sent' | 'bounced';

  /** The author. Empty if a received message does not name one */
  from: string;
  to: Array<string>;
  cc: Array<string>;
  bcc: Array<string>;
  reply_to: Array<string>;

  /** The address that the envelope of a received message named. Replies come from it */
  delivered_to: string | null;

  /** The person who wrote the draft or sent the message here. A draft belongs to that person */
  author: MailboxActor | null;
  subject: string;

  /** Cleaned */
  html: string | null;

  /** The HTML with its own style sheet, classes and background images, cleaned. Show it only in a sandboxed frame without scripts. Null if `html` alone looks the same */
  display_html: string | null;
  text: string | null;

  /** Whether `html` and `text` were left out because the response would be too large. Use `GET /messages/{id}` to get them */
  body_omitted: boolean;
  read: boolean;
  starred: boolean;

  /** Whether someone has replied to it */
  answered: boolean;

  /** Sorted. IMAP shows them as keywords */
  labels: Array<string>;

  /** `inbox`, `archive`, `sent`, `drafts`, `spam`, `trash`, or the ID of another folder */
  folder: string;
  attachments: Array<MessageAttachment>;

  /** The `Message-ID` header */
  message_id: string | null;

  /** The results of the sender checks of a received message */
  authentication: { spf: string; dkim: string; dmarc: string; arc: string } | null;

  /** What the spam filter said when the message arrived. Null if it was not checked */
  spam: {
    score: number;

    /** Sentences, the weightiest first */
    reasons: Array<string>;

    /** The findings of rspamd. Empty for the built-in filter */
    symbols: Array<{ name: string; score: number }>;
  } | null;

  /** How to leave the mailing list. Null unless a passing DKIM signature covers the fields that say so */
  unsubscribe: Unsubscribe | null;

  /** The invitation in the message */
  invitation: EventInvitation | null;

  /** Whether the mailbox had never had mail from or to the author before. Null where it is not looked up, such as in lists */
  first_contact: boolean | null;

  /** Reasons to be careful. Empty for most messages */
  warnings: Array<MessageWarning>;

  /** The send time of a waiting message */
  send_at: string | null;

  /** Whether sending is cancelled if a recipient replies first, for a waiting message */
  cancel_if_replied: boolean;
  created_at: string;
};

export type MailboxActor = {
  /** Null for an API key, a rule or an automation */
  user_id: string | null;
  name: string | null;
};

export type MessageAttachment = {
  /** The number in the path `/v1/messages/{id}/attachments/{n}` */
  n: number;
  filename: string | null;
  content_type: string;
  size: number;
  inline: boolean;

  /** The ID that the HTML uses in a `cid:` URL */
  content_id: string | null;
};

export type Unsubscribe = {
  /** Whether `POST /messages/{id}/unsubscribe` is enough (RFC 8058) */
  one_click: boolean;
  url: string | null;
  mailto: string | null;
};

export type EventInvitation = {
  /** As in RFC 5546, for example REQUEST, CANCEL or REPLY */
  method: string;
  uid: string;
  sequence: number;
  summary: string;
  location: string;
  start: string | null;
  end: string | null;
  all_day: boolean;

  /** The RRULE of a series (RFC 5545) */
  recurrence: string | null;

  /** For one date of a series: when it was to begin. It can be answered by itself */
  occurrence: string | null;

  /** Dates of the series that the organiser has changed or cancelled, in the order of time */
  exceptions: Array<{
    /** When the date was to begin */
    occurrence: string;
    start: string | null;
    end: string | null;
    status: 'moved' | 'cancelled';
  }>;
  organizer: { name: string | null; email: string } | null;
  attendees: Array<{
    name: string | null;
    email: string;

    /** For example accepted or needs-action */
    status: string;
    optional: boolean;
  }>;

  /** confirmed, tentative or cancelled. Later updates of the organiser show on the first message */
  status: string;

  /** What the mailbox answered */
  answer: 'accepted' | 'tentative' | 'declined' | null;

  /** Whether the organiser sent the message. Updates and cancellations of anyone else change nothing */
  trusted: boolean;
};

export type MessageWarning = {
  /** `unverified`: the checks of the sender failed. `look_alike`: the domain looks like the one in `value`. `reply_to`: a reply goes to the stranger in `value`. `new_in_thread`: a stranger has joined the conversation */
  kind: 'unverified' | 'look_alike' | 'reply_to' | 'new_in_thread';
  value: string | null;
};

export type ListDraftsAnswer = { items: Array<Message>; next_cursor: string | null };

export type UpdateDraftBody = {
  to?: Array<string> | null;
  cc?: Array<string> | null;
  bcc?: Array<string> | null;
  subject?: string | null;

  /** At most 5000 links */
  html?: string | null;
  text?: string | null;
  attachments?: Array<{
    filename: string;

    /** Base64 */
    content: string;

    /** Also read as contentType */
    content_type?: string | null;

    /** For an image that the HTML refers to with a cid: URL. Also read as contentId */
    content_id?: string | null;
  }> | null;

  /** The created_at of the draft that you loaded. If the draft was saved since then, the response is 409 and nothing changes */
  if_unchanged_since?: string | null;
};

export type DeleteDraftAnswer = { id: string; success: boolean };

export type AddDraftAttachmentBody = {
  filename: string;

  /** Base64 */
  content: string;

  /** Also read as contentType */
  content_type?: string | null;

  /** For an image that the HTML refers to with a cid: URL. Also read as contentId */
  content_id?: string | null;
};

export type SendDraftBody = {
  /** A saved reply of the mailbox. Its files are sent with the message, and its actions are done */
  saved_reply_id?: string | null;

  /** The send time, from one minute to one year from now */
  send_at?: string | null;

  /** How long the message is held for undo if there is no send_at. By default the setting of the mailbox */
  undo_seconds?: number | null;

  /** When the thread comes back to the inbox if nobody has answered by then, from one minute to one year from now */
  remind_at?: string | null;

  /** The newest message of the thread that the writer saw. If the thread has a newer one, the response is 409 THREAD_CHANGED with the IDs in `newMessages` */
  seen_message_id?: string | null;

  /** Whether sending is cancelled if someone replies in the thread first */
  cancel_if_replied?: boolean | null;
};

export type FolderCount = {
  /** The same as `id` */
  folder: string;

  /** Threads with unread messages, or messages in a folder of your own */
  unread: number;

  /** Threads, or messages for the views and in a folder of your own */
  total: number;
  id: string;

  /** With a slash between the levels */
  name: string;

  /** What the folder is for. Null for a folder of your own */
  role: 'inbox' | 'archive' | 'sent' | 'drafts' | 'spam' | 'trash' | 'snoozed' | 'scheduled' | null;
};

export type ListFoldersAnswer = { items: Array<FolderCount> };

export type CreateFolderBody = {
  /** With a slash between the levels. Missing levels are created as well */
  name: string;
};

export type Folder = {
  id: string;

  /** With a slash between the levels */
  name: string;

  /** What the folder is for. Null for a folder of your own */
  role: 'inbox' | 'archive' | 'sent' | 'drafts' | 'spam' | 'trash' | 'snoozed' | 'scheduled' | null;
  messages: number;
  unread_messages: number;

  /** Of all messages, in bytes */
  size: number;
};

export type RenameFolderBody = {
  /** With a slash between the levels. Missing levels are created as well */
  name: string;
};

export type DeleteFolderAnswer = { id: string; success: boolean };

export type Thread = {
  id: string;
  mailbox_id: string;
  subject: string;

  /** `inbox` if a message is there, otherwise the folder of the newest message outside of sent, drafts, spam and trash. `sent` if the thread has only sent messages that nobody has replied to or moved, `drafts` if it has only drafts */
  folder: string;

  /** Whether a received message is unread */
  unread: boolean;

  /** Whether a message is starred */
  starred: boolean;

  /** Whether new messages of the thread skip the inbox */
  muted: boolean;
  message_count: number;

  /** Everyone except the mailbox itself */
  participants: Array<string>;
  snippet: string;
  last_message_at: string;

  /** The keywords of the labels of all its messages, sorted */
  labels: Array<string>;

  /** Whether a message has files that are not shown inside it */
  has_attachment: boolean;

  /** Who is to answer */
  assignee: ThreadAssignee | null;

  /** When it comes back, if it is snoozed for everyone or for you */
  snoozed_until: string | null;
  note_count: number;

  /** When it comes back to the inbox if nobody has answered by then */
  reminder_at: string | null;

  /** The time of the first received message that nobody has answered. Null in archive, trash and spam */
  waiting_since: string | null;

  /** Who else has the thread open */
  present: Array<PresentPerson>;
};

export type ThreadAssignee = { user_id: string; name: string };

export type PresentPerson = { user_id: string; name: string; state: 'viewing' | 'replying' };

export type ListThreadsAnswer = { items: Array<Thread>; next_cursor: string | null };

export type UpdateThreadsBody = {
  ids: Array<string>;
  read?: boolean;
  folder?: string;

  /** Stars the newest message, or removes the stars from all messages */
  starred?: boolean;
};

export type UpdateThreadsAnswer = {
  /** Whether all threads were found */
  success: boolean;

  /** IDs that are not threads of this mailbox */
  not_found: Array<string>;
};

export type DeleteThreadsBody = { ids: Array<string> };

export type DeleteThreadsAnswer = {
  /** Whether all threads were found */
  success: boolean;

  /** IDs that are not in the trash of this mailbox */
  not_found: Array<string>;
};

export type EmptyTrashAnswer = {
  /** Threads */
  deleted: number;

  /** Threads that are still in the trash */
  left: number;
};

export type PersonToWriteTo = { name: string | null; address: string };

export type FindPeopleAnswer = { items: Array<PersonToWriteTo> };

export type ThreadWithMessages = {
  id: string;
  mailbox_id: string;
  subject: string;

  /** `inbox` if a message is there, otherwise the folder of the newest message outside of sent, drafts, spam and trash. `sent` if the thread has only sent messages that nobody has replied to or moved, `drafts` if it has only drafts */
  folder: string;

  /** Whether a received message is unread */
  unread: boolean;

  /** Whether a message is starred */
  starred: boolean;

  /** Whether new messages of the thread skip the inbox */
  muted: boolean;
  message_count: number;

  /** Everyone except the mailbox itself */
  participants: Array<string>;
  snippet: string;
  last_message_at: string;

  /** The keywords of the labels of all its messages, sorted */
  labels: Array<string>;

  /** Whether a message has files that are not shown inside it */
  has_attachment: boolean;

  /** Who is to answer */
  assignee: ThreadAssignee | null;

  /** When it comes back, if it is snoozed for everyone or for you */
  snoozed_until: string | null;
  note_count: number;

  /** When it comes back to the inbox if nobody has answered by then */
  reminder_at: string | null;

  /** The time of the first received message that nobody has answered. Null in archive, trash and spam */
  waiting_since: string | null;

  /** Who else has the thread open */
  present: Array<PresentPerson>;

  /** Oldest first */
  messages: Array<Message>;
};

export type UpdateThreadBody = {
  read?: boolean;
  folder?: string;

  /** Stars the newest message, or removes the stars from all messages */
  starred?: boolean;
};

export type UpdateThreadAnswer = { success: boolean };

export type DeleteThreadAnswer = { id: string; success: boolean };

export type UpdateMessageBody = {
  read?: boolean;
  starred?: boolean;
  answered?: boolean;
  folder?: string;

  /** Replaces all labels */
  labels?: Array<string>;
};

export type MessageDisplay = {
  id: string;

  /** Sanitized, with the style sheet of the message. Images in the message itself are included as `data:` URLs. Show it only in a sandboxed frame without scripts */
  html: string | null;
  text: string | null;

  /** The number of blocked remote images */
  held_images: number;
};

export type MergeThreadsBody = {
  /** Threads of the same mailbox */
  from: Array<string>;
};

export type UndoMergeAnswer = {
  success: boolean;

  /** The thread that was kept, then those that exist again */
  thread_ids: Array<string>;
};

export type AssignThreadBody = {
  /** A person with access to the mailbox, or null for nobody */
  user_id: string | null;

  /** The user_id of the assignee that you saw, or null. If it is someone else now, the response is 409 */
  if_assignee?: string | null;
};

export type ThreadActivity = {
  id: string;

  /** For example `assigned`, `unassigned`, `snoozed`, `returned`, `labelled`, `moved`, `noted`, `sent`, `answered` (a message sent as a reply), `merged`, `split`, `rule`, `reminder` or `draft_taken` */
  type: string;
  actor: MailboxActor;

  /** `user:usr_…`, `key_…`, `rule:rul_…` or a part of the server */
  by: string;

  /** Details that depend on the type */
  data: Record<string, unknown>;
  at: string;
};

export type ListThreadActivityAnswer = { items: Array<ThreadActivity>; next_cursor: string | null };

export type SetPresenceBody = { state: 'viewing' | 'replying' };

export type SetPresenceAnswer = {
  /** Who else has the thread open */
  present: Array<PresentPerson>;
};

export type CreateNoteBody = {
  /** Cleaned before it is stored. The limit also applies to the result */
  html: string;

  /** People with access to the mailbox */
  mentions?: Array<string>;
};

export type ThreadNote = {
  id: string;
  thread_id: string;
  author: MailboxActor;

  /** Cleaned */
  html: string;

  /** The IDs of the people who are mentioned */
  mentions: Array<string>;
  created_at: string;
  updated_at: string;
};

export type ListNotesAnswer = { items: Array<ThreadNote>; next_cursor: string | null };

export type UpdateNoteBody = {
  /** Cleaned before it is stored. The limit also applies to the result */
  html?: string;

  /** People with access to the mailbox */
  mentions?: Array<string>;
};

export type DeleteNoteAnswer = { id: string; success: boolean };

export type MailboxLabel = {
  id: string;
  name: string;

  /** As `#rrggbb` */
  color: string;

  /** The IMAP keyword, which messages have in `labels`. It stays when the name changes */
  keyword: string;
  created_at: string;
};

export type ListLabelsAnswer = { items: Array<MailboxLabel> };

export type CreateLabelBody = {
  name: string;

  /** By default one is chosen */
  color?: string | null;
};

export type UpdateLabelBody = { name?: string; color?: string };

export type DeleteLabelAnswer = { id: string; success: boolean };

export type SetThreadLabelsBody = {
  /** IDs or keywords. They replace the labels of all messages of the thread */
  labels: Array<string>;
};

export type SnoozeThreadBody = {
  /** When the thread comes back, from one minute to one year from now */
  until: string;

  /** What brings it back: the time, a reply, or the first of both */
  wake?: 'time_or_reply' | 'time_only' | 'reply_only';

  /** `all` moves the messages to the snoozed folder. `me` hides the thread from your lists alone */
  for?: 'all' | 'me';
};

export type AnswerInvitationBody = { answer: 'accepted' | 'tentative' | 'declined'; comment?: string | null };

export type LeaveListAnswer = {
  /** `one_click`: the URL of the list is called. `mailto`: an email is sent to the list */
  method: 'one_click' | 'mailto';
};

export type PersonProfile = {
  email: string;

  /** Names in mail and contact books, the latest first */
  names: Array<string>;

  /** What the team has written down about the person */
  notes: string;
  contacts: Array<{
    id: string;
    contact_book_id: string;
    contact_book: string;
    first_name: string | null;
    last_name: string | null;
    subscribed: boolean;
    properties: Record<string, unknown>;
  }>;

  /** The latest conversations in mailboxes that you may read */
  threads: Array<{ id: string; mailbox_id: string; subject: string; last_message_at: string }>;
  campaigns: Array<{ id: string; name: string; sent_at: string; opened: boolean; clicked: boolean }>;
  automations: Array<{ id: string; name: string; status: string; started_at: string }>;

  /** Whether a mailbox that you may read has blocked the person */
  blocked: boolean;

  /** The IDs of mailboxes that have blocked the person */
  blocked_in: Array<string>;
};

export type UpdatePersonBody = {
  /** Plain text. Empty removes the notes */
  notes: string;
};

export type MailboxReport = {
  /** Received messages, without spam */
  received: number;

  /** Sent messages. Waiting ones do not count */
  sent: number;

  /** Conversations with a received message that was answered after it */
  answered: number;

  /** Conversations in the inbox, or snoozed, whose last message waits for an answer */
  open: number;

  /** How long conversations waited: from the first message that was received in these days to the first answer after it. Null if nothing was answered */
  first_answer: { median_minutes: number | null; p90_minutes: number | null };

  /** Who sent the most comes first */
  by_person: Array<{
    /** Null for messages of API keys and email apps, and for people who were deleted */
    user_id: string | null;
    name: string | null;
    sent: number;

    /** Conversations whose first answer the person wrote */
    answered: number;
    median_minutes: number | null;
  }>;

  /** All days, oldest first */
  by_day: Array<{
    /** A day, as 2026-11-15 */
    date: string;
    received: number;
    sent: number;

    /** On the day on which the conversation began to wait */
    answered: number;
  }>;
};

export type GetPushKeyAnswer = {
  /** For applicationServerKey of PushManager.subscribe(), in base64url */
  public_key: string;
};

export type PushSubscription = { id: string; endpoint: string; created_at: string };

export type ListPushSubscriptionsAnswer = { items: Array<PushSubscription> };

/** As PushSubscription.toJSON() of the browser has it */
export type CreatePushSubscriptionBody = {
  /** The URL of the push service. It must be a public https address */
  endpoint: string;
  keys: {
    /** The public key of the browser */
    p256dh: string;
    auth: string;
  };
};

export type DeletePushSubscriptionAnswer = { id: string; success: boolean };

export type NotificationSettings = {
  /** Conversations that someone assigns to you */
  assigned: boolean;

  /** Notes that mention you */
  mentions: boolean;

  /** Conversations that come back by a reminder of yours */
  reminders: boolean;

  /** Every new message of these mailboxes, but not spam */
  mailboxes: Array<string>;

  /** An email is sent for what is still unread after so many minutes. Null: none */
  email_after_minutes: number | null;

  /** Notifications wait until the end of these hours */
  quiet_hours: { from: string; to: string; timezone: string } | null;

  /** Whether pushes and emails have the sender, the subject and the beginning of the message */
  include_text: boolean;
};

/** Replaces all settings. What is left out gets its default */
export type ReplaceNotificationSettingsBody = {
  /** Conversations that someone assigns to you */
  assigned?: boolean;

  /** Notes that mention you */
  mentions?: boolean;

  /** Conversations that come back by a reminder of yours */
  reminders?: boolean;

  /** Every new message of these mailboxes, but not spam */
  mailboxes?: Array<string>;

  /** An email is sent for what is still unread after so many minutes. Null: none */
  email_after_minutes?: number | null;

  /** Notifications wait until the end of these hours */
  quiet_hours?: { from: string; to: string; timezone: string } | null;

  /** Whether pushes and emails have the sender, the subject and the beginning of the message */
  include_text?: boolean;
};

export type SavedReply = {
  id: string;
  name: string;

  /** Sanitized exactly as in webmail */
  html: string;
  updated_at: string;

  /** The heading under which webmail lists it */
  folder: string | null;

  /** Done to the thread when the reply is sent */
  actions: Array<unknown>;

  /** Sent with the reply */
  attachments: Array<{
    n: number;
    filename: string | null;
    content_type: string;
    content_id: string | null;

    /** In bytes */
    size: number;
  }>;
};

export type ListSavedRepliesAnswer = { items: Array<SavedReply> };

export type CreateSavedReplyBody = {
  name: string;

  /** Sanitized before it is stored. The limit also applies to the result */
  html: string;
  folder?: string | null;

  /** Done to the thread when the reply is sent */
  actions?: Array<unknown>;
};

export type UpdateSavedReplyBody = {
  name?: string;

  /** Sanitized before it is stored. The limit also applies to the result */
  html?: string;
  folder?: string | null;

  /** Done to the thread when the reply is sent */
  actions?: Array<unknown>;
};

export type DeleteSavedReplyAnswer = { id: string; success: boolean };

export type AddSavedReplyAttachmentBody = {
  filename: string;

  /** Base64 */
  content: string;

  /** Also read as contentType */
  content_type?: string | null;

  /** For an image that the HTML refers to with a cid: URL. Also read as contentId */
  content_id?: string | null;
};

export type FillSavedReplyBody = {
  /** The recipient */
  to: string;
};

export type FillSavedReplyAnswer = {
  html: string;

  /** Merge tags without a value for this recipient and without a fallback. They stay in the HTML */
  unfilled: Array<string>;

  /** Unfilled merge tags that are not a field, variable or property of any contact */
  unknown: Array<string>;

  /** Done to the thread when the reply is sent */
  actions: Array<unknown>;

  /** Sent with the reply */
  attachments: Array<{
    n: number;
    filename: string | null;
    content_type: string;
    content_id: string | null;

    /** In bytes */
    size: number;
  }>;
};

export type FillMessageBody = {
  /** The recipient */
  to: string;

  /** The HTML to fill in. It is neither sanitized nor stored */
  html: string;
};

export type FillMessageAnswer = {
  html: string;

  /** Merge tags without a value for this recipient and without a fallback. They stay in the HTML */
  unfilled: Array<string>;

  /** Unfilled merge tags that are not a field, variable or property of any contact */
  unknown: Array<string>;
};

export type CreateAppPasswordBody = {
  /** The device or app that will use it */
  name: string;
};

export type CreatedAppPassword = {
  id: string;
  name: string;

  /** The password. Returned only here */
  password: string;
  created_at: string;
};

export type AppPassword = {
  id: string;
  name: string;

  /** The email address of its owner, or null if an API key created it */
  person: string | null;
  created_at: string;

  /** When an app last logged in with it */
  last_used_at: string | null;

  /** The IP address of that app */
  last_used_from: string | null;
};

export type ListAppPasswordsAnswer = { items: Array<AppPassword> };

export type RevokeAppPasswordAnswer = { id: string; success: boolean };

export type MailSettings = {
  /** The user name in all apps */
  user: string;

  /** The servers to read mail from, the preferred one first */
  imap: Array<{ host: string; port: number; security: 'TLS' | 'STARTTLS' }>;

  /** The servers to send mail through, the preferred one first */
  smtp: Array<{ host: string; port: number; security: 'TLS' | 'STARTTLS' }>;

  /** The URL for apps that use JMAP */
  jmap: string;
};

export type CreateWebhookBody = {
  url: string;
  events: Array<string>;
  description?: string | null;

  /** The shape of the payload: our own, or that of another vendor, with its signature. Requests in every format also have the headers of Standard Webhooks */
  format?: 'posthorn' | 'resend' | 'mailgun' | 'postmark' | 'sendgrid';
};

export type WebhookWithSecret = {
  id: string;
  url: string;

  /** The beginning of `url`, without its query and without parts of its path that may be secret */
  shownUrl: string;
  events: Array<string>;
  description: string | null;

  /** The shape of the payload: our own, or that of another vendor, with its signature. Requests in every format also have the headers of Standard Webhooks */
  format: 'posthorn' | 'resend' | 'mailgun' | 'postmark' | 'sendgrid';

  /** With the format `sendgrid`, the key that verifies `X-Twilio-Email-Event-Webhook-Signature`, in base64; otherwise null. Rotating the secret changes it */
  publicKey: string | null;

  /** Events are queued while the webhook is `paused`. A `disabled` webhook receives no events */
  status: 'active' | 'paused' | 'disabled';

  /** `failures`: 30 deliveries in a row failed over at least a day. `gone`: the endpoint returned 410 */
  pausedReason: 'by_hand' | 'failures' | 'gone' | null;

  /** What is wrong, as a sentence for people */
  notice: string | null;

  /** How many deliveries in a row have failed */
  failures: number;
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;

  /** The signing secret. Returned only here */
  secret: string;
};

export type Webhook = {
  id: string;
  url: string;

  /** The beginning of `url`, without its query and without parts of its path that may be secret */
  shownUrl: string;
  events: Array<string>;
  description: string | null;

  /** The shape of the payload: our own, or that of another vendor, with its signature. Requests in every format also have the headers of Standard Webhooks */
  format: 'posthorn' | 'resend' | 'mailgun' | 'postmark' | 'sendgrid';

  /** With the format `sendgrid`, the key that verifies `X-Twilio-Email-Event-Webhook-Signature`, in base64; otherwise null. Rotating the secret changes it */
  publicKey: string | null;

  /** Events are queued while the webhook is `paused`. A `disabled` webhook receives no events */
  status: 'active' | 'paused' | 'disabled';

  /** `failures`: 30 deliveries in a row failed over at least a day. `gone`: the endpoint returned 410 */
  pausedReason: 'by_hand' | 'failures' | 'gone' | null;

  /** What is wrong, as a sentence for people */
  notice: string | null;

  /** How many deliveries in a row have failed */
  failures: number;
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ListWebhooksAnswer = { items: Array<Webhook>; next_cursor: string | null };

export type ListEventTypesAnswer = {
  items: Array<{
    type: string;
    description: string;

    /** The fields of `data` */
    fields: Array<{ name: string; description: string }>;
    example: { type: string; timestamp: string; data: Record<string, unknown> };
  }>;
};

export type UpdateWebhookBody = {
  url?: string;
  events?: Array<string>;
  description?: string | null;

  /** The shape of the payload: our own, or that of another vendor, with its signature. Requests in every format also have the headers of Standard Webhooks */
  format?: 'posthorn' | 'resend' | 'mailgun' | 'postmark' | 'sendgrid';

  /** `active` also enables a disabled webhook */
  status?: 'active' | 'paused';
};

export type DeleteWebhookAnswer = { id: string; success: boolean };

export type WebhookCall = {
  id: string;
  webhookId: string;

  /** The `webhook-id` header. The same in every attempt and replay */
  eventId: string;
  type: string;
  status: 'waiting' | 'succeeded' | 'failed';
  attemptCount: number;
  nextAttemptAt: string | null;
  lastAttempt: WebhookAttempt | null;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
  createdAt: string;
};

export type WebhookAttempt = {
  no: number;
  at: string;
  durationMs: number;
  statusCode: number | null;

  /** The first 2 kB of the response */
  answer: string | null;

  /** Null if the attempt succeeded */
  error:
    | 'timeout'
    | 'dns'
    | 'refused'
    | 'private_address'
    | 'tls'
    | 'reset'
    | 'protocol'
    | 'redirect'
    | 'http_error'
    | 'internal'
    | null;
};

export type ListWebhookCallsAnswer = { items: Array<WebhookCall>; next_cursor: string | null };

export type WebhookCallWithAttempts = {
  id: string;
  webhookId: string;

  /** The `webhook-id` header. The same in every attempt and replay */
  eventId: string;
  type: string;
  status: 'waiting' | 'succeeded' | 'failed';
  attemptCount: number;
  nextAttemptAt: string | null;
  lastAttempt: WebhookAttempt | null;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
  createdAt: string;

  /** Oldest first */
  attempts: Array<WebhookAttempt>;
};

export type ReplayFailedWebhookCallsBody = {
  /** Only deliveries that were first due at or after this time */
  since: string;
};

export type ReplayFailedWebhookCallsAnswer = { count: number };

export type Team = {
  id: number;
  name: string;

  /** How many days the content of emails is kept. null: the setting of the server */
  emailContentDays: number | null;

  /** How many days sandbox messages are kept */
  sandboxDays: number | null;

  /** How many days events are kept */
  eventDays: number | null;

  /** At most this many campaigns and marketing emails of automations in so many hours for each address. An email of an automation waits until it may go. null: no limit */
  frequencyCap: { count: number; hours: number } | null;

  /** The settings of the server. A team can only keep data for a shorter time. null: forever */
  retentionLimits: { emailContentDays: number | null; sandboxDays: number; eventDays: number };

  /** How much the team stores. Over the limit, new data is rejected until something is deleted */
  storage: {
    /** What the last count found, and the sizes of what was added since then */
    usedBytes: number;

    /** null: no limit */
    limitBytes: number | null;

    /** null: not counted yet. Without a limit nothing is counted */
    countedAt: string | null;
  };
  createdAt: string;
  updatedAt: string;
};

export type UpdateTeamBody = {
  name?: string;
  emailContentDays?: number | null;
  sandboxDays?: number | null;
  eventDays?: number | null;

  /** At most this many campaigns and marketing emails of automations in so many hours for each address. An email of an automation waits until it may go. null: no limit */
  frequencyCap?: { count: number; hours: number } | null;
};

export type Brand = {
  /** The URL of an image, for example of one in the media library */
  logoUrl: string | null;

  /** Around the content */
  backgroundColor: string | null;

  /** Behind the text */
  contentColor: string | null;
  textColor: string | null;
  linkColor: string | null;
  buttonColor: string | null;
  fontFamily: 'sans' | 'system' | 'verdana' | 'trebuchet' | 'serif' | 'mono' | null;
  footerText: string | null;
  postalAddress: string | null;

  /** Null if the team has no brand yet */
  updatedAt: string | null;
};

export type UpdateBrandBody = {
  /** The URL of an image, for example of one in the media library */
  logoUrl?: string | null;

  /** Around the content */
  backgroundColor?: string | null;

  /** Behind the text */
  contentColor?: string | null;
  textColor?: string | null;
  linkColor?: string | null;
  buttonColor?: string | null;
  fontFamily?: 'sans' | 'system' | 'verdana' | 'trebuchet' | 'serif' | 'mono' | null;
  footerText?: string | null;
  postalAddress?: string | null;
};

export type Notice = {
  kind:
    | 'campaign'
    | 'import'
    | 'confirmations'
    | 'verification'
    | 'webhook'
    | 'relay'
    | 'disk'
    | 'storage'
    | 'base-url'
    | 'brake'
    | 'approvals'
    | 'link-host'
    | 'certificate'
    | 'blocklist'
    | 'rule'
    | 'automation';

  /** The ID of the campaign, automation, import, domain, webhook or mailbox (of a rule); null for other kinds */
  id: string | null;

  /** The contact book of the import; null for other kinds */
  contactBookId: string | null;

  /** When it last made progress, or began to fail */
  since: string;
  message: string;
};

export type ListNoticesAnswer = { items: Array<Notice> };

export type InstanceInfo = {
  /** True if no email leaves the server (`MAIL_TRANSPORT=sandbox`) */
  sandbox: boolean;
};

export type CreateApiKeyBody = {
  name: string;

  /** Required without scopes */
  permission?: 'full' | 'sending' | null;

  /** Instead of a permission */
  scopes?: Array<
    | 'mail.read'
    | 'mail.labels'
    | 'mail.draft'
    | 'mail.reply'
    | 'mail.send'
    | 'mail.delete'
    | 'notes.read'
    | 'notes.write'
    | 'contacts.read'
    | 'contacts.write'
    | 'campaigns.read'
    | 'campaigns.write'
    | 'campaigns.send'
    | 'automations.read'
    | 'automations.write'
    | 'templates.read'
    | 'templates.write'
    | 'domains.read'
    | 'analytics.read'
    | 'events.write'
    | 'emails.send'
    | 'webhooks.manage'
    | 'keys.manage'
    | 'audit.read'
  > | null;

  /** The same as domainIds with one domain */
  domainId?: number | null;

  /** By default application */
  kind?: 'application' | 'agent' | null;

  /** Limits the key to these mailboxes. Not for a sending key */
  mailboxIds?: Array<string> | null;
  domainIds?: Array<number> | null;
  contactBookIds?: Array<string> | null;
  allowedIps?: Array<string> | null;

  /** The send policy of the key. An agent needs one */
  policyId?: string | null;
  expiresAt?: string | null;
};

export type CreatedApiKey = {
  id: string;
  name: string;

  /** Null for a key with scopes */
  permission: 'full' | 'sending' | null;

  /** What the key may do, if it has no permission */
  scopes: Array<
    | 'mail.read'
    | 'mail.labels'
    | 'mail.draft'
    | 'mail.reply'
    | 'mail.send'
    | 'mail.delete'
    | 'notes.read'
    | 'notes.write'
    | 'contacts.read'
    | 'contacts.write'
    | 'campaigns.read'
    | 'campaigns.write'
    | 'campaigns.send'
    | 'automations.read'
    | 'automations.write'
    | 'templates.read'
    | 'templates.write'
    | 'domains.read'
    | 'analytics.read'
    | 'events.write'
    | 'emails.send'
    | 'webhooks.manage'
    | 'keys.manage'
    | 'audit.read'
  > | null;

  /** The only domain that the key is limited to */
  domainId: number | null;

  /** The domains that the key is limited to, or null for all */
  domainIds: Array<number> | null;

  /** The mailboxes that the key is limited to, or null */
  mailboxIds: Array<string> | null;

  /** The contact books that the key is limited to */
  contactBookIds: Array<string> | null;

  /** An agent is software that decides by itself */
  kind: 'application' | 'agent';

  /** The send policy that every email of the key must pass */
  policyId: string | null;

  /** The application that a person has connected by OAuth, for which this key stands */
  client: string | null;

  /** The addresses and networks that the key works from */
  allowedIps: Array<string> | null;

  /** The first characters of the key, for identification */
  keyStart: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;

  /** The API key. Returned only here */
  key: string;
};

export type ApiKey = {
  id: string;
  name: string;

  /** Null for a key with scopes */
  permission: 'full' | 'sending' | null;

  /** What the key may do, if it has no permission */
  scopes: Array<
    | 'mail.read'
    | 'mail.labels'
    | 'mail.draft'
    | 'mail.reply'
    | 'mail.send'
    | 'mail.delete'
    | 'notes.read'
    | 'notes.write'
    | 'contacts.read'
    | 'contacts.write'
    | 'campaigns.read'
    | 'campaigns.write'
    | 'campaigns.send'
    | 'automations.read'
    | 'automations.write'
    | 'templates.read'
    | 'templates.write'
    | 'domains.read'
    | 'analytics.read'
    | 'events.write'
    | 'emails.send'
    | 'webhooks.manage'
    | 'keys.manage'
    | 'audit.read'
  > | null;

  /** The only domain that the key is limited to */
  domainId: number | null;

  /** The domains that the key is limited to, or null for all */
  domainIds: Array<number> | null;

  /** The mailboxes that the key is limited to, or null */
  mailboxIds: Array<string> | null;

  /** The contact books that the key is limited to */
  contactBookIds: Array<string> | null;

  /** An agent is software that decides by itself */
  kind: 'application' | 'agent';

  /** The send policy that every email of the key must pass */
  policyId: string | null;

  /** The application that a person has connected by OAuth, for which this key stands */
  client: string | null;

  /** The addresses and networks that the key works from */
  allowedIps: Array<string> | null;

  /** The first characters of the key, for identification */
  keyStart: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
};

export type ListApiKeysAnswer = { items: Array<ApiKey>; next_cursor: string | null };

export type UpdateApiKeyBody = {
  name?: string;

  /** Only for a key with scopes */
  scopes?: Array<
    | 'mail.read'
    | 'mail.labels'
    | 'mail.draft'
    | 'mail.reply'
    | 'mail.send'
    | 'mail.delete'
    | 'notes.read'
    | 'notes.write'
    | 'contacts.read'
    | 'contacts.write'
    | 'campaigns.read'
    | 'campaigns.write'
    | 'campaigns.send'
    | 'automations.read'
    | 'automations.write'
    | 'templates.read'
    | 'templates.write'
    | 'domains.read'
    | 'analytics.read'
    | 'events.write'
    | 'emails.send'
    | 'webhooks.manage'
    | 'keys.manage'
    | 'audit.read'
  >;

  /** Limits the key to these mailboxes. Not for a sending key */
  mailboxIds?: Array<string> | null;
  domainIds?: Array<number> | null;
  contactBookIds?: Array<string> | null;
  allowedIps?: Array<string> | null;

  /** The send policy of the key. An agent needs one */
  policyId?: string | null;
  expiresAt?: string | null;
};

export type RotateApiKeyBody = {
  /** How long the key before this one still works */
  overlapHours?: number;
};

export type RevokeApiKeyAnswer = { id: string; success: boolean };

export type CreateSendPolicyBody = {
  name: string;

  /** `draft_only`: sends nothing. `approve_all`: a person approves every email. `approve_new`: a person approves emails to people whom the mailbox has neither written to nor heard from. `free`: sends within the other rules */
  mode: 'draft_only' | 'approve_all' | 'approve_new' | 'free';
  recipients?: {
    /** Addresses and domains. If there are any, or any books, no one else gets mail, except people in the thread */
    allow?: Array<string>;

    /** Addresses and domains that never get mail. An address counts with any tag: `ada+tag@example.com` */
    deny?: Array<string>;

    /** Whether people in the thread of a reply are allowed */
    threadParticipants?: boolean;

    /** Subscribed contacts of these books are allowed */
    contactBookIds?: Array<string>;
  };

  /** The most addresses of one email. Null: no limit */
  maxRecipients?: number | null;

  /** The most emails that a key submits in an hour */
  maxPerHour?: number | null;

  /** The most emails that a key submits in 24 hours */
  maxPerDay?: number | null;

  /** The most addresses in 24 hours that a key has not written to before */
  maxNewRecipientsPerDay?: number | null;
  links?: 'any' | 'none' | Array<string>;
  attachments?: 'any' | 'none' | 'from_thread';
  bcc?: boolean;

  /** `strict`: a key that has read what an outsider wrote sends for 24 hours only into that thread, to people who were in it, without links and files that did not come from you. Anything else waits for approval */
  taint?: 'strict' | 'off';
};

export type SendPolicy = {
  id: string;
  name: string;

  /** `draft_only`: sends nothing. `approve_all`: a person approves every email. `approve_new`: a person approves emails to people whom the mailbox has neither written to nor heard from. `free`: sends within the other rules */
  mode: 'draft_only' | 'approve_all' | 'approve_new' | 'free';
  recipients: {
    allow: Array<string>;
    deny: Array<string>;
    threadParticipants: boolean;
    contactBookIds: Array<string>;
  };

  /** The most addresses of one email. Null: no limit */
  maxRecipients: number | null;

  /** The most emails that a key submits in an hour */
  maxPerHour: number | null;

  /** The most emails that a key submits in 24 hours */
  maxPerDay: number | null;

  /** The most addresses in 24 hours that a key has not written to before */
  maxNewRecipientsPerDay: number | null;

  /** Where links may lead */
  links: 'any' | 'none' | Array<string>;

  /** `from_thread`: only files that are in the thread of a reply */
  attachments: 'any' | 'none' | 'from_thread';

  /** Whether emails may have recipients that no header shows */
  bcc: boolean;

  /** `strict`: a key that has read what an outsider wrote sends for 24 hours only into that thread, to people who were in it, without links and files that did not come from you. Anything else waits for approval */
  taint: 'strict' | 'off';
  createdAt: string;
  updatedAt: string;
};

export type ListSendPoliciesAnswer = { items: Array<SendPolicy>; next_cursor: string | null };

export type UpdateSendPolicyBody = {
  name?: string;

  /** `draft_only`: sends nothing. `approve_all`: a person approves every email. `approve_new`: a person approves emails to people whom the mailbox has neither written to nor heard from. `free`: sends within the other rules */
  mode?: 'draft_only' | 'approve_all' | 'approve_new' | 'free';

  /** Lists that are not given stay as they are */
  recipients?: {
    /** Addresses and domains. If there are any, or any books, no one else gets mail, except people in the thread */
    allow?: Array<string>;

    /** Addresses and domains that never get mail. An address counts with any tag: `ada+tag@example.com` */
    deny?: Array<string>;

    /** Whether people in the thread of a reply are allowed */
    threadParticipants?: boolean;

    /** Subscribed contacts of these books are allowed */
    contactBookIds?: Array<string>;
  };

  /** The most addresses of one email. Null: no limit */
  maxRecipients?: number | null;

  /** The most emails that a key submits in an hour */
  maxPerHour?: number | null;

  /** The most emails that a key submits in 24 hours */
  maxPerDay?: number | null;

  /** The most addresses in 24 hours that a key has not written to before */
  maxNewRecipientsPerDay?: number | null;
  links?: 'any' | 'none' | Array<string>;
  attachments?: 'any' | 'none' | 'from_thread';
  bcc?: boolean;

  /** `strict`: a key that has read what an outsider wrote sends for 24 hours only into that thread, to people who were in it, without links and files that did not come from you. Anything else waits for approval */
  taint?: 'strict' | 'off';
};

export type DeleteSendPolicyAnswer = { id: string; success: boolean };

export type ApprovalItem = {
  id: string;

  /** The API key that wrote the email */
  by: string;

  /** The name of the key */
  byName: string;
  emailId: string;

  /** The mailbox that it is from. People who may reply there decide */
  mailboxId: string | null;

  /** The thread that it replies to */
  threadId: string | null;

  /** The rule of the send policy that demands the approval, and why */
  why: { rule: string; sentence: string };

  /** Messages, threads and contacts that outsiders wrote and the key had read in the 24 hours before */
  taintedBy: Array<string>;

  /** The first 4,000 characters of what the email says, without what it quotes from its thread. Null once the content was deleted */
  newText: string | null;

  /** Approve with this hash. It stands for the recipients and every byte */
  hash: string;
  state: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn';

  /** Why it was rejected */
  reason: string | null;
  decidedBy: string | null;
  decidedAt: string | null;

  /** When it leaves after the approval. Null: immediately */
  sendAt: string | null;
  createdAt: string;
  expiresAt: string;
  message: { from: string; to: Array<string>; cc: Array<string>; bcc: Array<string>; subject: string };
};

export type ListApprovalsAnswer = { items: Array<ApprovalItem>; next_cursor: string | null };

export type CountApprovalsAnswer = {
  pending: number;

  /** Whether there are any, in any state */
  any: boolean;
};

export type Approval = {
  id: string;

  /** The API key that wrote the email */
  by: string;

  /** The name of the key */
  byName: string;
  emailId: string;

  /** The mailbox that it is from. People who may reply there decide */
  mailboxId: string | null;

  /** The thread that it replies to */
  threadId: string | null;

  /** The rule of the send policy that demands the approval, and why */
  why: { rule: string; sentence: string };

  /** Messages, threads and contacts that outsiders wrote and the key had read in the 24 hours before */
  taintedBy: Array<string>;

  /** The first 4,000 characters of what the email says, without what it quotes from its thread. Null once the content was deleted */
  newText: string | null;

  /** Approve with this hash. It stands for the recipients and every byte */
  hash: string;
  state: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn';

  /** Why it was rejected */
  reason: string | null;
  decidedBy: string | null;
  decidedAt: string | null;

  /** When it leaves after the approval. Null: immediately */
  sendAt: string | null;
  createdAt: string;
  expiresAt: string;

  /** The first 20 of `taintedBy`, with what they are */
  taints: Array<ApprovalTaint>;
  message: {
    from: string;
    to: Array<string>;
    cc: Array<string>;
    bcc: Array<string>;
    subject: string;
    replyTo: Array<string>;

    /** Cleaned for display */
    html: string | null;
    text: string | null;
    attachments: Array<{ name: string; size: number; sha256: string }>;
  };
};

export type ApprovalTaint = {
  id: string;
  kind: 'message' | 'thread' | 'contact' | 'app' | 'export';
  from: string | null;

  /** Null if you may not read it, or it was deleted */
  subject: string | null;
  mailboxId: string | null;
  threadId: string | null;
};

export type ApproveEmailBody = { hash: string };

export type RejectEmailBody = {
  /** The agent can read it */
  reason?: string | null;
};

export type Member = {
  id: string;
  email: string;
  name: string;
  role: 'owner' | 'admin' | 'member';

  /** Whether the person has shown that the address is theirs, by a link that was sent to it. Otherwise the account cannot join other teams */
  proven: boolean;

  /** When they joined the team */
  createdAt: string;
  lastSeenAt: string | null;
};

export type ListMembersAnswer = { items: Array<Member> };

export type ChangeRoleBody = { role: 'owner' | 'admin' | 'member' };

export type RemoveMemberAnswer = { id: string; success: boolean };

export type CreateInvitationBody = { email: string; role: 'owner' | 'admin' | 'member' };

export type CreatedInvitation = {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'member';
  expiresAt: string;
  createdAt: string;

  /** The invitation link, if it could not be sent. Returned only here */
  link: string | null;

  /** Whether the link was sent to the address */
  mailed: boolean;

  /** Why the link was not sent: the sandbox is on, neither the team nor the team that runs the server has a verified domain, the address is a mailbox of the team, or it is suppressed */
  notMailedBecause: 'sandbox' | 'no_domain' | 'own_mailbox' | 'suppressed' | null;
};

export type Invitation = {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'member';
  expiresAt: string;
  createdAt: string;
};

export type ListInvitationsAnswer = { items: Array<Invitation> };

export type WithdrawInvitationAnswer = { id: string; success: boolean };

export type SingleSignOn = {
  issuer: string;
  clientId: string;
  domains: Array<string>;
  defaultRole: 'admin' | 'member' | null;
  groupsClaim: string | null;
  groupRoles: Record<string, 'admin' | 'member'>;
  required: boolean;

  /** Register it at the provider. */
  redirectUri: string;

  /** The back-channel logout URI. */
  logoutUri: string;
  updatedAt: string;
};

export type PutSingleSignOnBody = {
  /** The issuer identifier: the URL before `/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;

  /** Domains that are verified in this team. People with an address there sign in with the provider. */
  domains?: Array<string>;

  /** The role of new members. `null`: only people in one of the groups can join. */
  defaultRole?: 'admin' | 'member' | null;

  /** The claim with the groups of a person. */
  groupsClaim?: string | null;

  /** The role of each group. With several, the higher one counts. */
  groupRoles?: Record<string, 'admin' | 'member'>;

  /** Whether members and admins can enter the team only with the provider. Owners keep their password. */
  required?: boolean;
  clientSecret: string;
};

export type DeleteSingleSignOnAnswer = { success: boolean };

export type GetWaysInAnswer = {
  /** Whether anybody can sign in with a provider at `/sso/start` */
  singleSignOn: boolean;

  /** The address of the pages on which passkeys work: that of BASE_URL. `null`: on none, because passkeys need https and a host name */
  passkeyOrigin: string | null;
};

export type ListIdentitiesAnswer = {
  items: Array<{
    issuer: string;
    subject: string;
    email: string | null;
    createdAt: string;
    lastUsedAt: string;
  }>;

  /** Whether there is a provider that can be linked */
  canLink: boolean;
};

export type LinkIdentityAnswer = { url: string };

export type UnlinkIdentityAnswer = { success: boolean };

export type ListAuditAnswer = {
  items: Array<{
    id: string;
    at: string;
    actor: {
      kind: 'person' | 'key' | 'operator' | 'system';
      id: string | null;
      name: string | null;
      ip: string | null;
    };
    action: string;
    target: string | null;
    before: unknown;
    after: unknown;
    requestId: string | null;
  }>;
  next_cursor: string | null;
};

export type VerifyAuditAnswer = {
  seals: number;
  entries: number;
  unsealed: number;
  erased: number;
  foreign: number;
  head: string | null;
  signedBy: string;
  faults: Array<string>;
};

export type ListRequestsAnswer = {
  items: Array<{
    id: string;
    at: string;
    method: string;
    path: string;
    status: number;

    /** How long the response took. */
    durationMs: number;
    keyId: string;

    /** The x-request-id of the response. */
    requestId: string;
    userAgent: string | null;

    /** The email that the request made or named. */
    emailId: string | null;
  }>;
  next_cursor: string | null;
};

export type GetRequestAnswer = {
  id: string;
  at: string;
  method: string;
  path: string;
  status: number;

  /** How long the response took. */
  durationMs: number;
  keyId: string;

  /** The x-request-id of the response. */
  requestId: string;
  userAgent: string | null;

  /** The email that the request made or named. */
  emailId: string | null;

  /** Without secrets, attachments and the content of emails. */
  requestBody: unknown;
  responseBody: unknown;
};

export type GetSetUpAnswer = {
  /** Nobody has an account on this instance yet */
  isPending: boolean;
};

export type SetUpBody = {
  token: string;
  name: string;
  email: string;
  password: string;

  /** The six-digit code from the authenticator app, or a recovery code */
  code?: string;

  /** What `navigator.credentials.get()` has returned for the `passkeys` of `POST /auth/sign-in`, instead of a code */
  passkey?: {
    /** Base64url */
    id: string;

    /** Base64url */
    rawId: string;
    type: 'public-key';
    response: {
      /** Base64url */
      clientDataJSON: string;

      /** Base64url */
      authenticatorData: string;

      /** Base64url */
      signature: string;

      /** Base64url. Which person the passkey is for */
      userHandle?: string | null;
    };
  };
};

export type Session = { user: User; team: { id: number; name: string }; role: 'owner' | 'admin' | 'member' };

export type User = {
  id: string;
  email: string;
  name: string;
  totpEnabled: boolean;

  /** Whether a link that was sent to the address has been used, so that it is known to be yours */
  proven: boolean;

  /** The language of the web app. Null: the language that the browser prefers */
  language: 'en' | 'de' | null;
  createdAt: string;
};

export type SignInBody = {
  email: string;
  password: string;

  /** The six-digit code from the authenticator app, or a recovery code */
  code?: string;

  /** What `navigator.credentials.get()` has returned for the `passkeys` of `POST /auth/sign-in`, instead of a code */
  passkey?: {
    /** Base64url */
    id: string;

    /** Base64url */
    rawId: string;
    type: 'public-key';
    response: {
      /** Base64url */
      clientDataJSON: string;

      /** Base64url */
      authenticatorData: string;

      /** Base64url */
      signature: string;

      /** Base64url. Which person the passkey is for */
      userHandle?: string | null;
    };
  };
};

export type PasskeyRequestOptions = {
  /** Works once, for 5 minutes */
  challenge: string;
  rpId: string;

  /** Milliseconds */
  timeout: number;
  userVerification: 'required' | 'preferred';

  /** Empty: the browser offers what it has for this host */
  allowCredentials: Array<{ id: string; type: 'public-key'; transports: Array<string> }>;
};

export type SignInAnswer = {
  /** A second factor is needed: send the request again with a `code` or a `passkey` */
  needsCode: boolean;

  /** What `navigator.credentials.get()` takes, if the person has passkeys that work here */
  passkeys: PasskeyRequestOptions | null;
  session: Session | null;
};

export type ShowInvitationAnswer = {
  email: string;
  teamName: string;

  /** Whether accepting proves that the address is yours */
  proves: boolean;
};

export type AcceptInvitationBody = {
  token: string;
  name: string;
  password: string;

  /** The six-digit code from the authenticator app, or a recovery code */
  code?: string;

  /** What `navigator.credentials.get()` has returned for the `passkeys` of `POST /auth/sign-in`, instead of a code */
  passkey?: {
    /** Base64url */
    id: string;

    /** Base64url */
    rawId: string;
    type: 'public-key';
    response: {
      /** Base64url */
      clientDataJSON: string;

      /** Base64url */
      authenticatorData: string;

      /** Base64url */
      signature: string;

      /** Base64url. Which person the passkey is for */
      userHandle?: string | null;
    };
  };
};

export type ForgetPasswordBody = { email: string };

export type ForgetPasswordAnswer = {
  success: boolean;

  /** False if this server cannot send password emails; use `posthorn user reset-password` to create a link */
  canSend: boolean;
};

export type ResetPasswordBody = { token: string; password: string };

export type ResetPasswordAnswer = { success: boolean };

export type SignOutAnswer = { success: boolean };

export type SignOutEverywhereAnswer = { success: boolean };

export type UpdateAccountBody = {
  name?: string;
  currentPassword?: string;
  newPassword?: string;

  /** The language of the web app; null for the language that the browser prefers */
  language?: 'en' | 'de' | null;
};

export type StartTotpBody = { password: string };

export type StartTotpAnswer = {
  /** The secret in Base32, to type in instead of scanning the QR code */
  secret: string;

  /** The content of the QR code */
  uri: string;
};

export type ConfirmTotpBody = {
  /** The six-digit code from the authenticator app, or a recovery code */
  code: string;
};

export type ConfirmTotpAnswer = {
  /** Each can be used once instead of a code. Returned only here */
  recoveryCodes: Array<string>;
};

export type StopTotpBody = { password: string };

export type StopTotpAnswer = { success: boolean };

export type ListOwnTeamsAnswer = {
  items: Array<{ id: number; name: string; role: 'owner' | 'admin' | 'member' }>;
};

export type SwitchTeamBody = { teamId: number };

export type Passkey = {
  id: string;
  name: string;

  /** The host of BASE_URL when it was made */
  host: string;

  /** False if BASE_URL has another host now */
  worksHere: boolean;

  /** Whether the device copies it to an account of the person, such as that of Apple or Google */
  backedUp: boolean;
  createdAt: string;

  /** When the person last signed in with it */
  lastUsedAt: string | null;
};

export type ListPasskeysAnswer = { items: Array<Passkey> };

export type BeginPasskeyBody = {
  /** The current password. Needed unless you signed in within the last 10 minutes */
  password?: string;
};

export type PasskeyCreationOptions = {
  /** Works once, for 5 minutes */
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: Array<{ type: 'public-key'; alg: number }>;

  /** Milliseconds */
  timeout: number;

  /** The passkeys that the person has already */
  excludeCredentials: Array<{ id: string; type: 'public-key'; transports: Array<string> }>;
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' };
  attestation: 'none';
};

export type AddPasskeyBody = {
  /** What the person calls the device */
  name: string;
  credential: {
    /** Base64url */
    id: string;

    /** Base64url */
    rawId: string;
    type: 'public-key';
    response: {
      /** Base64url */
      clientDataJSON: string;

      /** Base64url */
      attestationObject: string;
      transports?: Array<string>;
    };
  };
};

export type AddedPasskey = {
  id: string;
  name: string;

  /** The host of BASE_URL when it was made */
  host: string;

  /** False if BASE_URL has another host now */
  worksHere: boolean;

  /** Whether the device copies it to an account of the person, such as that of Apple or Google */
  backedUp: boolean;
  createdAt: string;

  /** When the person last signed in with it */
  lastUsedAt: string | null;

  /** With the first second factor. Each works once instead of the passkey, after the password. Returned only here */
  recoveryCodes: Array<string> | null;
};

export type RenamePasskeyBody = {
  /** What the person calls the device */
  name: string;
};

export type DeletePasskeyBody = {
  /** The current password. Needed unless you signed in within the last 10 minutes */
  password?: string;
};

export type DeletePasskeyAnswer = { success: boolean };

export type RenewRecoveryCodesBody = {
  /** The current password. Needed unless you signed in within the last 10 minutes */
  password?: string;
};

export type RenewRecoveryCodesAnswer = {
  /** Each can be used once instead of a code. Returned only here */
  recoveryCodes: Array<string>;
};

export type SignInWithPasskeyBody = {
  credential: {
    /** Base64url */
    id: string;

    /** Base64url */
    rawId: string;
    type: 'public-key';
    response: {
      /** Base64url */
      clientDataJSON: string;

      /** Base64url */
      authenticatorData: string;

      /** Base64url */
      signature: string;

      /** Base64url. Which person the passkey is for */
      userHandle?: string | null;
    };
  };
};
