create table blocklistings (
  zone text not null,
  subject text not null,
  team_id integer not null default 0,
  domain_id integer not null default 0,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (zone, subject, team_id, domain_id)
);
create index blocklistings_team_id on blocklistings (team_id);
comment on table blocklistings is 'The addresses of this server and the domains of teams that a list of DNSBL_ZONES has, as a job last found them.';
comment on column blocklistings.zone is 'The zone of the list.';
comment on column blocklistings.subject is 'The address or the domain that is listed.';
comment on column blocklistings.team_id is 'References teams without a foreign key: the team of the domain. 0 for an address of this server, which concerns all teams.';
comment on column blocklistings.domain_id is 'References domains without a foreign key. 0 for an address of this server.';
comment on column blocklistings.since is 'When it was found listed for the first time.';
comment on column blocklistings.seen_at is 'When it was last found listed. What has not been found for days is dropped.';
