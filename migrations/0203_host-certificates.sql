create table host_certificates (
  host text primary key references link_hosts (host) on delete cascade,
  chain text,
  private_key bytea,
  ends_at timestamptz,
  renew_at timestamptz,
  ask_at timestamptz,
  ordering_until timestamptz,
  ordered_at timestamptz,
  failures integer not null default 0,
  failed_since timestamptz,
  retry_at timestamptz,
  error text,
  created_at timestamptz not null default now()
);
create index host_certificates_renew_at on host_certificates (least(renew_at, ask_at));
create index host_certificates_ordered_at on host_certificates (ordered_at);
comment on table host_certificates is 'The TLS certificates of link hosts and MTA-STS hosts, where this instance orders them by ACME. All processes serve them by SNI.';
comment on column host_certificates.chain is 'The certificate and its chain in PEM. Null until the first order has succeeded.';
comment on column host_certificates.private_key is 'The key in PEM, encrypted with the instance secret.';
comment on column host_certificates.ends_at is 'When the certificate expires.';
comment on column host_certificates.renew_at is 'When a new certificate is ordered: in the window that the authority names (RFC 9773), else after two thirds of the lifetime.';
comment on column host_certificates.ask_at is 'When the authority is asked for the window again.';
comment on column host_certificates.ordering_until is 'While a process orders a certificate: until when no other process does.';
comment on column host_certificates.ordered_at is 'When the last order began. Orders per hour are limited.';
comment on column host_certificates.failures is 'How many orders have failed in a row.';
comment on column host_certificates.retry_at is 'After a failure: when the next order may begin.';
comment on column host_certificates.error is 'What went wrong with the last order, in words.';

create table acme_accounts (
  directory_url text primary key,
  private_key bytea not null,
  created_at timestamptz not null default now()
);
comment on table acme_accounts is 'The account at each ACME server by which certificates of link hosts are ordered.';
comment on column acme_accounts.private_key is 'In PEM, encrypted with the instance secret.';

create table acme_challenges (
  token text primary key,
  answer text not null,
  created_at timestamptz not null default now()
);
comment on table acme_challenges is 'What the ACME server expects to read over HTTP while an order runs (RFC 8555 section 8.3). Every process with a challenge port answers.';
comment on column acme_accounts.directory_url is 'The URL of the ACME server''s directory.';
comment on column acme_challenges.token is 'The token of the challenge, the last part of the path that the server asks for.';
comment on column acme_challenges.answer is 'The token and the hash of the account''s key.';
comment on column host_certificates.failed_since is 'When the first of the failed orders ended.';
