create table dmarc_source_marks (
  team_id integer not null,
  domain_id integer not null,
  kind text not null check (kind in ('ours', 'service', 'forwarder', 'other')),
  source text not null,
  is_confirmed boolean not null,
  created_at timestamptz not null default now(),
  primary key (team_id, domain_id, kind, source),
  constraint dmarc_source_marks_domain_fkey foreign key (team_id, domain_id) references domains (team_id, id)
    on delete cascade
);
comment on table dmarc_source_marks is 'What people say about the sources in DMARC reports: whether they send for the domain.';
comment on column dmarc_source_marks.kind is 'As dmarc_report_rows.kind.';
comment on column dmarc_source_marks.source is 'As dmarc_report_rows.source.';
comment on column dmarc_source_marks.is_confirmed is 'Whether its mail belongs to the domain, and counts for the advice about the policy.';
