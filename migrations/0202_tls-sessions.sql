create table tls_sessions (
  day date not null,
  domain text not null,
  policy_type text not null,
  result text not null,
  mx text not null,
  receiving_ip text not null,
  policy text[] not null,
  policy_hosts text[] not null,
  reason text,
  sessions bigint not null,
  primary key (day, domain, policy_type, result, mx, receiving_ip)
);
comment on table tls_sessions is 'The connections of the direct transport to the mail servers of others, for the TLS reports that we send (RFC 8460). Kept for a few days.';
comment on column tls_sessions.day is 'The day in UTC.';
comment on column tls_sessions.domain is 'The domain of the recipients.';
comment on column tls_sessions.policy_type is 'What decided about the encryption: tlsa, sts or no-policy-found.';
comment on column tls_sessions.result is 'success, or the type of the failure (RFC 8460 section 4.3).';
comment on column tls_sessions.mx is 'The server that was connected to. Empty for successes.';
comment on column tls_sessions.receiving_ip is 'The address of the server. Empty for successes.';
comment on column tls_sessions.policy is 'The lines of the policy, or the TLSA records.';
comment on column tls_sessions.policy_hosts is 'The hosts that the policy is about.';
comment on column tls_sessions.reason is 'What went wrong, in words.';
comment on column tls_sessions.sessions is 'How many connections there were.';

create table tls_reports_sent (
  day date not null,
  domain text not null,
  report_id text not null,
  receivers text[] not null,
  sent_at timestamptz not null default now(),
  primary key (day, domain)
);
comment on table tls_reports_sent is 'For which days and domains TLS reports were sent, or nobody asked for one. A row is written before the report leaves, so it leaves once.';
comment on column tls_reports_sent.day is 'The day that the report is about, in UTC.';
comment on column tls_reports_sent.domain is 'The domain that the report is about.';
comment on column tls_reports_sent.report_id is 'The ID in the report.';
comment on column tls_reports_sent.receivers is 'The URIs that the domain names. Empty if it asks for no reports.';
comment on column tls_reports_sent.sent_at is 'When the report was made.';
