create table tls_reports (
  team_id integer not null references teams (id) on delete cascade,
  domain_id integer not null,
  id uuid not null,
  is_verified boolean not null,
  arrived_by text not null check (arrived_by in ('mail', 'https')),
  sender_domain text,
  org_name text not null,
  contact text,
  report_id text not null,
  begin_at timestamptz not null,
  end_at timestamptz not null,
  sessions bigint not null,
  failed bigint not null,
  testing_sessions bigint not null,
  row_count integer not null,
  received_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint tls_reports_team_id_domain_id_fkey foreign key (team_id, domain_id) references domains (team_id, id)
    on delete cascade
);
create unique index tls_reports_once
  on tls_reports (team_id, domain_id, is_verified, org_name, report_id, begin_at);
create index tls_reports_received_at on tls_reports (received_at);
comment on table tls_reports is 'TLS reports (RFC 8460) about domains, that other servers sent. Each counts once.';
comment on column tls_reports.is_verified is 'Whether the message with the report passed DMARC. A report that was posted over HTTPS to the token of the domain counts as verified.';
comment on column tls_reports.arrived_by is 'How the report arrived.';
comment on column tls_reports.sender_domain is 'The domain of the author of the message with the report. Null over HTTPS.';
comment on column tls_reports.org_name is 'Who reports.';
comment on column tls_reports.contact is 'How the reporter can be reached.';
comment on column tls_reports.report_id is 'The ID that the reporter has given. It is unique with the reporter, the domain and the begin.';
comment on column tls_reports.begin_at is 'The begin of the time that the report is about.';
comment on column tls_reports.end_at is 'The end of the time that the report is about.';
comment on column tls_reports.sessions is 'The connections to the servers of the domain, failed ones too.';
comment on column tls_reports.failed is 'The connections whose encryption failed.';
comment on column tls_reports.testing_sessions is 'The connections under an MTA-STS policy that does not enforce.';
comment on column tls_reports.row_count is 'The number of its rows in tls_report_failures.';
comment on column tls_reports.received_at is 'When the report arrived. Reports are deleted after a time.';

create table tls_report_failures (
  team_id integer not null,
  report_id uuid not null,
  no integer not null,
  type text not null,
  policy_type text,
  mx text,
  receiving_ip text,
  sending_ip text,
  reason text,
  sessions bigint not null,
  primary key (team_id, report_id, no),
  constraint tls_report_failures_team_id_report_id_fkey foreign key (team_id, report_id)
    references tls_reports (team_id, id) on delete cascade
);
comment on table tls_report_failures is 'The failures in TLS reports. Equal ones of one report are one row.';
comment on column tls_report_failures.no is 'The position of the row in the report, from 0.';
comment on column tls_report_failures.type is 'The type of RFC 8460 section 4.3, such as certificate-expired.';
comment on column tls_report_failures.policy_type is 'The kind of policy that was applied: sts, tlsa or no-policy-found.';
comment on column tls_report_failures.mx is 'The server of the domain that was connected to.';
comment on column tls_report_failures.receiving_ip is 'The address of that server.';
comment on column tls_report_failures.sending_ip is 'The address that connected.';
comment on column tls_report_failures.reason is 'What the reporter says about the failure.';
comment on column tls_report_failures.sessions is 'How many connections the row stands for.';
