// Generated from the migrations by `npm run generate`.
import type { ColumnType, Generated } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>;
type Json = ColumnType<Record<string, unknown>, string, string>;
type DefaultJson = ColumnType<Record<string, unknown>, string | undefined, string>;

export interface Tables {
  api_keys: {
    team_id: number;
    id: string;
    name: string;
    permission: string;
    domain_id: number | null;
    key_hash: Buffer;
    key_start: string;
    created_at: DefaultTimestamp;
    expires_at: Timestamp | null;
    revoked_at: Timestamp | null;
    last_used_at: Timestamp | null;
  };
  blobs: {
    team_id: number;
    sha256: Buffer;
    bytes: Buffer;
    unused_since: Timestamp | null;
  };
  campaign_counts: {
    team_id: number;
    campaign_id: string;
    slot: number;
    sent: Generated<number>;
    delivered: Generated<number>;
    opened: Generated<number>;
    clicked: Generated<number>;
    bounced: Generated<number>;
    hard_bounced: Generated<number>;
    complained: Generated<number>;
    unsubscribed: Generated<number>;
  };
  campaign_unsubscribes: {
    team_id: number;
    campaign_id: string;
    contact_id: string;
    created_at: DefaultTimestamp;
  };
  contact_book_counts: {
    team_id: number;
    contact_book_id: string;
    slot: number;
    contacts: number;
  };
  contact_books: {
    team_id: number;
    id: string;
    name: string;
    emoji: string;
    properties: Json;
    variables: string[];
    double_opt_in_enabled: boolean;
    double_opt_in_from: string | null;
    double_opt_in_subject: string;
    double_opt_in_content: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  contact_import_chunks: {
    team_id: number;
    import_id: string;
    start_byte: number;
    bytes: Buffer;
  };
  contact_import_refusals: {
    team_id: number;
    import_id: string;
    line: number;
    email: string | null;
    reason: string;
  };
  contact_imports: {
    team_id: number;
    contact_book_id: string;
    id: string;
    status: string;
    mapping: Json;
    requested_by: string;
    total_bytes: Generated<number>;
    done_bytes: Generated<number>;
    done_lines: Generated<number>;
    rows_read: Generated<number>;
    rows_created: Generated<number>;
    rows_updated: Generated<number>;
    rows_refused: Generated<number>;
    error: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    finished_at: Timestamp | null;
  };
  contact_topics: {
    team_id: number;
    contact_book_id: string;
    contact_id: string;
    topic_id: string;
    subscribed: boolean;
    changed_at: DefaultTimestamp;
    changed_by: string;
  };
  contacts: {
    team_id: number;
    contact_book_id: string;
    id: string;
    email: string;
    email_key: string;
    first_name: string | null;
    last_name: string | null;
    properties: Json;
    subscription: string;
    unsubscribe_reason: string | null;
    subscription_changed_at: DefaultTimestamp;
    subscription_changed_by: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    confirmation_sent_at: Timestamp | null;
    last_opened_at: Timestamp | null;
    last_clicked_at: Timestamp | null;
  };
  daily_counts: {
    team_id: number;
    domain_id: number;
    day: string;
    slot: number;
    sent: number;
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    hard_bounced: number;
    complained: number;
  };
  deliveries: {
    team_id: number;
    email_id: string;
    recipient_no: number;
    domain_id: number;
    recipient: string;
    recipient_domain: string;
    priority: number;
    attempts: Generated<number>;
    first_tried_at: Timestamp | null;
    due_at: DefaultTimestamp;
    leased_by: string | null;
    campaign_id: string | null;
  };
  domains: {
    team_id: number;
    id: Generated<number>;
    name: string;
    status: Generated<string>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    region: Generated<string>;
    dkim_selector: Generated<string>;
    public_key: string;
    private_key: Buffer;
    click_tracking: Generated<boolean>;
    open_tracking: Generated<boolean>;
    record_status: DefaultJson;
    is_verifying: Generated<boolean>;
    error_message: string | null;
    verification_error: string | null;
    last_checked_at: Timestamp | null;
    checking_since: Timestamp | null;
    checks: Generated<number>;
    held: Generated<boolean>;
  };
  email_contents: {
    team_id: number;
    email_id: string;
    raw: Buffer;
  };
  email_events: {
    team_id: number;
    email_id: string;
    id: string;
    status: string;
    recipient: string | null;
    data: Json | null;
    created_at: DefaultTimestamp;
  };
  email_recipients: {
    team_id: number;
    email_id: string;
    no: number;
    address: string;
    address_key: string;
    status: string;
  };
  email_visits: {
    team_id: number;
    email_id: string;
    opens: Generated<number>;
    human_opens: Generated<number>;
    clicks: Generated<number>;
    human_clicks: Generated<number>;
    open_event_at: Timestamp | null;
    click_event_at: Timestamp | null;
    click_event_url: string | null;
  };
  emails: {
    team_id: number;
    id: string;
    domain_id: number;
    source: string;
    status: string;
    sender: string;
    to_addresses: string[];
    cc_addresses: string[];
    bcc_addresses: string[];
    reply_to: string[];
    subject: string;
    message_id: string;
    scheduled_at: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    first_tried_on: string | null;
    opened_at: Timestamp | null;
    clicked_at: Timestamp | null;
    campaign_id: string | null;
    contact_book_id: string | null;
    contact_id: string | null;
  };
  idempotency_keys: {
    team_id: number;
    key: string;
    request_hash: Buffer;
    answer: Buffer;
    created_at: DefaultTimestamp;
  };
  invitations: {
    team_id: number;
    id: string;
    email: string;
    email_key: string;
    role: string;
    token_hash: Buffer;
    invited_by: string;
    expires_at: Timestamp;
    created_at: DefaultTimestamp;
  };
  mailbox_events: {
    team_id: number;
    mailbox_id: string;
    id: Generated<number>;
    no: number | null;
    type: string;
    thread_id: string;
    message_id: string | null;
    created_at: DefaultTimestamp;
  };
  mailbox_folder_counts: {
    team_id: number;
    mailbox_id: string;
    folder: string;
    slot: number;
    threads: number;
    unread: number;
  };
  mailboxes: {
    team_id: number;
    id: string;
    address: string;
    address_key: string;
    domain: string;
    name: string | null;
    undo_seconds: number;
    catch_all: Generated<boolean>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  memberships: {
    team_id: number;
    user_id: string;
    role: string;
    last_seen_at: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  merged_threads: {
    team_id: number;
    id: string;
    into_id: string;
  };
  message_attachments: {
    team_id: number;
    message_id: string;
    no: number;
    filename: string | null;
    content_type: string;
    content_id: string | null;
    inline: boolean;
    size: number;
    sha256: Buffer;
  };
  message_references: {
    team_id: number;
    mailbox_id: string;
    reference: string;
    message_id: string;
  };
  messages: {
    team_id: number;
    id: string;
    mailbox_id: string;
    thread_id: string;
    direction: string;
    email_id: string | null;
    cancel_if_replied: Generated<boolean>;
    message_id: string | null;
    in_reply_to: string | null;
    reference_ids: string[];
    sender: string;
    to_addresses: string[];
    cc_addresses: string[];
    bcc_addresses: string[];
    reply_to: string[];
    subject: string;
    text: string | null;
    html: string | null;
    read: boolean;
    attachment_count: number;
    authentication: Json | null;
    raw_sha256: Buffer | null;
    delivery_key: Buffer | null;
    search: string;
    created_at: DefaultTimestamp;
  };
  password_resets: {
    user_id: string;
    token_hash: Buffer;
    expires_at: Timestamp;
  };
  recovery_codes: {
    user_id: string;
    code_hash: Buffer;
  };
  sandbox_messages: {
    team_id: number;
    id: string;
    email_id: string;
    mail_from: string;
    recipient: string;
    raw: Buffer;
    created_at: DefaultTimestamp;
  };
  saved_replies: {
    team_id: number;
    mailbox_id: string;
    id: string;
    name: string;
    html: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  segments: {
    team_id: number;
    id: string;
    contact_book_id: string;
    name: string;
    filter: Json;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  sessions: {
    team_id: number;
    id: string;
    user_id: string;
    token_hash: Buffer;
    created_at: DefaultTimestamp;
    last_seen_at: DefaultTimestamp;
    expires_at: Timestamp;
  };
  setup_links: {
    team_id: number;
    token_hash: Buffer;
    created_at: DefaultTimestamp;
  };
  sign_in_failures: {
    subject: Buffer;
    failures: number;
    window_ends_at: Timestamp;
  };
  suppressions: {
    team_id: number;
    address_key: string;
    id: string;
    address: string;
    reason: string;
    created_at: DefaultTimestamp;
  };
  teams: {
    id: Generated<number>;
    name: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  templates: {
    team_id: number;
    id: string;
    name: string;
    subject: string | null;
    html: string | null;
    content: string | null;
    plain: string | null;
    variables: string[];
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  threads: {
    team_id: number;
    id: string;
    mailbox_id: string;
    folder: string;
    subject: string;
    base_subject: string;
    participants: string[];
    participant_keys: string[];
    snippet: string;
    message_count: number;
    unread_count: number;
    last_message_at: Timestamp;
    created_at: DefaultTimestamp;
  };
  topics: {
    team_id: number;
    id: string;
    name: string;
    description: string | null;
    default_subscription: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  total_counts: {
    team_id: number;
    domain_id: number;
    slot: number;
    sent: number;
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    hard_bounced: number;
    complained: number;
  };
  users: {
    id: string;
    email: string;
    email_key: string;
    name: string;
    password_hash: string;
    totp_secret: Buffer | null;
    totp_enabled: Generated<boolean>;
    totp_last_step: Generated<number>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  webhook_attempts: {
    team_id: number;
    webhook_id: string;
    call_id: string;
    no: number;
    started_at: Timestamp;
    duration_ms: number;
    status_code: number | null;
    answer: string | null;
    error: string | null;
  };
  webhook_calls: {
    team_id: number;
    webhook_id: string;
    id: string;
    event_id: string;
    type: string;
    ids: DefaultJson;
    data: Json;
    happened_at: DefaultTimestamp;
    status: Generated<string>;
    due_at: DefaultTimestamp;
    attempts: Generated<number>;
    round_attempts: Generated<number>;
    first_tried_at: Timestamp | null;
    created_at: DefaultTimestamp;
  };
  webhooks: {
    team_id: number;
    id: string;
    url: string;
    description: string | null;
    events: string[];
    secret: Buffer;
    old_secret: Buffer | null;
    old_secret_until: Timestamp | null;
    status: Generated<string>;
    paused_reason: string | null;
    last_error: string | null;
    failures: Generated<number>;
    failing_since: Timestamp | null;
    rests_until: DefaultTimestamp;
    last_called_at: Timestamp | null;
    leased_by: string | null;
    leased_until: Timestamp | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
}
