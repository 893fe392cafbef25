// Generated from the migrations by `npm run generate`.
import type { ColumnType, Generated } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>;
type Json = ColumnType<Record<string, unknown>, string, string>;
type DefaultJson = ColumnType<Record<string, unknown>, string | undefined, string>;

export interface Tables {
  /** The account at each ACME server by which certificates of link hosts are ordered. */
  acme_accounts: {
    /** The URL of the ACME server's directory. */
    directory_url: string;
    /** In PEM, encrypted with the instance secret. */
    private_key: Buffer;
    created_at: DefaultTimestamp;
  };
  /** What the ACME server expects to read over HTTP while an order runs (RFC 8555 section 8.3). Every process with a challenge port answers. */
  acme_challenges: {
    /** The token of the challenge, the last part of the path that the server asks for. */
    token: string;
    /** The token and the hash of the account's key. */
    answer: string;
    created_at: DefaultTimestamp;
  };
  /** What keys with a send policy have read that an outsider wrote. Counts for 24 hours. */
  agent_reads: {
    team_id: number;
    /** References api_keys. */
    key_id: string;
    /** The public ID of a message, thread or contact. */
    item: string;
    /** References threads: where it was written. Null for contacts. */
    thread_id: string | null;
    /** When it was last read. */
    read_at: DefaultTimestamp;
  };
  /** Keys for the HTTP API and for SMTP submission. A revoked key keeps its row, so that what it did can still be attributed. */
  api_keys: {
    team_id: number;
    id: string;
    name: string;
    /** sending: may only send mail. scoped: may do what its scopes allow. */
    permission: 'full' | 'sending' | 'scoped';
    /** The only domain that the key may use, with which it is deleted; null for all domains or for domain_ids. */
    domain_id: number | null;
    /** SHA-256 of the key. The key itself is stored nowhere. */
    key_hash: Buffer;
    /** The first characters of the key, by which people recognise it. */
    key_start: string;
    created_at: DefaultTimestamp;
    expires_at: Timestamp | null;
    revoked_at: Timestamp | null;
    /** When the key was last used, to within some minutes. */
    last_used_at: Timestamp | null;
    /** What a scoped key may do (src/features/api/scopes.ts). */
    scopes: string[] | null;
    /** Several domains that the key is limited to. A domain that was deleted matches nothing. */
    domain_ids: number[] | null;
    /** The contact books that the key is limited to. */
    contact_book_ids: string[] | null;
    /** The addresses and networks that the key works from. Null: everywhere. */
    allowed_ips: string[] | null;
    /** References users. The key never has more rights than this person has in the team. */
    made_by_user: string | null;
    /** References api_keys. The key that made this one, whose scopes and bounds this one cannot exceed. */
    made_by_key: string | null;
    /** SHA-256 of the secret before the last rotation, which works until previous_until. */
    previous_hash: Buffer | null;
    /** Until when the secret before the last rotation works. */
    previous_until: Timestamp | null;
    /** References mailboxes: the only ones that the key may use. Null for a key that is not limited to mailboxes. */
    mailbox_ids: string[] | null;
    /** agent: software that decides by itself. It needs a policy. */
    kind: Generated<'application' | 'agent'>;
    /** The send policy that every email of the key must pass. */
    policy_id: string | null;
    /** The client ID of the application for which a person made the key by OAuth. Such a key is used by its tokens alone. */
    client: string | null;
  };
  /** Passwords with which an email app opens one mailbox. Removing a person from the team, or deleting the mailbox, revokes them. A revoked one has no row. */
  app_passwords: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** The person whose email app uses it; null if an API key created it. */
    user_id: string | null;
    /** The name of the device or email app, as the person wrote it. */
    name: string;
    /** SHA-256 of the password in lower case without hyphens. The password itself is stored nowhere. */
    password_hash: Buffer;
    created_at: DefaultTimestamp;
    /** When an email app last logged in or sent a message with it, to within some seconds. */
    last_used_at: Timestamp | null;
    /** The IP address of that email app. */
    last_used_from: string | null;
    /** References api_keys. The key with a send policy that created the password, and whose policy it sends under. */
    made_by_key: string | null;
  };
  /** Emails of agents that wait for a person. The email itself is SCHEDULED without a time. */
  approvals: {
    team_id: number;
    id: string;
    /** References emails: the bytes that are approved. */
    email_id: string;
    /** References api_keys: who wrote it. */
    key_id: string;
    /** References mailboxes: whose address it is from. People who may reply there decide. Null: owners and admins do. */
    mailbox_id: string | null;
    /** References threads: what it replies to. */
    thread_id: string | null;
    /** The part of the policy that demands the approval. */
    rule: string;
    /** Why it waits, in words. */
    sentence: string;
    /** The public IDs of what outsiders wrote and the key had read. */
    tainted_by: string[];
    /** SHA-256 of the envelope and the message. */
    hash: Buffer;
    /** withdrawn: the email was cancelled before anyone decided. */
    state: Generated<'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn'>;
    /** The send time that the key asked for. Null: now. */
    leaves_at: Timestamp | null;
    /** What the person wrote who rejected it. */
    reason: string | null;
    /** References users. */
    decided_by: string | null;
    /** When it left the state pending. */
    decided_at: Timestamp | null;
    created_at: DefaultTimestamp;
    /** When it expires if no one has decided. */
    expires_at: Timestamp;
    /** The beginning of what the email says, without what it quotes from its thread. Null: nothing is known, or the content was deleted. */
    new_text: string | null;
  };
  /** Who changed what in a team, written in the transaction of the change (src/features/audit). */
  audit_entries: {
    team_id: number;
    id: string;
    /** In whole milliseconds, as it is part of the hash. */
    at: Timestamp;
    /** operator: the command line. system: the server itself. */
    actor_kind: 'person' | 'key' | 'operator' | 'system';
    /** The public ID of the user or key. Null for the operator and the server itself. */
    actor_id: string | null;
    /** Such as domain.created (src/features/audit/actions.ts). */
    action: string;
    /** The public ID of what was changed. */
    target: string | null;
    /** The x-request-id of the request. */
    request_id: string | null;
    /** JSON with the name and address of the actor and the state before and after. Null if it was erased with a person. */
    content: string | null;
    /** A MAC of content, which stays when the content is erased. */
    content_hash: Buffer;
    /** References audit_seals. Null for at most about a minute. */
    seal_no: number | null;
  };
  /** The chain over the audit log of a team. Each seal has the hashes of new entries and the hash of the seal before it. */
  audit_seals: {
    team_id: number;
    /** From 1 in each team, without gaps. */
    no: number;
    /** In whole milliseconds, as it is part of the hash. */
    at: Timestamp;
    /** The MACs of the entries in the order of their IDs, 32 bytes each. */
    entry_hashes: Buffer;
    /** The hash of the seal before this one; zeros for the first. */
    previous_hash: Buffer;
    /** SHA-256 of the other columns. */
    hash: Buffer;
    /** Ed25519 signature of the hash, with a key that is derived from the instance secret. */
    signature: Buffer;
    /** The start of the SHA-256 of the public key. Another one after a move to another instance. */
    signed_by: string;
    /** When this seal went to the owners as the head of the chain. Null for most. */
    mailed_at: Timestamp | null;
  };
  /** Counters of the report. The sum over the slots counts. */
  automation_counts: {
    team_id: number;
    automation_id: string;
    /** The key of the step. Empty for runs as a whole. */
    step: string;
    /** What is counted: started, entered, a way out, or a reason. */
    name: string;
    /** Concurrent transactions use different slots, so that they do not wait for each other. */
    slot: number;
    /** How often it was counted in this slot. */
    count: number;
  };
  /** The emails of runs. A step of a run has one email for each visit. */
  automation_emails: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** References automations. */
    automation_id: string;
    run_id: string;
    /** The key of the step. */
    step: string;
    /** The visit of the run to the step. */
    visit: number;
    /** The Message-ID header, with its angle brackets. */
    message_id: string;
    /** The subject, for follow-ups in the same thread. */
    thread_subject: string;
    /** When a person first replied. */
    replied_at: Timestamp | null;
    /** When the contact unsubscribed by this email. */
    unsubscribed_at: Timestamp | null;
    created_at: DefaultTimestamp;
    /** Whether it counts for the frequency cap of the team. */
    is_marketing: Generated<boolean>;
  };
  /** For triggers by segment: the contacts that matched at the last look. */
  automation_members: {
    team_id: number;
    automation_id: string;
    /** References contacts. */
    contact_id: string;
  };
  /** The history of a run. Rows are only added. */
  automation_run_steps: {
    team_id: number;
    run_id: string;
    /** The position in the history, from 1. */
    no: number;
    /** The key of the step. */
    step: string;
    /** The type of the step. */
    type: string;
    /** The version that the run followed at the time. */
    version: number;
    /** The way out that was taken, or what became of the step. */
    result: string;
    /** References emails. */
    email_id: string | null;
    /** When the step was done. */
    at: DefaultTimestamp;
  };
  /** A contact on its way through an automation. */
  automation_runs: {
    team_id: number;
    id: string;
    automation_id: string;
    /** The version of the automation that it follows. */
    version: number;
    /** References contact_books. */
    contact_book_id: string;
    /** References contacts. */
    contact_id: string;
    /** The address of the contact when the run began, as addresses are compared. */
    address_key: string;
    status: Generated<'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED'>;
    /** Why it ended, unless it reached its end. */
    reason: string | null;
    /** The key of the step that is next. Null when it has ended. */
    step: string | null;
    /** How often the run has come to this step. */
    visit: Generated<number>;
    /** When the run came to this step. */
    entered_at: DefaultTimestamp;
    /** When the step is looked at next. Null when the run has ended. */
    due_at: Timestamp | null;
    /** The event that the step waits for. */
    waiting_for: string | null;
    /** What holds the step beyond its time: quiet_hours, frequency_cap, auto_reply, or an error that someone has to mend. */
    held_by: string | null;
    /** How often the step has failed in a row. */
    attempts: Generated<number>;
    /** The event that started it: {id, name, data}. */
    event: Json | null;
    /** What the run remembers: how often it came to steps that it visits again, responses of webhooks, and events that it has heard. */
    memory: DefaultJson;
    /** What started it. The same cause starts one run of a contact. */
    entry_key: string;
    /** How many steps it has done. */
    steps_done: Generated<number>;
    /** Whether a reply of a person ends it. */
    exits_on_reply: Generated<boolean>;
    /** Whether it ends when the contact unsubscribes. */
    exits_on_unsubscribe: Generated<boolean>;
    started_at: DefaultTimestamp;
    /** When it ended. Null while it is ACTIVE. */
    ended_at: Timestamp | null;
  };
  /** What an automation was when it was activated or published. A run follows one version. */
  automation_versions: {
    team_id: number;
    automation_id: string;
    /** Counts from 1. */
    version: number;
    /** Trigger, steps and settings. */
    definition: Json;
    /** Who published it: an API key or a person. */
    created_by: string;
    created_at: DefaultTimestamp;
    /** The events that its waits, goals and exits ask for. */
    listens_to: Json;
  };
  /** What happens by itself after something has happened to a contact of a book. */
  automations: {
    team_id: number;
    id: string;
    name: string;
    /** DRAFT: never active; CLOSED: takes nobody new, and runs finish; PAUSED: nothing happens. */
    status: Generated<'DRAFT' | 'ACTIVE' | 'CLOSED' | 'PAUSED'>;
    /** References contact_books. */
    contact_book_id: string;
    /** Trigger, steps and settings, as they were last edited. */
    definition: Json;
    /** The version that new runs follow. 0 before the first activation. */
    version: Generated<number>;
    /** Whether definition differs from the live version. */
    has_draft: Generated<boolean>;
    /** The minute that rate_used counts. */
    rate_minute: Timestamp | null;
    /** Runs that moved in rate_minute, for automations with a rate. */
    rate_used: Generated<number>;
    /** For triggers by segment or date: when contacts were last looked at. */
    looked_at: Timestamp | null;
    /** Whether the trigger of the live version is a segment or a date. */
    looks_each_minute: Generated<boolean>;
    /** Since when it is PAUSED. */
    paused_at: Timestamp | null;
    /** When it was deleted. The history of its runs is kept. */
    deleted_at: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The transaction from which on events start runs: the last activation, or the publication of another trigger. Null: all events that are read do. A backup leaves it out, because the numbers of another server mean nothing here. */
    opened_xid: string | null;
    /** While it is PAUSED: the status that it had before. */
    resumes_as: Generated<'ACTIVE' | 'CLOSED'>;
  };
  /** Received messages, and attachments of received and sent mail, stored once in a team however many messages contain them. */
  blobs: {
    team_id: number;
    /** SHA-256 of the bytes. */
    sha256: Buffer;
    /** The content. Null if it is in the object store. */
    bytes: Buffer | null;
    /** Since when possibly nothing refers to it. Storing the same content again clears it; otherwise it is deleted later. */
    unused_since: Timestamp | null;
    /** The key of the object that has the content, without the prefix of BLOB_URL. Null if the content is in bytes. No other row ever has the same key. */
    object_key: string | null;
    /** The size of the object in bytes. */
    object_size: number | null;
    /** The size of the content in bytes, if bytes has it compressed (DEFLATE). Null if bytes has it as it is. */
    inflated_size: number | null;
    /** Whether an email app of an API key with a send policy has stored this message. It proves no correspondence. */
    by_agent: Generated<boolean>;
  };
  /** The addresses of this server and the domains of teams that a list of DNSBL_ZONES has, as a job last found them. */
  blocklistings: {
    /** The zone of the list. */
    zone: string;
    /** The address or the domain that is listed. */
    subject: string;
    /** References teams without a foreign key: the team of the domain. 0 for an address of this server, which concerns all teams. */
    team_id: Generated<number>;
    /** References domains without a foreign key. 0 for an address of this server. */
    domain_id: Generated<number>;
    /** When it was found listed for the first time. */
    since: DefaultTimestamp;
    /** When it was last found listed. What has not been found for days is dropped. */
    seen_at: DefaultTimestamp;
  };
  /** The brand of a team, which new emails begin with. A team without a row has none. */
  brands: {
    team_id: number;
    /** The URL of an image. */
    logo_url: string | null;
    /** Around the email. All colours are hexadecimal. */
    background_color: string | null;
    /** Behind the text of the email. */
    content_color: string | null;
    /** Of the text. */
    text_color: string | null;
    /** Of links in the text. */
    link_color: string | null;
    /** Of the faces of buttons. */
    button_color: string | null;
    /** A name of a font in the email editor. */
    font_family: 'sans' | 'system' | 'verdana' | 'trebuchet' | 'serif' | 'mono' | null;
    /** For example why people receive the email. */
    footer_text: string | null;
    /** For the footer. It can have several lines. */
    postal_address: string | null;
    updated_at: DefaultTimestamp;
  };
  /** Recipients of campaigns that have started, as many as one process takes at a time. A batch is deleted when all of its recipients are in campaign_recipients. */
  campaign_batches: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** The order in which batches are taken. */
    no: number;
    /** References contact_books. */
    contact_book_id: string;
    /** References contacts, in the order of address_keys. */
    contact_ids: string[];
    /** The addresses as addresses are compared, sorted. Each address is in one batch of the campaign. */
    address_keys: string[];
    /** The first of address_keys. */
    first_key: string;
    /** The last of address_keys. */
    last_key: string;
    /** The variant of the A/B test that these recipients get. Null for the others, who get the winner, and without a test. */
    variant: number | null;
    /** When local_time of the campaign comes in the time zone of these recipients. Null without it. */
    due_at: Timestamp | null;
    /** When a process took it. The IDs of its emails begin with this time, so it stays when that process dies. Null while no email of it can be on its way. */
    released_at: Timestamp | null;
    /** The process that sends it now. */
    leased_by: string | null;
    /** When another process may take it over. */
    leased_until: Timestamp | null;
  };
  /** Which emails of a campaign had which link clicked by a person, so that each recipient counts once for a link. */
  campaign_clicks: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** References campaign_links. */
    url_hash: Buffer;
    /** References emails. */
    email_id: string;
  };
  /** What happened to the mail of each campaign, counted as in daily_counts. Copies to Cc and Bcc are not counted. */
  campaign_counts: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    sent: Generated<number>;
    /** Recipients whose server accepted the mail and did not bounce it since. */
    delivered: Generated<number>;
    opened: Generated<number>;
    clicked: Generated<number>;
    bounced: Generated<number>;
    /** The part of bounced for which the address is wrong for good. */
    hard_bounced: Generated<number>;
    complained: Generated<number>;
    /** Contacts that unsubscribed by a link in this campaign. */
    unsubscribed: Generated<number>;
  };
  /** What happened to the mail of each campaign by the domain of the recipients, counted as in campaign_counts. */
  campaign_domains: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** The domain of the address of the recipient, in lower case. */
    domain: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    sent: Generated<number>;
    /** Recipients whose server accepted the mail and did not bounce it since. */
    delivered: Generated<number>;
    bounced: Generated<number>;
    opened: Generated<number>;
  };
  /** How many emails of a campaign were opened and clicked for the first time in each hour, by people and by bots. */
  campaign_hours: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** The beginning of the hour in UTC. */
    hour: Timestamp;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    opened: Generated<number>;
    clicked: Generated<number>;
    /** Emails that a bot, such as a privacy proxy, opened for the first time. */
    machine_opened: Generated<number>;
    /** Emails in which a bot, such as a link scanner, followed a link for the first time. */
    machine_clicked: Generated<number>;
  };
  /** How often each link of a campaign was clicked. A campaign has few links, because links that differ for each recipient are not tracked. */
  campaign_links: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** SHA-256 of the URL, which may be too long for an index. */
    url_hash: Buffer;
    url: string;
    /** Clicks by people. */
    clicks: number;
    /** How many recipients have clicked it. */
    people: number;
    /** Clicks by bots. */
    machine_clicks: number;
  };
  /** The ledger of a campaign: the recipients to whom something has happened. Those that wait are in campaign_batches. */
  campaign_recipients: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** The address as addresses are compared. It makes sure that each address gets one email. */
    address_key: string;
    /** References contact_books. */
    contact_book_id: string;
    /** References contacts. */
    contact_id: string;
    /** delivered: the first attempt succeeded, and there is no row in emails (see the view campaign_emails); released: emails has the email; skipped: it will not be sent. */
    state: 'delivered' | 'released' | 'skipped';
    /** Why the recipient was skipped: deleted, unsubscribed, suppressed or left_topic. */
    reason: string | null;
    /** The ID of the email; null for a skipped recipient. References emails once the state is released. */
    email_id: string | null;
    /** The variant that this recipient got. Null without a test. */
    variant: number | null;
    /** When local_time of the campaign came in the time zone of this recipient. Null without it. */
    due_at: Timestamp | null;
    /** The address as the contact has it. Null if it is equal to address_key. */
    address: string | null;
    /** When it was delivered with the first attempt, and null otherwise. The events of its way there are derived from this row (see the view campaign_events). */
    tried_at: Timestamp | null;
    /** The reply of the server that accepted it: code, enhanced and text. Null if there was none. */
    reply: Json | null;
    /** The lines of the SMTP session. $sender stands for the return path, $recipient for the address. */
    transcript: string[] | null;
    /** As in emails, for a recipient that was delivered. */
    tracks_opens: boolean | null;
    /** As in emails, for a recipient that was delivered. */
    tracks_clicks: boolean | null;
  };
  /** The recipients of a campaign to whom something happened, once for each kind. Lists them by address without a look at all recipients. */
  campaign_results: {
    team_id: number;
    /** References campaigns. */
    campaign_id: string;
    /** opened and clicked: by a person; unsubscribed: by a link in this campaign. */
    result: 'opened' | 'clicked' | 'bounced' | 'complained' | 'unsubscribed';
    /** The address as in campaign_recipients. */
    address_key: string;
    /** Why it bounced, as one of the kinds in src/mail/bounces/bounce-reason.ts. */
    reason: string | null;
    created_at: DefaultTimestamp;
    /** Why it bounced, as one of the classes in src/mail/bounces/failure-class.ts. Null for bounces from before there were classes. */
    class: string | null;
  };
  /** Mail to all contacts of one or more books, and how far it has been sent. */
  campaigns: {
    team_id: number;
    id: string;
    /** References domains, by the domain of the sender, without a foreign key, because sent mail outlives its domain. */
    domain_id: number;
    name: string;
    /** The From header. */
    sender: string;
    subject: string;
    /** The text that email apps show after the subject. */
    preview_text: string | null;
    html: string | null;
    /** The editor document that html was made from, if it was made in the editor. */
    content: string | null;
    /** The Reply-To header, one entry for each address. */
    reply_to: string[];
    /** Addresses that get a copy of every email, shown in its Cc header. */
    cc_addresses: string[];
    /** Addresses that get a copy of every email without being shown. */
    bcc_addresses: string[];
    /** References contact_books. The first one is the main book; an address that is in several books gets one email. */
    contact_book_ids: string[];
    /** References segments; only contacts in this segment get the email. */
    segment_id: string | null;
    /** References segments; contacts in any of these do not get the email. */
    exclude_segment_ids: string[];
    /** References topics; contacts that do not get this topic do not get the email. */
    topic_id: string | null;
    /** Null: as the domain has it. */
    track_opens: boolean | null;
    /** Null: as the domain has it. */
    track_clicks: boolean | null;
    status: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'SENT';
    /** Why the campaign paused itself; null when a person paused it. */
    status_reason: string | null;
    /** When it is to start. */
    scheduled_at: Timestamp | null;
    /** How many recipients are released into the queue at a time. */
    batch_size: number;
    /** How many recipients are released in a minute at most; null for no limit. */
    rate_per_minute: number | null;
    /** When it first ran, which is when writing the ledger of its recipients began. */
    begun_at: Timestamp | null;
    /** How far the ledger is written: the position of the current book in contact_book_ids. */
    audience_book: Generated<number>;
    /** How far the ledger is written: the last address of the current book that was looked at. */
    audience_after: Generated<string>;
    /** Whether the ledger is complete. */
    audience_ready: Generated<boolean>;
    /** How many recipients the ledger has. */
    total: Generated<number>;
    /** Up to which moment the allowance of rate_per_minute has been used. */
    rate_used_to: Timestamp | null;
    /** When the last recipient had been tried or skipped. */
    sent_at: Timestamp | null;
    /** A deleted campaign keeps its row, because mail that was sent is still rendered from it. */
    deleted_at: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The plain text version; null when it is made from html. */
    plain: string | null;
    /** References campaigns; contacts that were sent that campaign do not get the email. With not_opened, only contacts to whom it was delivered and who did not open it get the email. */
    exclude_campaign_id: string | null;
    /** Whether the email goes only to contacts to whom the campaign in exclude_campaign_id was delivered and who did not open it. */
    not_opened: Generated<boolean>;
    /** An array of 2 to 4 objects with what differs: subject, sender, domainId, previewText, html and content. Null: no test. */
    variants: Json | null;
    /** How many of 100 recipients are in the test. */
    test_percent: Generated<number>;
    /** What decides which variant the rest get. person: a person chooses. */
    decide_by: Generated<'opens' | 'clicks' | 'person'>;
    /** How long after test_sent_at the winner is chosen. */
    decide_after_minutes: Generated<number>;
    /** When every recipient of the test had been tried or skipped. From then on released_to is about the rest. */
    test_sent_at: Timestamp | null;
    /** The position of the variant that the rest get, from 0. */
    winner: number | null;
    /** When the winner was chosen. */
    decided_at: Timestamp | null;
    /** Whether the archives of its books show this campaign once it is sent. */
    show_in_archive: Generated<boolean>;
    /** The date and time at which each recipient gets it, in the time zone of the recipient, as 2026-11-15T09:00. Null: everyone gets it at scheduled_at. */
    local_time: string | null;
    /** When the subject, preview text, content or variants were last changed. */
    content_saved_at: DefaultTimestamp;
    /** What changed them, as in content_versions.saved_by. */
    content_saved_by: string | null;
    /** How many steps in a row have failed unexpectedly. */
    failures: Generated<number>;
    /** When the first of these steps failed. Kept when the campaign pauses because of them, until it is resumed. */
    failing_since: Timestamp | null;
    /** When the next step is tried after a failure. Null: immediately. */
    next_try_at: Timestamp | null;
    /** When a runner last looked at the running campaign, about every 20 seconds. */
    checked_at: Timestamp | null;
    /** Whether a process has taken recipients. From then on the content stays the same for everyone. */
    has_released: Generated<boolean>;
    /** Content in further languages, by BCP 47 tag: {"de": {"subject", "previewText", "html", "content"}}. Null: none. */
    translations: Json | null;
    /** What feed stands for in the content: {"title", "url", "items": [{"title", "url", "summary", "image", "date"}]}. Null: the campaign was not made from a feed. */
    feed: Json | null;
    /** With a value, each recipient gets the email at its best hour within so many hours after the start. Null: all at the start. */
    best_within_hours: number | null;
    /** With best_within_hours, the percentage of recipients that get the email at the start, for comparison. */
    holdout_percent: number | null;
  };
  /** Deleted mailboxes that were not open to the team. Emails that were sent from them stay hidden in lists of emails. */
  closed_mailboxes: {
    team_id: number;
    /** The id that the mailbox had. */
    id: string;
    /** The address that the mailbox had, as addresses are compared. */
    address_key: string;
    /** When the mailbox was deleted. Emails from before then are hidden. */
    deleted_at: DefaultTimestamp;
  };
  /** How many contacts each book has. Split over slots by connection, so that writers do not wait for each other. */
  contact_book_counts: {
    team_id: number;
    contact_book_id: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    /** The number of contacts that this part has counted; it can be negative. */
    contacts: number;
  };
  /** How the contacts of a book changed in each quarter of an hour, by where they came from. Triggers on contacts count. */
  contact_book_growth: {
    team_id: number;
    contact_book_id: string;
    /** The start of the quarter of an hour. */
    quarter: Timestamp;
    /** The source of the contacts, as in contacts. */
    source: 'form' | 'import' | 'api' | 'archive' | 'referral';
    /** As in contacts, empty if unknown. */
    source_id: string;
    /** Part of a split counter, so that writers do not wait for each other; readers add them up. */
    slot: number;
    /** Contacts that were added, those included that have to confirm. */
    joined: number;
    /** Pending contacts that became subscribed. */
    confirmed: number;
    /** Unsubscribed contacts that subscribed again. */
    returned: number;
    /** Subscribed contacts that unsubscribed or were deleted. */
    lost: number;
    /** The change of the number of subscribed contacts; it can be negative. */
    subscribed: number;
    /** The change of the number of contacts that have to confirm; it can be negative. */
    pending: number;
  };
  /** The same for all contacts of a book together. */
  contact_book_hours: {
    team_id: number;
    contact_book_id: string;
    /** The hour of the day in UTC, from 0 to 23. */
    hour: number;
    /** Part of a split counter, so that writers do not wait for each other; readers add them up. */
    slot: number;
    /** First opens and first clicks of emails. */
    visits: number;
  };
  /** Lists of contacts. A contact belongs to one book; the same address may be in several books. */
  contact_books: {
    team_id: number;
    id: string;
    name: string;
    /** An emoji that is shown beside the name. */
    emoji: string;
    /** Free properties of the book itself, set by clients. */
    properties: Json;
    /** Names of properties that contacts of this book are expected to have; offered as merge tags. */
    variables: string[];
    /** Whether new contacts have to confirm by a link before they are subscribed. */
    double_opt_in_enabled: boolean;
    /** The sender of the confirmation mail; null for the default sender. */
    double_opt_in_from: string | null;
    /** The subject of the confirmation mail. */
    double_opt_in_subject: string;
    /** The content of the confirmation mail, with merge tags. */
    double_opt_in_content: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** Whether everyone can read the campaigns of this book that were chosen for its archive. */
    archive_enabled: Generated<boolean>;
    /** The title of the archive; null for the name of the book. */
    archive_title: string | null;
    /** A text below the title of the archive. */
    archive_description: string | null;
    /** Whether search engines may list the archive. */
    archive_indexed: Generated<boolean>;
    /** The IANA time zone of contacts without one of their own. */
    time_zone: Generated<string>;
  };
  /** At which hours of the day a contact opened emails and clicked for the first time, without bots. */
  contact_hours: {
    team_id: number;
    /** References contact_books. */
    contact_book_id: string;
    /** References contacts without a foreign key: writers lock the contact, and deleting contacts deletes these rows. */
    contact_id: string;
    /** The hour of the day in UTC, from 0 to 23. */
    hour: number;
    /** First opens and first clicks of emails. */
    visits: number;
  };
  /** The uploaded file in pieces, which are deleted when the import ends. */
  contact_import_chunks: {
    team_id: number;
    import_id: string;
    /** The position of the piece in the file. */
    start_byte: number;
    /** The piece itself. */
    bytes: Buffer;
  };
  /** Rows of a file that were not imported, up to a limit. */
  contact_import_refusals: {
    team_id: number;
    import_id: string;
    /** The line of the file, counted from 1. */
    line: number;
    /** The address in that row, where one could be read. */
    email: string | null;
    /** Why the row was not imported, as a sentence. */
    reason: string;
  };
  /** CSV files that are imported into a book. The progress is updated by the transaction that adds the contacts, so an import that was interrupted continues without losing or repeating rows. */
  contact_imports: {
    team_id: number;
    contact_book_id: string;
    id: string;
    status: 'UPLOADING' | 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED';
    /** Which column of the file becomes which field of a contact. */
    mapping: Json;
    /** What happens in a book with double opt-in. confirmed: the people have consented elsewhere; ask: send each of them a confirmation mail; none: add them as pending and send nothing. */
    consent: Generated<'confirmed' | 'ask' | 'none'>;
    /** How the consent was given, in the words of the person who imports. */
    consent_note: string | null;
    /** The API key or the person that started it: key_… or user:usr_…. */
    requested_by: string;
    /** The size of the file. */
    total_bytes: Generated<number>;
    /** How much of the file has been imported. */
    done_bytes: Generated<number>;
    /** How many lines of the file have been imported. */
    done_lines: Generated<number>;
    /** Rows that were read, rejected rows included. */
    rows_read: Generated<number>;
    rows_created: Generated<number>;
    rows_updated: Generated<number>;
    rows_refused: Generated<number>;
    /** How many people of this import have not been sent their confirmation mail yet. */
    confirmations_waiting: Generated<number>;
    /** Why the import as a whole failed. */
    error: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    finished_at: Timestamp | null;
    /** How the columns of the file are imported, as shown by the API. Empty until the header has been read. */
    columns: DefaultJson;
    /** Rows of people who are not subscribed according to the file. */
    rows_unsubscribed: Generated<number>;
    /** Whether the contacts of this import start automations. */
    triggers_automations: Generated<boolean>;
  };
  /** The topics that contacts have chosen or left. A contact without a row here follows the default of the topic. */
  contact_topics: {
    team_id: number;
    /** References contact_books. */
    contact_book_id: string;
    /** References contacts without a foreign key: writers lock the contact, and deleting contacts deletes these rows. */
    contact_id: string;
    topic_id: string;
    /** Whether the contact joined or left the topic. */
    subscribed: boolean;
    changed_at: DefaultTimestamp;
    /** What changed it: an API key (key_…), a person (user:usr_…), or a link in an email. */
    changed_by: string;
  };
  /** The people in contact books, one row for each address in a book. */
  contacts: {
    team_id: number;
    /** References contact_books without a foreign key, which would be checked row by row for 10,000 contacts at once. The only statement that inserts contacts locks the book, and so does deleting a book. */
    contact_book_id: string;
    id: string;
    /** The address as it was given. */
    email: string;
    /** The address as addresses are compared. */
    email_key: string;
    first_name: string | null;
    last_name: string | null;
    /** Values that clients set, by name; merge tags and segments read them. */
    properties: Json;
    /** pending: has to confirm by a link first. */
    subscription: 'subscribed' | 'pending' | 'unsubscribed';
    /** Why the subscription ended, where it did. */
    unsubscribe_reason: string | null;
    subscription_changed_at: DefaultTimestamp;
    /** What changed the subscription: an API key (key_…), a person (user:usr_…), a form (frm_…), or a link in an email. */
    subscription_changed_by: string;
    /** When the confirmation mail was last sent. It is sent at most once in ten minutes. */
    confirmation_sent_at: Timestamp | null;
    /** The record of consent that was given elsewhere, as the API shows it: {source, importId, note, by, at} or {source, formId, by, at}. */
    consent: Json | null;
    /** When the contact last opened an email of any campaign; for segments. */
    last_opened_at: Timestamp | null;
    /** When the contact last clicked a link in an email of any campaign; for segments. */
    last_clicked_at: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** References forms without a foreign key: the form of a sign-up that has to be confirmed. */
    sign_up_form_id: string | null;
    /** When the contact signed up by that form. The sign-up counts only if the subscription has not changed since. */
    sign_up_at: Timestamp | null;
    /** How the contact came here. api: by a request, or by a person in the dashboard. */
    source: Generated<'form' | 'import' | 'api' | 'archive' | 'referral'>;
    /** The public ID of what added it: frm_…, imp_…, key_…, user:usr_…; archive: cmp_… or cbk_…; referral: con_…, who brought it. Null: unknown. */
    source_id: string | null;
  };
  /** What a campaign or template contained before it was changed. Kept for 30 days, and at most 100 for each. */
  content_versions: {
    team_id: number;
    id: string;
    campaign_id: string | null;
    template_id: string | null;
    subject: string | null;
    /** Only of campaigns. */
    preview_text: string | null;
    html: string | null;
    /** The text part. */
    plain: string | null;
    /** The JSON document of the email editor. */
    content: string | null;
    /** When this content was saved. */
    saved_at: Timestamp;
    /** When this content was replaced. */
    created_at: DefaultTimestamp;
    /** The variants of the A/B test, as in campaigns. Empty: no test. Null: of a template, or not known because the version is older than this column. */
    variants: Json | null;
    /** What saved this content: an API key (key_…), a user (user:usr_…) or a command. Null: not known. */
    saved_by: string | null;
    /** The translations at that time, {} for none. Null in versions from before this column existed. */
    translations: Json | null;
  };
  /** Destinations that have deliveries which were set aside. A process that sets deliveries aside or takes them back locks the row. */
  crowded_destinations: {
    /** The domain of the recipients. */
    destination: string;
  };
  /** Events that applications send with POST /events. Each is also in the stream, with the type event.NAME and its id as the subject. */
  custom_events: {
    team_id: number;
    id: string;
    /** Without the prefix event. of its type in the stream. */
    name: string;
    /** References contact_books. The book of contact_id. */
    contact_book_id: string | null;
    /** References contacts. Null if nobody has the address. */
    contact_id: string | null;
    /** The address of the person, as it was given. Null if the contact was given by its id. */
    address: string | null;
    /** The address as addresses are compared. */
    address_key: string | null;
    /** Whether the event concerns the contact of this book alone. Otherwise it concerns every contact with the address. */
    is_of_book: Generated<boolean>;
    /** What the application says about it. */
    data: DefaultJson;
    /** The id that the application gave, by which a repeated call is recognised. Cleared after 30 days. */
    external_id: string | null;
    /** When it happened, as the application says. */
    occurred_at: Timestamp;
    created_at: DefaultTimestamp;
  };
  /** What happened to the mail of each day. Recipients are counted, except for opens and clicks, which count once for each email. Updated by the statement that records what happened. */
  daily_counts: {
    team_id: number;
    /** References domains; 0 stands for all domains of the team together. */
    domain_id: number;
    /** The UTC day on which the mail was first tried. */
    day: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    sent: number;
    /** Recipients whose server accepted the mail and did not bounce it since. */
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    /** The part of bounced for which the address is wrong for good. */
    hard_bounced: number;
    complained: number;
  };
  /** The live queue: one narrow row for each recipient that is not finished. Finished rows are deleted, so the queue stays small however much has been sent. */
  deliveries: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** References email_recipients, by its position in the email. */
    recipient_no: number;
    /** References domains: the domain that signs the message. */
    domain_id: number;
    /** The address that it goes to. */
    recipient: string;
    /** The domain of that address, by which connections are shared and limited. */
    recipient_domain: string;
    /** Lower numbers go first: mail that a person waits for goes before bulk mail. */
    priority: number;
    /** How many attempts have been made. */
    attempts: Generated<number>;
    /** When the first attempt was made. Retries end some days after it. */
    first_tried_at: Timestamp | null;
    /** When it may be claimed. A claim moves it to the end of the lease, so a delivery of a worker that died is claimed again by then. */
    due_at: DefaultTimestamp;
    /** The process that has claimed it. */
    leased_by: string | null;
    /** References campaigns; deliveries of a paused campaign are passed over. */
    campaign_id: string | null;
    /** Whether its campaign is paused, as far as the campaign runner has got. A parked delivery is not in the index that claims read. */
    parked: Generated<boolean>;
    /** Whether it waits behind many others for a destination that is full or backing off. It is not in the index that claims read. */
    set_aside: Generated<boolean>;
  };
  /** Connections to mail servers that processes have open, or are about to open. They limit the connections of all processes together. */
  destination_connections: {
    /** The domain of the recipients. */
    destination: string;
    /** Counts from 1 to the limit. Urgent mail may use one more than other mail. */
    slot: number;
    /** The process that has the connection. */
    worker_id: string;
    /** The process renews it. Another process may take the slot of one that has died after this time. */
    expires_at: Timestamp;
  };
  /** When the next messages may be sent to a destination whose rate is limited (DESTINATION_RATES). */
  destination_rates: {
    /** The domain of the recipients. */
    destination: string;
    /** Until then, some process may send what it has been granted. */
    next_at: Timestamp;
  };
  /** The rows of DMARC aggregate reports. Equal rows of one report are one row. */
  dmarc_report_rows: {
    team_id: number;
    report_id: string;
    /** The position of the row in the report, from 0. */
    no: number;
    /** The name of who sent: a service, the domain of the host, or its network. */
    source: string;
    /** Who sent: this instance, a known email service, a server that forwarded, or another one. */
    kind: 'ours' | 'service' | 'forwarder' | 'other';
    /** The address that sent. */
    source_ip: string;
    /** How many messages the row stands for. */
    messages: number;
    /** What the reporter did with the messages: none, quarantine or reject. */
    disposition: string;
    /** Whether a DKIM signature of the domain passed. */
    dkim_aligned: boolean;
    /** Whether SPF passed for the domain. */
    spf_aligned: boolean;
    /** The domain of the author. */
    header_from: string | null;
    /** The domain of the return path, if the reporter tells it. */
    envelope_from: string | null;
    /** The results of the signatures: a list of {domain, selector, result}. */
    dkim: Json;
    /** The results of SPF: a list of {domain, scope, result}. */
    spf: Json;
    /** Why the reporter did not apply the policy: a list of {type, comment}. */
    reasons: Json;
  };
  /** DMARC aggregate reports (RFC 7489, RFC 9990) about domains, that other servers sent. Each counts once. */
  dmarc_reports: {
    team_id: number;
    domain_id: number;
    id: string;
    /** Whether the message with the report passed DMARC. Others are kept apart and counted nowhere. */
    is_verified: boolean;
    /** The domain of the author of the message with the report. */
    sender_domain: string | null;
    /** Who reports. */
    org_name: string;
    /** The email address of the reporter. */
    contact: string | null;
    /** Another contact of the reporter, such as the address of a page. */
    extra_contact: string | null;
    /** The ID that the reporter has given. It is unique with the reporter, the domain and the begin. */
    report_id: string;
    /** The begin of the time that the report is about. */
    begin_at: Timestamp;
    /** The end of the time that the report is about. */
    end_at: Timestamp;
    /** The policy that the reporter found: {domain, p, sp, np, adkim, aspf, pct, fo, testing}. */
    policy: Json;
    /** What went wrong while the reporter made the report, in its words. */
    problems: Generated<string[]>;
    /** The number of its rows in dmarc_report_rows. */
    row_count: number;
    /** The messages of all rows together. */
    messages: number;
    /** When the report arrived. Reports are deleted after a time. */
    received_at: DefaultTimestamp;
  };
  /** What people say about the sources in DMARC reports: whether they send for the domain. */
  dmarc_source_marks: {
    team_id: number;
    domain_id: number;
    /** As dmarc_report_rows.kind. */
    kind: 'ours' | 'service' | 'forwarder' | 'other';
    /** As dmarc_report_rows.source. */
    source: string;
    /** Whether its mail belongs to the domain, and counts for the advice about the policy. */
    is_confirmed: boolean;
    created_at: DefaultTimestamp;
  };
  /** Domains that a team sends from and receives at, with their DKIM key and the state of their verification. */
  domains: {
    team_id: number;
    id: Generated<number>;
    name: string;
    /** A label that clients may set. It has no effect. */
    region: Generated<string>;
    status: Generated<'NOT_STARTED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'TEMPORARY_FAILURE'>;
    /** True from the first successful verification until a final failure. Only a team that holds a name may send from it. */
    held: Generated<boolean>;
    /** The selector of the key that signs: ph1, ph2 and so on. */
    dkim_selector: Generated<string>;
    /** The DKIM public key, as it is published in DNS. */
    public_key: string;
    /** The DKIM private key as PKCS #8, encrypted. */
    private_key: Buffer;
    /** Whether links in mail from this domain are rewritten to count clicks. */
    click_tracking: Generated<boolean>;
    /** Whether a pixel is added to mail from this domain to count opens. */
    open_tracking: Generated<boolean>;
    /** The status of each DNS record, by its role: dkim, nextDkim, retiredDkim, bounceMx, spf, dmarc, inboundMx. */
    record_status: DefaultJson;
    /** Whether a job checks the records until they are found or the time is over. */
    is_verifying: Generated<boolean>;
    /** Why the domain cannot be used although its records are right. */
    error_message: string | null;
    /** Which records are missing or wrong, as of the last check. */
    verification_error: string | null;
    /** When the DNS records were last looked up. */
    last_checked_at: Timestamp | null;
    /** Since when the records have been looked for or missing. 72 hours later the result is final. */
    checking_since: Timestamp | null;
    /** How many checks have failed in a row. The wait until the next check grows with it. */
    checks: Generated<number>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The selector of a new key. It signs from the moment that its record is found in DNS. */
    next_selector: string | null;
    /** The public part of the new key, as it is published in DNS. */
    next_public_key: string | null;
    /** The private part of the new key as PKCS #8, encrypted. */
    next_private_key: Buffer | null;
    /** When the new key was made. */
    next_since: Timestamp | null;
    /** The selector of the key that signed before. Its record must stay published for a week, for mail that is on its way. */
    retired_selector: string | null;
    /** The public part of the key that signed before. Its private part is deleted. */
    retired_public_key: string | null;
    /** When the key stopped signing. */
    retired_at: Timestamp | null;
    /** The label of the link host: links.example.com for the domain example.com. */
    tracking_subdomain: string | null;
    /** The state of the link host. Links use it only while it is ACTIVE. */
    tracking_status: Generated<'NONE' | 'WAITING_DNS' | 'CAA_BLOCKED' | 'ISSUING' | 'ACTIVE' | 'BROKEN'>;
    /** What is wrong with the link host, in words. */
    tracking_error: string | null;
    /** The name whose CAA records forbid our certificate authority, and the authority: {host, authority}. */
    tracking_caa: Json | null;
    /** Since when the link host is not active. Checks become rare after 72 hours. */
    tracking_since: Timestamp | null;
    /** How often the link host was found inactive in a row. */
    tracking_checks: Generated<number>;
    /** When the link host and the policy host are checked again. Null if there are none. */
    hosts_check_at: Timestamp | null;
    /** The mode of the MTA-STS policy (RFC 8461) that we serve for the domain. */
    mta_sts: Generated<'off' | 'testing' | 'enforce'>;
    /** Whether testing becomes enforce after 14 days of TLS reports without a failure. */
    mta_sts_auto: Generated<boolean>;
    /** Since when the policy has this mode. */
    mta_sts_since: Timestamp | null;
    /** The MX hosts of the domain in DNS, which the policy names besides MAIL_HOST. */
    mta_sts_hosts: Generated<string[]>;
    /** After the policy was turned off: until when senders may have it, so the mode none is served. */
    mta_sts_until: Timestamp | null;
    /** The local part of the address, and the end of the URL, to which other servers send reports about the domain. */
    report_token: Generated<string>;
    /** ON: too many complaints or hard bounces, so campaigns are paused and marketing emails of automations wait. WARNING: nearly so. */
    brake: Generated<'OFF' | 'WARNING' | 'ON'>;
    /** Since when the brake has this state. Null while it is OFF. */
    brake_since: Timestamp | null;
    /** What was counted: {measure, window, cases, outOf, campaignId}. Null while the brake is OFF. */
    brake_cause: Json | null;
    /** When someone last released the brake. Mail from before is not judged again. */
    brake_released_at: Timestamp | null;
    /** Why it was released, in the words of who did it. */
    brake_release_reason: string | null;
    /** The totals of the domain when the brake was released: {delivered, hardBounced, complained}. */
    brake_baseline: Json | null;
    /** Which ways out the mail of each kind uses: {transactional, campaign, automation}. Kinds without one use MAIL_TRANSPORT. */
    pools: DefaultJson;
  };
  /** What was sent in a day during a warm-up, by provider. Days without mail have no row. */
  egress_days: {
    /** The name of the setting EGRESS_<NAME>, in lower case. */
    egress: string;
    /** A large provider, found by its mail servers, or other. */
    provider: string;
    /** In UTC. */
    day: string;
    /** The most messages of the day. Null: warm. */
    cap: number | null;
    /** How the limit follows from the day before: start, rise, hold, halve, rest, or warm. */
    change: 'start' | 'rise' | 'hold' | 'halve' | 'rest' | 'warm';
    /** The same in words. */
    because: string;
    /** Messages that were tried, of all kinds. */
    sent: Generated<number>;
    /** Deferred by the provider. */
    deferred: Generated<number>;
    /** Rejected because of policy, reputation or spam. */
    blocked: Generated<number>;
    /** Rejected because the address does not exist. */
    bounced: Generated<number>;
    /** Messages of campaigns that were over the limit and wait for a later day. */
    waiting: Generated<number>;
  };
  /** Providers that blocked mail from a way out. Mail that is not urgent waits. */
  egress_slowdowns: {
    /** The name of the setting EGRESS_<NAME>, in lower case. */
    egress: string;
    /** A large provider, or the domain of the recipient. */
    provider: string;
    /** When mail is tried again. */
    until: Timestamp;
    /** How often in a row. Each block doubles the wait. */
    blocks: number;
    /** The reply of the provider. */
    reason: string;
  };
  /** The warm-up of a way out of the server, whose name is in the settings. */
  egress_warmups: {
    /** The name of the setting EGRESS_<NAME>, in lower case. */
    egress: string;
    /** The messages a day and provider at which the address counts as warm. */
    target: number;
    /** The messages of the first day. */
    start: number;
    /** The limit after a good day, in percent of the limit before. */
    factor_percent: number;
    /** Earlier days do not count. */
    started_at: DefaultTimestamp;
  };
  /** Attachments that were cut out of the contents of emails, and the texts and files of recipes. Their bytes are in blobs, without the base64 encoding. */
  email_content_parts: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** Where the part belongs, as a position in what is left of the message; a number for a recipe. */
    at: number;
    /** References blobs. */
    sha256: Buffer;
  };
  /** Messages as they go out, without the DKIM signature. A message is composed once, when it is accepted. */
  email_contents: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** Header and body in the form of RFC 5322, compressed with DEFLATE (RFC 1951) if inflated_size is set. */
    raw: Buffer;
    /** Whether raw is not compressed and valid UTF-8, which the database driver reads much faster than bytes. */
    is_text: Generated<boolean>;
    /** The size before compression; null if raw is not compressed. */
    inflated_size: number | null;
    /** The size of the message together with its parts in email_content_parts; null if it has none. */
    full_size: number | null;
    /** Whether raw is not the message but a JSON object with what the message is made from. The texts and files that emails share are in email_content_parts: 0 is the HTML, 1 the text, 2 the files. */
    is_recipe: Generated<boolean>;
  };
  /** What an SMTP client asked for with the parameters of MAIL and RCPT, for each recipient: delivery reports (DSN, RFC 3461) and TLS on the whole way (REQUIRETLS, RFC 8689). Also marks emails that are delivery reports. Other emails have no row. */
  email_envelopes: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** References email_recipients, by its position in the email. */
    recipient_no: number;
    /** The address of MAIL FROM, which gets the delivery reports. Empty for the null sender, which gets none. */
    sender: string;
    /** How much of the message a report about a failure returns: all of it, or the headers. Null if the client did not say. */
    ret: 'FULL' | 'HDRS' | null;
    /** The envelope ID of the client, which reports repeat. */
    envid: string | null;
    /** NEVER, or some of SUCCESS, FAILURE and DELAY, with commas. Null if the client did not say; then nobody is notified. */
    notify: string | null;
    /** The original recipient of the client, such as rfc822;ada@example.org, which reports repeat. */
    orcpt: string | null;
    /** The message is sent only with verified TLS, to servers that do the same. */
    requires_tls: Generated<boolean>;
    /** The email is a delivery report. It is sent with the null return path, so that nobody reports about it. */
    is_report: Generated<boolean>;
    /** The actions of RFC 3464 that the sender has got a report about. Each is reported once. */
    reported: Generated<string[]>;
  };
  /** The status of an email for each of its recipients. */
  email_recipients: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** The position among the recipients of the email. 0 is the contact in mail of a campaign, and its copies follow. */
    no: number;
    address: string;
    /** The address as addresses are compared. */
    address_key: string;
    /** One of the statuses of an email. */
    status: string;
  };
  /** Finds the emails with a tag, newest first. Written together with the email. */
  email_tags: {
    team_id: number;
    /** name:value. A name has no colon. */
    tag: string;
    /** References emails. */
    email_id: string;
  };
  /** How often an email was opened and clicked. Apart from emails because a row that is updated a thousand times should be narrow. */
  email_visits: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** Opens by people and bots. */
    opens: Generated<number>;
    /** Opens by people. */
    human_opens: Generated<number>;
    /** Clicks by people and bots. */
    clicks: Generated<number>;
    /** Clicks by people. */
    human_clicks: Generated<number>;
    /** The time of the last OPENED event. At most one is written each minute. */
    open_event_at: Timestamp | null;
    /** The time of the last CLICKED event. At most one is written each minute for the same link. */
    click_event_at: Timestamp | null;
    /** The link of the last CLICKED event. */
    click_event_url: string | null;
    /** How many OPENED and CLICKED events the email has. It is limited, so that nobody can add events without end. */
    event_count: Generated<number>;
    /** Whether a bot, such as a privacy proxy, has opened it. The first such open counts in campaign_hours. */
    machine_opened: Generated<boolean>;
    /** Whether a bot, such as a link scanner, has followed a link in it. */
    machine_clicked: Generated<boolean>;
  };
  /** One row for each email that someone asked to send. While it is SCHEDULED it has no deliveries, and every change of that is one UPDATE where status = 'SCHEDULED', so exactly one of several competing changes takes effect. */
  emails: {
    team_id: number;
    id: string;
    /** References domains without a foreign key, because sent mail outlives its domain. */
    domain_id: number;
    /** How it was submitted. system: confirmations to contacts and notices to owners; account: mail to a person about their own account, whose content nobody else may see. */
    source: 'api' | 'smtp' | 'campaign' | 'mailbox' | 'system' | 'account' | 'automation';
    /** The worst status of its recipients, or what the email as a whole waits for. */
    status: 'SCHEDULED' | 'QUEUED' | 'SENT' | 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'REJECTED' | 'RENDERING_FAILURE' | 'COMPLAINED' | 'OPENED' | 'CLICKED' | 'SUPPRESSED' | 'CANCELLED' | 'FAILED';
    /** The From header. */
    sender: string;
    /** The To header, one entry for each address. */
    to_addresses: string[];
    /** The Cc header, one entry for each address. */
    cc_addresses: string[];
    /** Recipients that no header shows. */
    bcc_addresses: string[];
    /** The Reply-To header, one entry for each address. */
    reply_to: string[];
    subject: string;
    /** The Message-ID header, with its angle brackets. */
    message_id: string;
    /** The priority that its deliveries get when they are made. 0: urgent, 1: batches and scheduled mail, 2: bulk. */
    priority: Generated<number>;
    /** When it is or was to be sent; null when it was to be sent immediately. */
    scheduled_at: Timestamp | null;
    /** scheduled_at while the email is SCHEDULED, otherwise null. It is indexed in place of the status. */
    waits_until: Timestamp | null;
    /** The UTC day of the first attempt, of mail from before first_tried_at was stored; such mail is counted at noon of that day. Not written any more. */
    first_tried_on: string | null;
    /** When a person, as opposed to a bot, first opened it. */
    opened_at: Timestamp | null;
    /** When a person, as opposed to a bot, first clicked a link in it. */
    clicked_at: Timestamp | null;
    /** References campaigns. Mail of a campaign has no row in email_contents: it is rendered when it is sent. */
    campaign_id: string | null;
    /** References contact_books; set for mail of a campaign. */
    contact_book_id: string | null;
    /** References contacts; set for mail of a campaign. */
    contact_id: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The trace and span that submitted it, as in the header of W3C Trace Context. Null if tracing was off. Delivery attempts continue the trace. */
    traceparent: string | null;
    /** When the content was deleted, on request or because its time was over; null while it is kept. Mail of a campaign is no longer rendered for display once it is set. */
    content_deleted_at: Timestamp | null;
    /** Tags and metadata from the sender, as {"tags": [{"name", "value"}], "metadata": {}}; null when there are none. They are not part of the message. */
    labels: Json | null;
    /** When it was first tried. Everything about this email is counted at this time. */
    first_tried_at: Timestamp | null;
    /** Whether its HTML has a tracking pixel; null for mail from before this was stored. */
    tracks_opens: boolean | null;
    /** Whether links in its HTML are tracked; null for mail from before this was stored. */
    tracks_clicks: boolean | null;
  };
  /** The fields that the data of an event must have the right type for. */
  event_definitions: {
    team_id: number;
    /** The name of the event. */
    name: string;
    /** The type of each field: string, number, boolean or date. */
    schema: Json;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** What happened to emails, contacts, domains, campaigns and messages. The transaction that makes a change also records it here. Rows are only appended, and dropped when their retention time is over. Readers follow the stream from a position (xid, id). */
  events: {
    team_id: number;
    id: string;
    /** The id of the email, campaign or message that it happened to; for contacts the id of their book; null for a domain. */
    subject_id: string | null;
    /** The transaction that recorded it. A reader reads in the order of (xid, id), up to the oldest transaction that is still running, and so misses nothing that commits late. A backup leaves it out, because the numbers of another server mean nothing here. */
    xid: Generated<string>;
    created_at: DefaultTimestamp;
    /** What happened, for example email.delivered. The list is in src/features/events/event-types.ts. */
    type: string;
    /** For emails: the address that it happened with; null when it concerns the email as a whole. */
    recipient: string | null;
    /** For contacts: all contacts to which one statement did the same, so that an import of 10,000 contacts adds one row. */
    contact_ids: string[] | null;
    /** Details that depend on the type: the reply of the server, the transcript, the link that was clicked, the id of the domain. */
    data: Json | null;
  };
  /** Every item that a feed ever had, so that none is sent twice. Rows are kept as long as the feed. */
  feed_items: {
    team_id: number;
    feed_id: string;
    /** SHA-256 of the guid of the item, or else of its link. */
    item_hash: Buffer;
    /** The order in which items became known, the oldest first. */
    position: Generated<number>;
    /** The item while it waits for its campaign, as content shows it. Null: nothing waits. */
    item: Json | null;
    /** References campaigns; the campaign that was made from the item. */
    campaign_id: string | null;
    /** When the item became known. */
    seen_at: DefaultTimestamp;
  };
  /** RSS, Atom and JSON feeds whose new items become campaigns. */
  feeds: {
    team_id: number;
    id: string;
    url: string;
    contact_book_id: string;
    /** References templates without a foreign key, so that a template can be deleted. The feed then has an error. */
    template_id: string;
    /** The sender of the campaigns. */
    sender: string;
    /** each: a campaign for each new item; digest: one for all new items at the times of the schedule. */
    mode: 'each' | 'digest';
    /** The days of the schedule, from 1 for Monday. Null: every day. */
    weekdays: number[] | null;
    /** The local time of the schedule, as 09:00. Null: no schedule. */
    at_time: string | null;
    /** The IANA time zone of the schedule. */
    time_zone: string | null;
    /** With fewer new items, the items wait for the next time. */
    min_items: number;
    /** The most items of a digest, or the most campaigns that are made at a time. */
    max_items: number;
    /** Whether campaigns are made as drafts, to be sent by a person. */
    review: boolean;
    status: Generated<'ACTIVE' | 'PAUSED'>;
    /** The title that the feed gives itself. */
    title: string | null;
    /** The ETag of the last response, for conditional requests. */
    etag: string | null;
    /** The Last-Modified field of the last response, for conditional requests. */
    last_modified: string | null;
    /** When the feed was first read. All its items count as seen then. */
    seeded_at: Timestamp | null;
    /** When the feed is read next. */
    check_at: DefaultTimestamp;
    /** The next time of the schedule. Null: no schedule. */
    next_issue_at: Timestamp | null;
    /** When the feed was last read, or could not be read. */
    last_checked_at: Timestamp | null;
    /** Why the last reading, or the last campaign, failed, as a sentence. */
    error: string | null;
    /** The author of the campaigns: an API key (key_…) or a person (user:usr_…). */
    created_by: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** The folders of mailboxes: six that every mailbox has, and those that people create. A trigger on mailboxes creates the six. */
  folders: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** inbox, archive, sent, drafts, spam or trash, which are also their special uses; otherwise the public id. */
    id: string;
    /** The full name, with / between the levels. The inbox is INBOX. */
    name: string;
    /** Changes when UIDs of the folder could mean other messages than before (RFC 9051, section 2.3.1.1). */
    uid_validity: Generated<number>;
    /** The UID of the next message. */
    next_uid: Generated<number>;
    /** The number of the latest change of a message in the folder, or of one that left it. */
    modseq: Generated<number>;
    /** The change number with which the folder was created. */
    created_modseq: Generated<number>;
    /** The change number of the latest change of the folder itself, such as a new name. */
    changed_modseq: Generated<number>;
    /** Whether email apps list it among the subscribed folders. */
    subscribed: Generated<boolean>;
    /** How many messages are in it. Triggers on messages keep this and the next two columns. */
    messages: Generated<number>;
    /** How many of them are unread. */
    unseen: Generated<number>;
    /** The sizes of its messages. */
    bytes: Generated<number>;
    created_at: DefaultTimestamp;
    /** Where JMAP clients show it among others, smaller numbers first. Null: the default of its kind. */
    sort_order: number | null;
    /** The first UID that no email app was told of as \Recent (RFC 3501, section 2.3.2). */
    first_recent_uid: Generated<number>;
  };
  /** How often each form was seen and used. Split over slots by connection, so that writers do not wait for each other. */
  form_counts: {
    team_id: number;
    form_id: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    /** How often the page was shown. */
    views: number;
    /** People who signed up and were not subscribed to all of it before. */
    signups: number;
    /** Those of them who are subscribed: immediately, or by the link in the confirmation email. */
    confirmed: number;
  };
  /** Forms by which people sign up to a contact book, on a page of their own or in another site. */
  forms: {
    team_id: number;
    id: string;
    contact_book_id: string;
    /** For the team; visitors do not see it. */
    name: string;
    /** The fields in their order, as the API shows them: [{name, label, required}]. The first is the email address. */
    fields: Json;
    /** References topics without a foreign key. Topics that were deleted are ignored. */
    topic_ids: string[];
    /** Texts that differ from the defaults, by name. */
    texts: Json;
    /** Colors that differ from the defaults, by name, as #rrggbb. */
    colors: Json;
    /** Where the visitor goes after signing up. Null: to the page that says thank you. */
    redirect_url: string | null;
    /** The language of the page. Null: the language that the visitor prefers. */
    language: 'en' | 'de' | 'fr' | 'es' | 'nl' | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** Addresses elsewhere to which rules of a mailbox forward, once their owners have agreed by a link. */
  forward_targets: {
    team_id: number;
    mailbox_id: string;
    /** The normalised address. */
    address_key: string;
    address: string;
    /** SHA-256 of the token in the link. */
    token_hash: Buffer;
    /** When the link was last sent. */
    asked_at: DefaultTimestamp;
    /** Null until the link was opened and confirmed. Nothing is forwarded before. */
    confirmed_at: Timestamp | null;
  };
  /** The TLS certificates of link hosts and MTA-STS hosts, where this instance orders them by ACME. All processes serve them by SNI. */
  host_certificates: {
    host: string;
    /** The certificate and its chain in PEM. Null until the first order has succeeded. */
    chain: string | null;
    /** The key in PEM, encrypted with the instance secret. */
    private_key: Buffer | null;
    /** When the certificate expires. */
    ends_at: Timestamp | null;
    /** When a new certificate is ordered: in the window that the authority names (RFC 9773), else after two thirds of the lifetime. */
    renew_at: Timestamp | null;
    /** When the authority is asked for the window again. */
    ask_at: Timestamp | null;
    /** When the last order began. Orders per hour are limited. */
    ordered_at: Timestamp | null;
    /** How many orders have failed in a row. */
    failures: Generated<number>;
    /** When the first of the failed orders ended. */
    failed_since: Timestamp | null;
    /** After a failure: when the next order may begin. */
    retry_at: Timestamp | null;
    /** What went wrong with the last order, in words. */
    error: string | null;
    created_at: DefaultTimestamp;
  };
  /** Responses to requests with an Idempotency-Key, stored by the transaction that did the work and replayed when the request is repeated. */
  idempotency_keys: {
    team_id: number;
    /** The value of the Idempotency-Key header. */
    key: string;
    /** SHA-256 of method, path and body. A different request with the same key is rejected. */
    request_hash: Buffer;
    /** The stored response, encrypted because some responses contain a secret that is stored nowhere else. */
    answer: Buffer;
    created_at: DefaultTimestamp;
  };
  /** People at OpenID Connect providers, and their accounts here. */
  identities: {
    /** The issuer identifier of the provider. With subject it names one person for ever. */
    issuer: string;
    /** The sub claim. */
    subject: string;
    user_id: string;
    /** The address that the provider last named. Only shown. */
    email: string | null;
    created_at: DefaultTimestamp;
    /** When the person last signed in with it. */
    last_used_at: DefaultTimestamp;
  };
  /** One row that shows which instance secret this database belongs to. Without a row, the next start with a secret that decrypts what is stored adds it. */
  instance_secret: {
    /** Always true, so that there is at most one row. */
    is_only: Generated<boolean>;
    /** A key derived from the instance secret for this purpose only. It reveals nothing about the secret. */
    check_value: Buffer;
    created_at: DefaultTimestamp;
  };
  /** Invitations to a team that nobody has accepted yet. Inviting the same address again replaces the earlier one. */
  invitations: {
    team_id: number;
    id: string;
    email: string;
    /** The address as addresses are compared. */
    email_key: string;
    /** The role that the person gets by accepting. */
    role: 'owner' | 'admin' | 'member';
    /** SHA-256 of the token in the link. */
    token_hash: Buffer;
    /** The API key or the person that sent it: key_… or user:usr_…. */
    invited_by: string;
    expires_at: Timestamp;
    created_at: DefaultTimestamp;
    /** Whether accepting proves the address: the link went to the address alone, or the team holds its domain. */
    proves: Generated<boolean>;
  };
  /** When a job of each kind was last finished, to tell a long queue that moves from one that does not. */
  job_progress: {
    /** The name of the job. */
    job: string;
    /** The queue that it is in; empty for jobs without a queue. */
    queue: string;
    /** When a job of this kind and queue was last finished. */
    moved_at: Timestamp;
  };
  /** When each job that runs at fixed times was last due. */
  job_schedule: {
    /** The kind of job. */
    job: string;
    /** The last time at which it was to run. */
    last_due_at: Timestamp;
  };
  /** Background jobs that wait, run, or have failed for the last time. A job is deleted when it is done. */
  jobs: {
    id: Generated<number>;
    /** The kind of job. */
    name: string;
    /** What the job works on, mostly IDs. JSON null if nothing is left to do. */
    payload: Json;
    /** Lower values run first. */
    priority: Generated<number>;
    /** Jobs of one queue run one at a time. */
    queue: string | null;
    /** A waiting job is replaced by a new one with the same key. */
    key: string | null;
    /** When it runs next, at the earliest. */
    due_at: DefaultTimestamp;
    /** When it was to run first. Retries do not change it. */
    first_due_at: DefaultTimestamp;
    /** How often it was begun. */
    attempts: Generated<number>;
    /** After this many attempts it is not tried again. */
    max_attempts: Generated<number>;
    /** Why the last attempt failed. */
    last_error: string | null;
    /** The process that runs it. */
    leased_by: string | null;
    /** When that process began. */
    leased_at: Timestamp | null;
    /** When others may take it over. */
    leased_until: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** Browsers and networks from which a person has signed in. Failed attempts from elsewhere do not lock the person out of these. */
  known_places: {
    user_id: string;
    /** SHA-256 of the token in the device cookie, or of the network. */
    place: Buffer;
    /** browser: it has the device cookie. */
    kind: 'browser' | 'network';
    /** When the person last signed in from there. */
    last_seen_at: DefaultTimestamp;
  };
  /** When `posthorn backup` last wrote a file, for monitoring. At most one row. */
  last_backup: {
    id: Generated<boolean>;
    /** When the file was finished. */
    at: Timestamp;
    /** The size of the file. */
    bytes: number;
  };
  /** The hosts of customers under which we serve links of emails or an MTA-STS policy. A host that a domain no longer uses stays while its DNS leads here, because sent links have it. */
  link_hosts: {
    /** In A-labels and lower case. A host belongs to one team of the instance. */
    host: string;
    team_id: number;
    /** Null after the domain was deleted. */
    domain_id: number | null;
    /** Whether links of emails or an MTA-STS policy are served. */
    purpose: 'links' | 'mta-sts';
    /** Whether DNS leads here and permits our authority, so that a certificate may be ordered. */
    is_ready: Generated<boolean>;
    /** Since when the DNS of a host without a domain no longer leads here. */
    lost_since: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  /** Names and signatures with which JMAP clients write (Identity of RFC 8621). All have the address of their mailbox. */
  mail_identities: {
    team_id: number;
    /** The id of the mailbox for the identity that every mailbox has. It has a row once it was changed. */
    id: string;
    mailbox_id: string;
    /** The name in the From header. */
    name: string;
    /** Addresses for Reply-To, as the client gave them. */
    reply_to: Json | null;
    /** Addresses that get a blind copy, as the client gave them. */
    bcc: Json | null;
    /** The signature for plain text. The client adds it, not the server. */
    text_signature: Generated<string>;
    /** The signature for HTML, not cleaned: only JMAP clients read it. */
    html_signature: Generated<string>;
    /** The change number of its latest change. */
    modseq: number;
    /** The change number with which it was stored. */
    created_modseq: number;
    /** Whether a client has destroyed it. The row stays, so that other clients learn of it. */
    is_destroyed: Generated<boolean>;
  };
  /** Notifications of people about mail. Kept for 30 days. */
  mail_notifications: {
    team_id: number;
    user_id: string;
    id: string;
    /** References mailboxes. */
    mailbox_id: string;
    /** References threads. */
    thread_id: string;
    /** References messages. */
    message_id: string | null;
    /** Why the person is notified. */
    kind: 'assigned' | 'mention' | 'message' | 'reminder' | 'rule';
    created_at: DefaultTimestamp;
    /** When an email about it is due, if it is still unread. Null: none, or sent. */
    email_at: Timestamp | null;
  };
  /** Messages that JMAP clients have sent (EmailSubmission of RFC 8621). */
  mail_submissions: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** References mail_identities, or mailboxes for the identity of the mailbox itself. */
    identity_id: string;
    /** References messages. The message may have been deleted since. */
    message_id: string;
    /** References threads. */
    thread_id: string;
    /** References emails. */
    email_id: string;
    /** The envelope that the client gave, or that was read from the header. */
    envelope: Json;
    /** When the message is or was released. */
    send_at: Timestamp;
    /** Whether sending can still be undone. It follows the email. */
    undo_status: 'pending' | 'final' | 'canceled';
    /** The change number of its latest change. */
    modseq: number;
    /** The change number with which it was stored. */
    created_modseq: number;
    /** Whether a client has destroyed it. The row stays, so that other clients learn of it. */
    is_destroyed: Generated<boolean>;
    created_at: DefaultTimestamp;
  };
  /** Files that JMAP clients have uploaded, to attach them or to import messages. Deleted after a day. */
  mail_uploads: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** References blobs. */
    sha256: Buffer;
    /** As the client named it. */
    content_type: string;
    /** In bytes. */
    size: number;
    created_at: DefaultTimestamp;
  };
  /** What people may do in mailboxes (src/features/api/mailbox-access.ts). In a mailbox that is open to the team, a row can only give more. */
  mailbox_access: {
    team_id: number;
    mailbox_id: string;
    user_id: string;
    /** read: read, note, assign; draft: also write drafts; reply: also send, move, delete; manage: also rules and access. */
    role: 'read' | 'draft' | 'reply' | 'manage';
    created_at: DefaultTimestamp;
  };
  /** Who did what in a thread, or changed the access to a mailbox, and when (src/features/mailboxes/activity). */
  mailbox_activity: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** Null for what concerns the mailbox as a whole. */
    thread_id: string | null;
    /** When it happened. */
    at: DefaultTimestamp;
    /** Who did it: user:usr_…, key_…, rule:… or automation. */
    actor: string;
    /** The name of the person at that time; null if nobody in particular did it. */
    actor_name: string | null;
    /** What happened, for example assigned. The list is in src/features/mailboxes/activity/activity.schema.ts. */
    type: string;
    /** Details that depend on the type, with public IDs. */
    data: DefaultJson;
  };
  /** Further addresses of a mailbox, which receive and send. No two mailboxes of the instance have the same address (claim_mailbox_address). */
  mailbox_addresses: {
    team_id: number;
    mailbox_id: string;
    id: string;
    /** As it was entered. */
    address: string;
    /** The normalised address, unique in the instance. */
    address_key: string;
    /** The name of a domain of the team. Mail is received while the team holds it. */
    domain: string;
    /** Shown to recipients next to the address. Null: the name of the mailbox. */
    name: string | null;
    created_at: DefaultTimestamp;
  };
  /** Senders whose mail a mailbox does not want. */
  mailbox_blocks: {
    team_id: number;
    mailbox_id: string;
    id: string;
    /** A normalised address, or @ and a domain. */
    entry: string;
    /** spam: the message goes to spam. reject: the recipient is rejected with 550. */
    action: 'spam' | 'reject';
    /** Who blocked the sender: a key or user:usr_…. */
    created_by: string | null;
    created_at: DefaultTimestamp;
  };
  /** The change number (MODSEQ) of each mailbox. A transaction that changes messages or folders locks the row, raises the number and writes it to what it changes, so numbers become visible in their order. */
  mailbox_change_numbers: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** The number of the latest change. */
    modseq: Generated<number>;
    /** The log of vanished messages is complete only after this number. */
    forgotten_modseq: Generated<number>;
  };
  /** What happened in a mailbox, for clients that listen. Kept for a short time. */
  mailbox_events: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    id: Generated<number>;
    /** The number by which clients continue. It is assigned by the first reader, because a number assigned before the commit could become visible after a higher one was read. */
    no: number | null;
    /** What happened: message.received, message.left, message.taken_back, thread.changed and so on. */
    type: string;
    /** References threads; null when it concerns the folders of the mailbox. */
    thread_id: string | null;
    /** References messages; null when it concerns the thread as a whole. */
    message_id: string | null;
    created_at: DefaultTimestamp;
  };
  /** How many threads each folder has. Kept by triggers on threads and split over slots, so that two messages to one mailbox do not wait for each other. */
  mailbox_folder_counts: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** References folders. */
    folder: string;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    /** The number of threads that this part has counted; it can be negative. */
    threads: number;
    /** The same for threads with unread messages. */
    unread: number;
  };
  /** The names and colours of labels. Messages have their keywords (messages.labels). */
  mailbox_labels: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** The IMAP keyword. It is made once from the name and stays when the name changes. */
    keyword: string;
    /** As people see it. */
    name: string;
    /** As #rrggbb. */
    color: string;
    created_at: DefaultTimestamp;
  };
  /** What a mailbox does with mail that arrives (src/features/mailboxes/rules). */
  mailbox_rules: {
    team_id: number;
    mailbox_id: string;
    id: string;
    /** Rules act in this order. The first has 1. */
    position: number;
    name: string;
    /** Whether the rule acts. */
    enabled: boolean;
    /** all: every condition must hold. any: one is enough. */
    match: 'all' | 'any';
    /** A list of {field, op, value}. */
    conditions: Json;
    /** A list of {type, …}. */
    actions: Json;
    /** Whether later rules are left out if this one matches. */
    stop: boolean;
    /** Why the rule was switched off by itself, for example because a folder is gone. */
    disabled_reason: string | null;
    /** When the rule was switched off by itself. */
    disabled_at: Timestamp | null;
    /** Who made the rule: a key or user:usr_…. */
    created_by: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** Signatures for messages of a mailbox. */
  mailbox_signatures: {
    team_id: number;
    mailbox_id: string;
    id: string;
    name: string;
    /** Cleaned. */
    html: string;
    /** The only person who uses it. Null: everyone. */
    user_id: string | null;
    /** The only further address that it is for. Null: all addresses of the mailbox. */
    address_id: string | null;
    /** Used without being chosen. Of several, that of the person and the address wins, then that of the person. */
    is_default: Generated<boolean>;
    created_at: DefaultTimestamp;
  };
  /** People who are notified of every new message of a mailbox. */
  mailbox_watchers: {
    team_id: number;
    mailbox_id: string;
    user_id: string;
  };
  /** Addresses that receive and send mail. An address exists once in the whole instance. */
  mailboxes: {
    team_id: number;
    id: string;
    address: string;
    /** The address as addresses are compared. */
    address_key: string;
    /** The domain by its name, because a mailbox outlives the row of its domain. It receives mail only while the team holds that name. */
    domain: string;
    /** The display name in the From header. */
    name: string | null;
    /** How long a sent message is held back so that sending can be undone. */
    undo_seconds: number;
    /** Whether it receives mail to addresses of its domain that do not exist. A domain has at most one such mailbox. */
    catch_all: Generated<boolean>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** team: everyone in the team may read and reply. listed: only the people in mailbox_access. */
    access_mode: Generated<'team' | 'listed'>;
    /** Counts the changes of its rules and blocks, so that they are read again only after a change. 0: it never had any. */
    arrival_version: Generated<number>;
    /** What assistants are told about the mailbox: {instructions, tone, actions}, as the API shows it. Null: nothing. */
    assistant: Json | null;
  };
  /** The media library: images that a team uses in its emails. Everyone who has the URL of an image can see it. */
  media: {
    team_id: number;
    id: string;
    /** References blobs. */
    sha256: Buffer;
    name: string;
    /** Found by the bytes, not by what the client said. */
    content_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';
    /** In pixels. */
    width: number;
    /** In pixels. */
    height: number;
    /** In bytes. */
    size: number;
    created_at: DefaultTimestamp;
  };
  /** Which people belong to which teams, and with which role. */
  memberships: {
    team_id: number;
    user_id: string;
    role: 'owner' | 'admin' | 'member';
    /** When this person last used this team, to within some minutes. */
    last_seen_at: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  /** Ids of threads that turned out to be part of another thread, so that old links still work. */
  merged_threads: {
    team_id: number;
    /** The id that the thread had. */
    id: string;
    /** References threads: the thread that has its messages now. */
    into_id: string;
  };
  /** The attachments of messages. Their bytes are in blobs. */
  message_attachments: {
    team_id: number;
    /** References messages. */
    message_id: string;
    /** The position in the message. */
    no: number;
    filename: string | null;
    /** The MIME type that the message declares. */
    content_type: string;
    /** The Content-ID by which the HTML body refers to it. */
    content_id: string | null;
    /** Whether it is shown inside the message and not in the list of attachments. */
    inline: boolean;
    /** In bytes. */
    size: number;
    /** References blobs. */
    sha256: Buffer;
  };
  /** Calendar invitations, updates, cancellations and replies in received messages (RFC 5546, RFC 6047). */
  message_invitations: {
    team_id: number;
    message_id: string;
    /** References mailboxes. */
    mailbox_id: string;
    /** Names the event (RFC 5545). */
    uid: string;
    /** The occurrence that it is about. Empty: the whole series. */
    recurrence_id: Generated<string>;
    /** The version of the event (RFC 5545). */
    sequence: number;
    /** As in RFC 5546, for example REQUEST or CANCEL. */
    method: string;
    /** The normalised address of the organiser. Empty if the invitation names none. */
    organizer_key: string;
    /** The event as src/mail/calendar reads it. */
    event: Json;
    /** Whether the organiser sent the message, as far as the checks of the sender tell. */
    is_trusted: boolean;
    /** What the mailbox answered. */
    answer: 'accepted' | 'tentative' | 'declined' | null;
    /** When the answer was sent. */
    answered_at: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  /** The Message-IDs that a message names, to find it when the message that it replies to arrives later. */
  message_references: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** A Message-ID from its In-Reply-To or References header. */
    reference: string;
    /** References messages. */
    message_id: string;
  };
  /** The header and the MIME structure of messages in the form that IMAP sends, so that lists need not read whole messages. A row is made when an email app first asks for it. */
  message_structures: {
    team_id: number;
    /** References messages. */
    message_id: string;
    /** What it was made from: the hash of the blob in hexadecimal, or the id of the email. If the message has another source, the row is out of date. */
    source: string;
    /** The size of the source in bytes. */
    size: number;
    /** The header section with its empty line. */
    header: Buffer;
    /** The ENVELOPE of RFC 9051. */
    envelope: Buffer;
    /** The BODY of RFC 9051. */
    body: Buffer;
    /** The BODYSTRUCTURE of RFC 9051. */
    body_structure: Buffer;
  };
  /** The words of messages, for full-text search. Messages from before this table have them in messages.search. */
  message_words: {
    team_id: number;
    /** References messages. */
    message_id: string;
    /** The last eight characters of the mailbox's ID, and then each word behind a blank, or behind < if it is in the sender, or > if it is in the recipients. */
    words: string;
  };
  /** The messages of mailboxes: received, sent, waiting and drafts. If there is an email, only the email says whether the message waits, was sent or bounced. */
  messages: {
    team_id: number;
    id: string;
    /** References mailboxes. */
    mailbox_id: string;
    /** References threads. */
    thread_id: string;
    /** in: received; out: written here. */
    direction: 'in' | 'out';
    /** References emails; set while the message waits and once it was sent. */
    email_id: string | null;
    /** Whether a waiting message is cancelled when someone else writes in the thread first. */
    cancel_if_replied: Generated<boolean>;
    /** The Message-ID header, with its angle brackets. */
    message_id: string | null;
    /** The Message-ID that it replies to. */
    in_reply_to: string | null;
    /** The Message-IDs of its References header. */
    reference_ids: string[];
    /** The From header. */
    sender: string;
    /** The To header, one entry for each address. */
    to_addresses: string[];
    /** The Cc header, one entry for each address. */
    cc_addresses: string[];
    /** Recipients that no header shows; of our own messages only. */
    bcc_addresses: string[];
    /** The Reply-To header, one entry for each address. */
    reply_to: string[];
    subject: string;
    /** The plain text body. */
    text: string | null;
    /** The HTML body after cleaning. */
    html: string | null;
    /** Whether someone has read it (\Seen). Messages of our own are stored as read. */
    read: boolean;
    attachment_count: number;
    /** The results of SPF, DKIM, DMARC and ARC; null where nothing was checked. */
    authentication: Json | null;
    /** References blobs: the message as it was received or added by an email app. */
    raw_sha256: Buffer | null;
    /** A hash that is the same when the same message is delivered again, so that it is stored once. */
    delivery_key: Buffer | null;
    /** The words of the message, for full-text search. Null if message_words has them. */
    search: string | null;
    created_at: DefaultTimestamp;
    /** References folders. A message is in exactly one. */
    folder: string;
    /** Its number in the folder. It gets a new one when it is moved or its content changes. */
    uid: number;
    /** The change number of its latest change. */
    modseq: Generated<number>;
    /** The change number with which it was stored. */
    created_modseq: Generated<number>;
    /** Whether someone marked it as important (\Flagged). */
    starred: Generated<boolean>;
    /** Whether it was replied to (\Answered). */
    answered: Generated<boolean>;
    /** Whether it is unfinished (\Draft). An outgoing message with this flag and without an email can be edited and sent. */
    draft: Generated<boolean>;
    /** Whether an email app marked it for deletion (\Deleted). */
    deleted: Generated<boolean>;
    /** Other IMAP keywords, sorted. */
    labels: Generated<string[]>;
    /** The beginning of its text. */
    snippet: Generated<string>;
    /** The size of its source in bytes. Null while a draft has no source. */
    size: number | null;
    /** When it was stored in its folder. */
    saved_at: DefaultTimestamp;
    /** The time in the Date header; null if there is none, or if the message was stored before this column existed. Then created_at counts. */
    sent_at: Timestamp | null;
    /** The day in the Date header, in the time zone of the sender. Null like sent_at. */
    sent_on: string | null;
    /** What the From, To and Cc headers have besides the columns: names of groups, further authors, addresses without a domain. For each such header its text, and the mailbox and the name by which it is sorted. Null for most messages. */
    more_addresses: Json | null;
    /** The HTML with its own style sheet, classes and background images, cleaned for display in a frame without scripts. Null where html alone looks the same, and for messages from before this column. */
    display_html: string | null;
    /** The size of its text, its HTML and its HTML for display in bytes, which are made from the source when they are read. Null if text, html and display_html have them. */
    body_bytes: number | null;
    /** References users: who wrote the message or draft here. Null for received messages and those of email apps and API keys. */
    author_id: string | null;
    /** The normalised recipient of the envelope, for received messages. Replies come from this address. */
    delivered_to: string | null;
    /** How to leave the mailing list: {oneClick, url, mailto}. Null unless a passing DKIM signature covers the fields. */
    list_unsubscribe: Json | null;
    /** What the spam filter said on arrival: {score, reasons, symbols}. Null where nothing was checked. */
    spam: Json | null;
  };
  /** What a person wants to be notified of. Without a row the defaults hold. */
  notification_settings: {
    team_id: number;
    user_id: string;
    /** As the API shows them. */
    settings: Json;
    updated_at: DefaultTimestamp;
  };
  /** Applications that registered themselves (RFC 7591). Those with a metadata document are not stored. */
  oauth_clients: {
    id: string;
    name: string;
    /** Where authorization codes may be sent. */
    redirect_uris: string[];
    created_at: DefaultTimestamp;
    /** When a person last let the application in. Those that nobody has let in are deleted after a day. */
    used_at: Timestamp | null;
  };
  /** Consents of people: the API key that an application acts with (src/features/identity/oauth/). */
  oauth_grants: {
    team_id: number;
    key_id: string;
    /** The secret of the key is derived from this and the instance secret, so that it never leaves the server. */
    seed: string;
    /** The application: an ID of oauth_clients, or the URL of its metadata document. */
    client_id: string;
    /** SHA-256 of the authorization code, which works once until code_until. */
    code_hash: Buffer;
    /** Until when the authorization code works. */
    code_until: Timestamp;
    /** When the code was exchanged. Using it again ends the grant. */
    code_used_at: Timestamp | null;
    /** S256 of the code verifier (RFC 7636). */
    code_challenge: string;
    /** Where the code was sent, which the client names again when it exchanges it. */
    redirect_uri: string;
    /** When the key ends once the code was used. Until then it ends with the code. */
    expires_at: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  /** Tokens of grants, by their SHA-256. */
  oauth_tokens: {
    /** SHA-256 of the token. */
    token_hash: Buffer;
    team_id: number;
    key_id: string;
    /** access: for requests, an hour long. refresh: for new tokens, once. */
    kind: 'access' | 'refresh';
    created_at: DefaultTimestamp;
    expires_at: Timestamp;
    /** When a refresh token was exchanged. Using it again ends the grant. */
    used_at: Timestamp | null;
  };
  /** The passkeys of people (Web Authentication). Each works instead of the password, and as the second factor after it. */
  passkeys: {
    id: string;
    user_id: string;
    /** How the device knows the passkey. */
    credential_id: Buffer;
    /** In the format of COSE. */
    public_key: Buffer;
    /** The signature counter of the last use. One that goes back is a sign of a copied passkey. Many devices leave it at 0. */
    sign_count: number;
    /** How the browser reaches the device, in its own words. */
    transports: string[];
    /** What the person calls it. */
    name: string;
    /** The host of BASE_URL when it was made. It works at no other host. */
    rp_id: string;
    /** Whether the device has copied it to an account of the person, as it said at the last use. */
    backed_up: boolean;
    created_at: DefaultTimestamp;
    /** When the person last signed in with it. */
    last_used_at: Timestamp | null;
  };
  /** The link to a new password that was last mailed to a person and not used yet. */
  password_resets: {
    user_id: string;
    /** SHA-256 of the token in the link. */
    token_hash: Buffer;
    expires_at: Timestamp;
  };
  /** What a team has written down about a person it corresponds with. */
  person_notes: {
    team_id: number;
    /** The normalised address of the person. */
    address_key: string;
    /** Plain text. */
    notes: string;
    /** Who changed the notes last: a key or user:usr_…. */
    updated_by: string;
    updated_at: DefaultTimestamp;
  };
  /** The emails of keys with a send policy, for the limits of the policy. Kept for 90 days. */
  policy_sends: {
    team_id: number;
    /** References emails. */
    email_id: string;
    /** References api_keys. */
    key_id: string;
    /** Whether it had to wait for a person. */
    is_held: boolean;
    /** References threads: the thread that it replied to. */
    thread_id: string | null;
    /** Hashes of the addresses that were new to the mailbox. */
    new_recipients: string[];
    created_at: DefaultTimestamp;
  };
  /** The key by which this instance proves to push services who it is (RFC 8292). At most one row. */
  push_keys: {
    /** Always 1. */
    id: number;
    /** The uncompressed P-256 point, which browsers subscribe with. */
    public_key: Buffer;
    /** In PKCS #8, encrypted with the instance secret. */
    private_key: Buffer;
    created_at: DefaultTimestamp;
  };
  /** Browsers that get notifications while webmail is closed (RFC 8030). */
  push_subscriptions: {
    team_id: number;
    user_id: string;
    id: string;
    /** The URL of the push service. */
    endpoint: string;
    /** The P-256 key of the browser (p256dh of RFC 8291). */
    public_key: Buffer;
    /** The authentication secret of the browser (RFC 8291). */
    auth_secret: Buffer;
    created_at: DefaultTimestamp;
  };
  /** What happened to the mail of each quarter of an hour, counted as in daily_counts. A quarter of an hour is the largest unit of which the days of all time zones consist. */
  quarter_hour_counts: {
    team_id: number;
    /** Empty for all mail, 'campaign ' and the id of a campaign, or 'tag ' and a tag as name:value. */
    subject: string;
    /** References domains. For all mail there are also rows with 0, which stands for all domains of the team together. */
    domain_id: number;
    /** The beginning of the quarter of an hour in which the mail was first tried. */
    quarter: Timestamp;
    /** The part of a split counter; readers add all of them up. Those of past hours are merged into slot 0. */
    slot: number;
    sent: number;
    /** Recipients whose server accepted the mail and did not bounce it since. */
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    /** The part of bounced for which the address is wrong for good. */
    hard_bounced: number;
    complained: number;
    /** Emails with a tracking pixel that reached at least one recipient. */
    open_tracked: number;
    /** The part of opened that are emails with a tracking pixel. Others count as opened when a link in them is clicked. */
    open_tracked_opened: number;
    /** Emails with tracked links that reached at least one recipient. */
    click_tracked: number;
    /** The part of clicked that are emails known to have tracked links. */
    click_tracked_clicked: number;
  };
  /** Codes that replace a two-factor code once each. A code that was used is deleted. */
  recovery_codes: {
    user_id: string;
    /** SHA-256 of the code. */
    code_hash: Buffer;
  };
  /** Relays that cannot be reached or reject our password. A worker adds the row, repeats it every minute while the failure lasts, and deletes it when the relay works again. */
  relay_failures: {
    /** The URL of the relay without the password. */
    relay: string;
    /** The regions whose mail goes through this relay; null if it is the relay of all other regions. */
    regions: string[] | null;
    /** The last failure: the reply of the relay or the error of the connection. */
    reason: string;
    /** When the failure began. */
    since: DefaultTimestamp;
    /** When a worker last saw the failure. Rows that nobody has repeated for three minutes are out of date: the worker has ended or has other settings. */
    seen_at: DefaultTimestamp;
  };
  /** Requests of API keys, written in batches after the response (src/features/activity/request-log). */
  request_log: {
    team_id: number;
    id: string;
    /** When the response was ready, by the clock of the process. */
    at: Timestamp;
    /** The HTTP method. */
    method: string;
    /** The path without the query. */
    path: string;
    status: number;
    /** How long the response took. */
    duration_ms: number;
    /** The public ID of the API key. */
    key_id: string;
    /** The x-request-id of the request. */
    request_id: string;
    /** At most 500 characters. */
    user_agent: string | null;
    /** The public ID of the email that the request made or named. */
    email_id: string | null;
    /** JSON without secrets and the content of emails, at most 8 kB. */
    request_body: string | null;
    /** Like request_body. */
    response_body: string | null;
  };
  /** The latest run of a rule over the messages that a mailbox already has. */
  rule_applications: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    rule_id: string;
    status: 'running' | 'done' | 'failed';
    /** Messages that were looked at. */
    examined: Generated<number>;
    /** Messages on which the rule has acted. */
    matched: Generated<number>;
    /** References messages: all from this one on have been examined. Null at the start. */
    before_id: string | null;
    started_at: DefaultTimestamp;
    /** Null while it runs. */
    ended_at: Timestamp | null;
  };
  /** What rules did with messages, and their errors. Kept for 30 days. */
  rule_log: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    id: string;
    /** References mailbox_rules. The rule may have been deleted since. */
    rule_id: string;
    /** References messages. */
    message_id: string | null;
    /** The types of the actions that took effect. */
    actions: string[];
    /** Why an action or the rule failed. The message was stored in any case. */
    error: string | null;
    created_at: DefaultTimestamp;
  };
  /** When a rule of the mailbox last replied to a person, so that each gets one reply in four days. */
  rule_replies: {
    team_id: number;
    mailbox_id: string;
    /** The normalised address of the person. */
    address_key: string;
    /** When the person last got a reply. */
    replied_at: DefaultTimestamp;
  };
  /** Messages that the sandbox transport caught instead of sending them. */
  sandbox_messages: {
    team_id: number;
    id: string;
    /** References emails. */
    email_id: string;
    /** The envelope sender (MAIL FROM). */
    mail_from: string;
    /** The envelope recipient (RCPT TO). */
    recipient: string;
    /** The message as it would have been sent, signature included, compressed with DEFLATE if inflated_size is set. */
    raw: Buffer;
    created_at: DefaultTimestamp;
    /** The size before compression; null if raw is not compressed. */
    inflated_size: number | null;
    /** Whether raw is only what precedes the message of the email, such as its signature, because the email is stored as a recipe. */
    is_prefix: Generated<boolean>;
  };
  /** Texts that a mailbox keeps for using again. They are deleted with their mailbox. */
  saved_replies: {
    team_id: number;
    mailbox_id: string;
    id: string;
    name: string;
    /** The content after cleaning. */
    html: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The heading under which webmail lists it. Null: none. */
    folder: string | null;
    /** What is done to the thread when the reply is sent, as the API shows it. */
    actions: DefaultJson;
  };
  /** The files of saved replies. Their bytes are in blobs. */
  saved_reply_files: {
    team_id: number;
    mailbox_id: string;
    /** References saved_replies. */
    reply_id: string;
    /** The position in the reply. */
    no: number;
    filename: string | null;
    /** The MIME type. */
    content_type: string;
    /** The Content-ID by which the HTML refers to it. */
    content_id: string | null;
    /** Whether it is shown inside the message. */
    inline: boolean;
    /** In bytes. */
    size: number;
    /** References blobs. */
    sha256: Buffer;
  };
  /** Which three bytes occur in the messages of a folder, for searches by email apps. A row is about all messages from one UID to another, and never changes. Messages with later UIDs have no row yet. */
  search_grams: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** References folders. */
    folder: string;
    /** The first UID that the row is about. */
    first_uid: number;
    /** The last UID that the row is about. */
    last_uid: number;
    /** The UIDs in increasing order, with four bytes for each. */
    uids: Buffer;
    /** A table of bits with 8,192 rows and a column for each UID. Three bytes belong to the row of their hash. Rows are filled to whole bytes. */
    grams: Buffer;
  };
  /** Saved filters over the contacts of a book. Who is in a segment is evaluated each time. */
  segments: {
    team_id: number;
    id: string;
    contact_book_id: string;
    name: string;
    /** The filter as the API takes it. */
    filter: Json;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** What keys may send that name them (src/features/sending/policies/). */
  send_policies: {
    team_id: number;
    id: string;
    name: string;
    /** draft_only: nothing. approve_all: after a person's approval. approve_new: with an approval for people that are new to the mailbox. free: without approval. */
    mode: 'draft_only' | 'approve_all' | 'approve_new' | 'free';
    /** Who may get mail: {allow, deny, threadParticipants, contactBookIds}, as in the API. */
    recipients: Json;
    /** The most addresses of one email. Null: no limit, like the other limits. */
    max_recipients: number | null;
    /** The most emails that a key submits in an hour. */
    max_per_hour: number | null;
    /** The most emails that a key submits in 24 hours. */
    max_per_day: number | null;
    /** The most addresses in 24 hours that a key has not written to before. */
    max_new_recipients_per_day: number | null;
    /** "any", "none", or the list of domains that links may lead to. */
    links: Json;
    /** from_thread: only files that are in the thread of a reply. */
    attachments: 'any' | 'none' | 'from_thread';
    /** Whether emails may have recipients that no header shows. */
    bcc: boolean;
    /** strict: what outsiders wrote limits where a key sends that has read it. */
    taint: 'strict' | 'off';
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** Pairs of threads that people have split. A message that refers to both joins one of them, and does not merge them. Each pair has a row for each order. */
  separated_threads: {
    team_id: number;
    thread_id: string;
    other_id: string;
  };
  /** Browsers that are signed in to a team. Removing a person from the team ends the sessions of that person in it. */
  sessions: {
    team_id: number;
    id: string;
    user_id: string;
    /** SHA-256 of the token in the session cookie. */
    token_hash: Buffer;
    created_at: DefaultTimestamp;
    /** When the session was last used, to within some minutes. */
    last_seen_at: DefaultTimestamp;
    expires_at: Timestamp;
    /** The provider with which the session began. Null for a password or passkey. */
    issuer: string | null;
    /** The person at the provider. */
    subject: string | null;
    /** The sid claim, by which the provider ends the session. */
    provider_session: string | null;
    /** The session began with the provider of the team, which must not open other teams of the person. */
    only_team: Generated<boolean>;
  };
  /** One-time links with which the first owner of a team makes an account. */
  setup_links: {
    team_id: number;
    /** SHA-256 of the token in the link. */
    token_hash: Buffer;
    created_at: DefaultTimestamp;
    /** The only address that can use the link. Null: any. */
    email: string | null;
    /** The address as addresses are compared. */
    email_key: string | null;
    /** Whether the operator vouches for the address of the owner: the link is for one address, or for the first team, which runs the server. */
    proves: Generated<boolean>;
  };
  /** Failed attempts to sign in, counted so that guessing can be slowed down. */
  sign_in_failures: {
    /** SHA-256 of what is counted: attempts for an address, or from a network. */
    subject: Buffer;
    /** How many attempts have failed in this window. */
    failures: number;
    /** When the count begins again at zero. */
    window_ends_at: Timestamp;
  };
  /** The messages that the word filter has learned, so that none counts twice and a change of mind is taken back. */
  spam_learned: {
    team_id: number;
    /** References messages. */
    message_id: string;
    /** As what it was learned. ham: no spam. */
    kind: 'spam' | 'ham';
    /** The latest change. */
    learned_at: DefaultTimestamp;
  };
  /** How many messages the word filter of a team has learned. */
  spam_learning: {
    team_id: number;
    /** Messages that were moved to spam. */
    spam: Generated<number>;
    /** Messages that were moved out of spam, or kept. */
    ham: Generated<number>;
  };
  /** In how many learned messages of a team a word was. The oldest and rarest are dropped. */
  spam_words: {
    team_id: number;
    /** A hash of the word with a key from the instance secret, so that nobody can read the words of messages here. */
    word: number;
    /** In how many messages that were moved to spam it was. */
    spam: Generated<number>;
    /** In how many messages that were moved out of spam, or kept, it was. */
    ham: Generated<number>;
    /** When it was last learned. */
    seen_on: Generated<string>;
  };
  /** How far each reader of the events has come. */
  stream_readers: {
    name: string;
    /** The transaction of the last event that was read. Null: the reader begins at the end. */
    xid: string | null;
    /** The last event that was read. References events. */
    event_id: string;
  };
  /** Names of folders that email apps have deleted and are still subscribed to (RFC 9051, section 6.3.7). A folder that exists has its subscription in folders. */
  subscribed_names: {
    team_id: number;
    mailbox_id: string;
    /** The full name, as in folders. */
    name: string;
    created_at: DefaultTimestamp;
  };
  /** Addresses that a team no longer sends to. */
  suppressions: {
    team_id: number;
    /** The address as addresses are compared. */
    address_key: string;
    id: string;
    address: string;
    /** ERASED: the person was erased, and the address is kept only so that nobody writes to it again. */
    reason: 'HARD_BOUNCE' | 'COMPLAINT' | 'MANUAL' | 'ERASED';
    created_at: DefaultTimestamp;
  };
  /** The OpenID Connect provider of a team. */
  team_sign_on: {
    team_id: number;
    /** The issuer identifier of the provider. */
    issuer: string;
    /** How the provider knows this server. */
    client_id: string;
    /** Encrypted. */
    client_secret: Buffer;
    /** Whose addresses sign in with this provider. It counts only while the team has verified the domain. */
    domains: string[];
    /** The role of new members. Null: only people in one of the groups can join. */
    default_role: 'admin' | 'member' | null;
    /** The claim with the groups of a person. */
    groups_claim: string | null;
    /** The role of each group. */
    group_roles: Json;
    /** Whether people other than owners can enter the team only with this provider. */
    required: boolean;
    /** Whether an owner chose the provider. Otherwise it does not open accounts of owners by their address. */
    by_owner: boolean;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** How much each team stores. Processes add what they accept, and a job counts anew. */
  team_storage: {
    team_id: number;
    /** What the last count found. */
    bytes: Generated<number>;
    /** The bytes of what was accepted since then. Deletions are seen by the next count. */
    added: Generated<number>;
    /** When the last count ended. */
    counted_at: Timestamp | null;
    /** How long it took. */
    count_ms: Generated<number>;
    /** Since when the team uses 80 % of what it may store; null if it does not. */
    high_since: Timestamp | null;
    /** Since when it uses all of it; null if it does not. */
    full_since: Timestamp | null;
  };
  /** The owners of everything else. No row of one team is visible to another team. */
  teams: {
    id: Generated<number>;
    name: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** How many days the content of emails is kept, if fewer than in the settings of the instance; null for those settings. */
    email_content_days: number | null;
    /** The same for sandbox messages. */
    sandbox_days: number | null;
    /** The same for events. */
    event_days: number | null;
    /** Up to which time event_days has been applied. Older partitions of events need not be read again. */
    events_deleted_to: Timestamp | null;
    /** Since when nothing of this team may change, because it is moving. Its requests are rejected, and its mail waits. */
    closed_at: Timestamp | null;
    /** The move for which it is closed, the same in both instances; null if it has never moved. */
    move_id: string | null;
    /** The URL of the instance where the team is now. A team that has moved is never opened again here. */
    moved_to: string | null;
    /** The URL of the instance that the team came from; null if it was made here. */
    arrived_from: string | null;
    /** How many MiB the team may store, 0 for any number; null for TEAM_STORAGE_MB. */
    storage_mb: number | null;
    /** The most marketing emails that an address gets: {count, hours}. Null: no limit. */
    frequency_cap: Json | null;
  };
  /** Content that is written once and sent by its id. */
  templates: {
    team_id: number;
    id: string;
    name: string;
    subject: string | null;
    html: string | null;
    /** The editor document that html was made from, if it was made in the editor. */
    content: string | null;
    /** The plain text version. */
    plain: string | null;
    /** The names of the merge tags in subject, html and plain. */
    variables: string[];
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** A name that emails can use instead of the id. */
    alias: string | null;
    /** When the subject or the content was last changed. */
    content_saved_at: DefaultTimestamp;
    /** What changed it, as in content_versions.saved_by. */
    content_saved_by: string | null;
    /** Content in further languages, as in campaigns. html is rendered from content. */
    translations: Json | null;
  };
  /** Who is to answer a thread. */
  thread_assignments: {
    team_id: number;
    thread_id: string;
    /** References mailboxes: that of the thread. */
    mailbox_id: string;
    user_id: string;
    /** When. */
    assigned_at: DefaultTimestamp;
  };
  /** Threads that people merged or split, so that it can be undone. */
  thread_changes: {
    team_id: number;
    id: string;
    mailbox_id: string;
    /** merge: other_id into thread_id; split: other_id from thread_id. */
    kind: 'merge' | 'split';
    /** References threads: the one that was kept. */
    thread_id: string;
    /** References threads: the one that was merged into it, or split from it. */
    other_id: string;
    /** References messages: those that changed their thread, the oldest first. A split was made at the first one. */
    message_ids: string[];
    /** IDs of what the merged thread had beside its messages: aliases, notes, activity and separated threads; its assignee, and whether the other one took them over. */
    before: DefaultJson;
    created_at: DefaultTimestamp;
    /** When it was undone; null otherwise. */
    undone_at: Timestamp | null;
    /** The change number of the mailbox at that time, for JMAP. */
    modseq: Generated<number>;
    /** The change number at which it was undone; null otherwise. */
    undone_modseq: number | null;
  };
  /** What people of the team write to each other in a thread. Notes are no messages: nothing makes MIME of them. */
  thread_notes: {
    team_id: number;
    id: string;
    thread_id: string;
    /** References mailboxes: that of the thread. */
    mailbox_id: string;
    /** Who wrote it, as in mailbox_activity.actor. */
    author: string;
    /** The name of the author at that time; null if nobody in particular wrote it. */
    author_name: string | null;
    /** The note after cleaning. */
    html: string;
    /** References users: the people who are mentioned. */
    mentions: Generated<string[]>;
    /** Its words, for search. */
    words: string[];
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** Who has a thread open. Rows count for 30 seconds, and are deleted later. */
  thread_presence: {
    team_id: number;
    /** References threads. */
    thread_id: string;
    /** References mailboxes: that of the thread. */
    mailbox_id: string;
    /** References users. */
    user_id: string;
    /** What the person does with it. */
    state: 'viewing' | 'replying';
    /** When this was last said. */
    seen_at: DefaultTimestamp;
  };
  /** Threads that come back at a time, or when someone answers. */
  thread_snoozes: {
    team_id: number;
    id: string;
    thread_id: string;
    /** References mailboxes: that of the thread. */
    mailbox_id: string;
    /** snooze: the thread is away until then; reminder: it stays where it is and comes back if nobody has answered. */
    kind: Generated<'snooze' | 'reminder'>;
    /** For whom it is away; null for everyone, and then its messages are in the folder snoozed. */
    user_id: string | null;
    /** When it comes back. */
    until: Timestamp;
    /** What brings it back: the time, an answer, or the first of both. */
    wake: 'time_or_reply' | 'time_only' | 'reply_only';
    /** Who did it, as in mailbox_activity.actor. */
    created_by: string;
    created_at: DefaultTimestamp;
    /** References messages: the one that was sent with the reminder. Null for snoozes. */
    message_id: string | null;
  };
  /** Conversations. What a list of threads shows is kept here, so that it needs no look at the messages. */
  threads: {
    team_id: number;
    id: string;
    /** References mailboxes. */
    mailbox_id: string;
    /** References folders: the inbox if a message is there; otherwise the folder of the newest message outside of sent, drafts, spam and trash; otherwise sent for sent, waiting and unfinished messages; otherwise spam, then trash. */
    folder: string;
    /** The subject of the first message. */
    subject: string;
    /** The subject without Re: and similar prefixes, shortened to fit into an index. Used to find the thread of a message without references. */
    base_subject: string;
    /** The people in the conversation, as they are shown. */
    participants: string[];
    /** The addresses of the participants, as addresses are compared. */
    participant_keys: string[];
    /** The beginning of the latest message that is not a draft. */
    snippet: string;
    message_count: number;
    /** How many received messages are unread. */
    unread_count: number;
    last_message_at: Timestamp;
    created_at: DefaultTimestamp;
    /** How many messages are starred. */
    starred_count: Generated<number>;
    /** When it last came back from snoozing or by a reminder. It then counts as the time of the last message; null if it never did. */
    returned_at: Timestamp | null;
    /** Whether new messages of the conversation skip the inbox. */
    muted: Generated<boolean>;
  };
  /** The failures in TLS reports. Equal ones of one report are one row. */
  tls_report_failures: {
    team_id: number;
    report_id: string;
    /** The position of the row in the report, from 0. */
    no: number;
    /** The type of RFC 8460 section 4.3, such as certificate-expired. */
    type: string;
    /** The kind of policy that was applied: sts, tlsa or no-policy-found. */
    policy_type: string | null;
    /** The server of the domain that was connected to. */
    mx: string | null;
    /** The address of that server. */
    receiving_ip: string | null;
    /** The address that connected. */
    sending_ip: string | null;
    /** What the reporter says about the failure. */
    reason: string | null;
    /** How many connections the row stands for. */
    sessions: number;
  };
  /** TLS reports (RFC 8460) about domains, that other servers sent. Each counts once. */
  tls_reports: {
    team_id: number;
    domain_id: number;
    id: string;
    /** Whether the message with the report passed DMARC. A report that was posted over HTTPS to the token of the domain counts as verified. */
    is_verified: boolean;
    /** How the report arrived. */
    arrived_by: 'mail' | 'https';
    /** The domain of the author of the message with the report. Null over HTTPS. */
    sender_domain: string | null;
    /** Who reports. */
    org_name: string;
    /** How the reporter can be reached. */
    contact: string | null;
    /** The ID that the reporter has given. It is unique with the reporter, the domain and the begin. */
    report_id: string;
    /** The begin of the time that the report is about. */
    begin_at: Timestamp;
    /** The end of the time that the report is about. */
    end_at: Timestamp;
    /** The connections to the servers of the domain, failed ones too. */
    sessions: number;
    /** The connections whose encryption failed. */
    failed: number;
    /** The connections under an MTA-STS policy that does not enforce. */
    testing_sessions: number;
    /** The number of its rows in tls_report_failures. */
    row_count: number;
    /** When the report arrived. Reports are deleted after a time. */
    received_at: DefaultTimestamp;
  };
  /** For which days and domains TLS reports were sent, or nobody asked for one. A row is written before the report leaves, so it leaves once. */
  tls_reports_sent: {
    /** The day that the report is about, in UTC. */
    day: string;
    /** The domain that the report is about. */
    domain: string;
    /** The ID in the report. */
    report_id: string;
    /** The URIs that the domain names. Empty if it asks for no reports. */
    receivers: string[];
    /** When the report was made. */
    sent_at: DefaultTimestamp;
  };
  /** The connections of the direct transport to the mail servers of others, for the TLS reports that we send (RFC 8460). Kept for a few days. */
  tls_sessions: {
    /** The day in UTC. */
    day: string;
    /** The domain of the recipients. */
    domain: string;
    /** What decided about the encryption: tlsa, sts or no-policy-found. */
    policy_type: string;
    /** success, or the type of the failure (RFC 8460 section 4.3). */
    result: string;
    /** The server that was connected to. Empty for successes. */
    mx: string;
    /** The address of the server. Empty for successes. */
    receiving_ip: string;
    /** The lines of the policy, or the TLSA records. */
    policy: string[];
    /** The hosts that the policy is about. */
    policy_hosts: string[];
    /** What went wrong, in words. */
    reason: string | null;
    /** How many connections there were. */
    sessions: number;
  };
  /** Kinds of email that a team sends. A contact can leave a topic and stay in the book. */
  topics: {
    team_id: number;
    id: string;
    name: string;
    description: string | null;
    /** opt_out: every contact gets the topic unless it has left it; opt_in: only contacts that have joined get it. */
    default_subscription: 'opt_in' | 'opt_out';
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  /** The sums of daily_counts over all time, which are as fast to read after ten years as on the first day. */
  total_counts: {
    team_id: number;
    /** References domains; 0 stands for all domains of the team together. */
    domain_id: number;
    /** The part of a split counter; readers add all of them up. */
    slot: number;
    sent: number;
    /** Recipients whose server accepted the mail and did not bounce it since. */
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    /** The part of bounced for which the address is wrong for good. */
    hard_bounced: number;
    complained: number;
  };
  /** Challenges of passkeys that have been answered, so that none is answered twice. */
  used_challenges: {
    /** SHA-256. */
    challenge_hash: Buffer;
    /** Later than the challenge expires. */
    kept_until: Timestamp;
  };
  /** People who sign in. A person has one account in the whole instance and may belong to several teams. An address has at most one account that is not waiting. */
  users: {
    id: string;
    email: string;
    /** The address as addresses are compared. */
    email_key: string;
    name: string;
    /** Argon2id, in the PHC string format. */
    password_hash: string;
    /** The secret of two-factor authentication, encrypted. It is required for signing in only once totp_enabled is true. */
    totp_secret: Buffer | null;
    /** Whether signing in requires a code. */
    totp_enabled: Generated<boolean>;
    /** The time step of the last code that was accepted, so that no code works twice. */
    totp_last_step: Generated<number>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** When the person first showed that the address is theirs, by a link that went to the address alone or came from the operator. Null: not proven, so the account joins no other team and takes over nothing. */
    proven_at: Timestamp | null;
    /** The account came with a team from another instance, and an account with the same address exists here that is not proven. Nobody can sign in to it. Once the address is proven, its memberships move to the account that was proven. */
    waiting: Generated<boolean>;
    /** False for people whom a provider has introduced and who have set no password. password_hash is then that of a text that nobody knows. */
    has_password: Generated<boolean>;
    /** The language of the web app that the person chose, as a language tag such as de. Null: what the browser asks for. */
    language: string | null;
  };
  /** Who got an automatic reply of a mailbox in the last days, so that nobody gets a second one. */
  vacation_replies: {
    team_id: number;
    mailbox_id: string;
    /** The address as addresses are compared. */
    address_key: string;
    /** When the last reply was sent. Rows are deleted after a week. */
    replied_at: DefaultTimestamp;
  };
  /** The automatic reply of a mailbox to mail that arrives while its owner is away. A mailbox has a row once it was set. */
  vacation_responses: {
    team_id: number;
    mailbox_id: string;
    /** Whether replies are sent, within the two dates. */
    is_enabled: boolean;
    /** Mail that arrives earlier gets no reply. Null: no limit. */
    from_date: Timestamp | null;
    /** Mail that arrives at this time or later gets no reply. Null: no limit. */
    to_date: Timestamp | null;
    /** Null: made from the subject of the message. */
    subject: string | null;
    /** Null, like html_body: a general text. */
    text_body: string | null;
    /** As it was given. It is cleaned when a reply is sent. */
    html_body: string | null;
    /** The change number of its latest change. */
    modseq: number;
  };
  /** Messages that were moved out of a folder or deleted, and folders that were deleted. Old rows are trimmed. */
  vanished_messages: {
    team_id: number;
    /** References mailboxes. */
    mailbox_id: string;
    /** The number of the change. */
    modseq: number;
    /** The id of the folder that the message left. */
    folder: string;
    /** The UID that the message had there. 0: the folder itself was deleted. */
    uid: number;
    /** References messages, where the message may still be, in another folder. Null for a folder. */
    message_id: string | null;
    /** References threads. Null for a folder. */
    thread_id: string | null;
    created_at: DefaultTimestamp;
  };
  /** Every attempt of every call. */
  webhook_attempts: {
    team_id: number;
    /** References webhooks. */
    webhook_id: string;
    /** References webhook_calls. */
    call_id: string;
    /** The number of the attempt, counted from 1. */
    no: number;
    started_at: Timestamp;
    duration_ms: number;
    /** The HTTP status of the response; null when there was none. */
    status_code: number | null;
    /** The beginning of the body of the response. */
    answer: string | null;
    /** Why there was no response. */
    error: string | null;
  };
  /** The outbox of webhooks, and afterwards their log: one row for each event and each webhook that wants it, written by the transaction in which it happened. Of a large batch of events only the first has a row until the others are next (last_id). */
  webhook_calls: {
    team_id: number;
    /** References webhooks without a foreign key, which would be checked row by row for 10,000 events at once and lock the webhook. Calls of a deleted webhook are never made and soon deleted. */
    webhook_id: string;
    /** References webhook_events, except in calls from before migration 480, which have their event themselves. */
    id: string;
    /** Null in calls whose event is in webhook_events, and so are the type, the ids, the data and the time. */
    event_id: string | null;
    /** The type of the event, such as email.delivered. */
    type: string | null;
    /** The fields of the data that are ids, each as "prefix uuid": {"emailId": "eml 0190…"}. */
    ids: Json | null;
    /** The other fields of the data. */
    data: Json | null;
    happened_at: Timestamp | null;
    status: Generated<'waiting' | 'succeeded' | 'failed'>;
    /** When the next attempt may be made. */
    due_at: DefaultTimestamp;
    /** How many attempts have been made in all. */
    attempts: Generated<number>;
    /** How many attempts have been made since the call was last replayed. */
    round_attempts: Generated<number>;
    /** When the first attempt since the last replay was made. */
    first_tried_at: Timestamp | null;
    created_at: DefaultTimestamp;
    /** References webhook_events. Until this call is made, its row stands also for the calls of all later events of its batch up to this one. */
    last_id: string | null;
  };
  /** What webhooks are told: one row for each event that a webhook wants, shared by the calls of all of them, written by the transaction in which it happened. */
  webhook_events: {
    team_id: number;
    /** The id of its calls. They are made in this order. */
    id: string;
    /** The id of the event, which is sent with each call. */
    event_id: string;
    /** The id of the first of many events of one type that one statement recorded. Null if there were few. */
    batch_id: string | null;
    /** The type of the event, such as email.delivered. */
    type: string;
    /** The fields of the data that are ids, each as "prefix uuid": {"emailId": "eml 0190…"}. */
    ids: DefaultJson;
    /** The other fields of the data. */
    data: Json;
    happened_at: DefaultTimestamp;
    created_at: DefaultTimestamp;
  };
  /** Endpoints that are called when something happens. */
  webhooks: {
    team_id: number;
    id: string;
    url: string;
    description: string | null;
    /** The types of events that it wants: names, prefixes such as email.*, or *. */
    events: string[];
    /** The secret that signs the calls, encrypted. */
    secret: Buffer;
    /** The secret before, encrypted. It signs the calls as well until old_secret_until. */
    old_secret: Buffer | null;
    /** When old_secret stops signing. */
    old_secret_until: Timestamp | null;
    /** paused: events are kept until it is resumed; disabled: events are not recorded for it. */
    status: Generated<'active' | 'paused' | 'disabled'>;
    /** failures: too many calls in a row failed; gone: the endpoint responded with 410. */
    paused_reason: 'by_hand' | 'failures' | 'gone' | null;
    /** What went wrong with the last call, while calls keep failing. */
    last_error: string | null;
    /** How many calls have failed in a row. */
    failures: Generated<number>;
    /** When the first of these calls failed. */
    failing_since: Timestamp | null;
    /** No call is made before this moment, because the endpoint asked for a pause or keeps failing. */
    rests_until: DefaultTimestamp;
    /** When it was last called. */
    last_called_at: Timestamp | null;
    /** The process that calls it now. One process at a time calls an endpoint. */
    leased_by: string | null;
    /** When another process may take over. */
    leased_until: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** The shape of the payload: our own, or that of another vendor. */
    format: Generated<'posthorn' | 'resend' | 'mailgun' | 'postmark' | 'sendgrid'>;
  };
}
