alter table domains
  add column report_token text not null default replace(gen_random_uuid()::text, '-', '');
create unique index domains_report_token on domains (report_token);
comment on column domains.report_token is 'The local part of the address, and the end of the URL, to which other servers send reports about the domain.';

create table dmarc_reports (
  team_id integer not null references teams (id) on delete cascade,
  domain_id integer not null,
  id uuid not null,
  is_verified boolean not null,
  sender_domain text,
  org_name text not null,
  contact text,
  extra_contact text,
  report_id text not null,
  begin_at timestamptz not null,
  end_at timestamptz not null,
  policy jsonb not null,
  problems text[] not null default '{}',
  row_count integer not null,
  messages bigint not null,
  received_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint dmarc_reports_team_id_domain_id_fkey foreign key (team_id, domain_id) references domains (team_id, id)
    on delete cascade
);
create unique index dmarc_reports_once
  on dmarc_reports (team_id, domain_id, is_verified, org_name, report_id, begin_at);
create index dmarc_reports_received_at on dmarc_reports (received_at);
comment on table dmarc_reports is 'DMARC aggregate reports (RFC 7489, RFC 9990) about domains, that other servers sent. Each counts once.';
comment on column dmarc_reports.is_verified is 'Whether the message with the report passed DMARC. Others are kept apart and counted nowhere.';
comment on column dmarc_reports.sender_domain is 'The domain of the author of the message with the report.';
comment on column dmarc_reports.org_name is 'Who reports.';
comment on column dmarc_reports.contact is 'The email address of the reporter.';
comment on column dmarc_reports.report_id is 'The ID that the reporter has given. It is unique with the reporter, the domain and the begin.';
comment on column dmarc_reports.policy is 'The policy that the reporter found: {domain, p, sp, np, adkim, aspf, pct, fo, testing}.';
comment on column dmarc_reports.problems is 'What went wrong while the reporter made the report, in its words.';
comment on column dmarc_reports.messages is 'The messages of all rows together.';

create table dmarc_report_rows (
  team_id integer not null,
  report_id uuid not null,
  no integer not null,
  source text not null,
  kind text not null check (kind in ('ours', 'service', 'forwarder', 'other')),
  source_ip text not null,
  messages integer not null,
  disposition text not null,
  dkim_aligned boolean not null,
  spf_aligned boolean not null,
  header_from text,
  envelope_from text,
  dkim jsonb not null,
  spf jsonb not null,
  reasons jsonb not null,
  primary key (team_id, report_id, no),
  constraint dmarc_report_rows_team_id_report_id_fkey foreign key (team_id, report_id)
    references dmarc_reports (team_id, id) on delete cascade
);
comment on table dmarc_report_rows is 'The rows of DMARC aggregate reports. Equal rows of one report are one row.';
comment on column dmarc_report_rows.source is 'The name of who sent: a service, the domain of the host, or its network.';
comment on column dmarc_report_rows.kind is 'Who sent: this instance, a known email service, a server that forwarded, or another one.';
comment on column dmarc_report_rows.messages is 'How many messages the row stands for.';
comment on column dmarc_report_rows.disposition is 'What the reporter did with the messages: none, quarantine or reject.';
comment on column dmarc_report_rows.dkim_aligned is 'Whether a DKIM signature of the domain passed.';
comment on column dmarc_report_rows.spf_aligned is 'Whether SPF passed for the domain.';
comment on column dmarc_report_rows.dkim is 'The results of the signatures: a list of {domain, selector, result}.';
comment on column dmarc_report_rows.spf is 'The results of SPF: a list of {domain, scope, result}.';
comment on column dmarc_report_rows.reasons is 'Why the reporter did not apply the policy: a list of {type, comment}.';
comment on column dmarc_reports.extra_contact is 'Another contact of the reporter, such as the address of a page.';
comment on column dmarc_reports.begin_at is 'The begin of the time that the report is about.';
comment on column dmarc_reports.end_at is 'The end of the time that the report is about.';
comment on column dmarc_reports.row_count is 'The number of its rows in dmarc_report_rows.';
comment on column dmarc_reports.received_at is 'When the report arrived. Reports are deleted after a time.';
comment on column dmarc_report_rows.no is 'The position of the row in the report, from 0.';
comment on column dmarc_report_rows.source_ip is 'The address that sent.';
comment on column dmarc_report_rows.header_from is 'The domain of the author.';
comment on column dmarc_report_rows.envelope_from is 'The domain of the return path, if the reporter tells it.';
