// Generated from the migrations by `npm run generate`.
import type { ColumnType, Generated } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>;
type Json = ColumnType<Record<string, unknown>, string, string>;

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
  };
  domains: {
    team_id: number;
    id: Generated<number>;
    name: string;
    status: Generated<string>;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
  idempotency_keys: {
    team_id: number;
    key: string;
    request_hash: Buffer;
    answer: Buffer;
    created_at: DefaultTimestamp;
  };
  teams: {
    id: Generated<number>;
    name: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
  };
}
