alter table domains
  add column tracking_subdomain text,
  add column tracking_status text not null default 'NONE',
  add column tracking_error text,
  add column tracking_caa jsonb,
  add column tracking_since timestamptz,
  add column tracking_checks integer not null default 0,
  add column hosts_check_at timestamptz,
  add column mta_sts text not null default 'off',
  add column mta_sts_auto boolean not null default false,
  add column mta_sts_since timestamptz,
  add column mta_sts_hosts text[] not null default '{}',
  add column mta_sts_until timestamptz,
  add constraint domains_tracking_status_check
    check (tracking_status in ('NONE', 'WAITING_DNS', 'CAA_BLOCKED', 'ISSUING', 'ACTIVE', 'BROKEN')),
  add constraint domains_mta_sts_check check (mta_sts in ('off', 'testing', 'enforce'));
comment on column domains.tracking_subdomain is 'The label of the link host: links.example.com for the domain example.com.';
comment on column domains.tracking_status is 'The state of the link host. Links use it only while it is ACTIVE.';
comment on column domains.tracking_error is 'What is wrong with the link host, in words.';
comment on column domains.tracking_caa is 'The name whose CAA records forbid our certificate authority, and the authority: {host, authority}.';
comment on column domains.tracking_since is 'Since when the link host is not active. Checks become rare after 72 hours.';
comment on column domains.tracking_checks is 'How often the link host was found inactive in a row.';
comment on column domains.hosts_check_at is 'When the link host and the policy host are checked again. Null if there are none.';
comment on column domains.mta_sts is 'The mode of the MTA-STS policy (RFC 8461) that we serve for the domain.';
comment on column domains.mta_sts_auto is 'Whether testing becomes enforce after 14 days of TLS reports without a failure.';
comment on column domains.mta_sts_since is 'Since when the policy has this mode.';
comment on column domains.mta_sts_hosts is 'The MX hosts of the domain in DNS, which the policy names besides MAIL_HOST.';
comment on column domains.mta_sts_until is 'After the policy was turned off: until when senders may have it, so the mode none is served.';
create index domains_hosts_check_at on domains (hosts_check_at) where hosts_check_at is not null;

create index domains_name on domains (name);

create table link_hosts (
  host text primary key,
  team_id integer not null references teams (id) on delete cascade,
  domain_id integer,
  purpose text not null check (purpose in ('links', 'mta-sts')),
  is_ready boolean not null default false,
  lost_since timestamptz,
  created_at timestamptz not null default now(),
  constraint link_hosts_team_id_domain_id_fkey foreign key (team_id, domain_id) references domains (team_id, id)
    on delete set null (domain_id)
);
create index link_hosts_team_id_domain_id on link_hosts (team_id, domain_id);
comment on table link_hosts is 'The hosts of customers under which we serve links of emails or an MTA-STS policy. A host that a domain no longer uses stays while its DNS leads here, because sent links have it.';
comment on column link_hosts.host is 'In A-labels and lower case. A host belongs to one team of the instance.';
comment on column link_hosts.purpose is 'Whether links of emails or an MTA-STS policy are served.';
comment on column link_hosts.domain_id is 'Null after the domain was deleted.';
comment on column link_hosts.is_ready is 'Whether DNS leads here and permits our authority, so that a certificate may be ordered.';
comment on column link_hosts.lost_since is 'Since when the DNS of a host without a domain no longer leads here.';
