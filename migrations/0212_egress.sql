-- Ways out of the server (EGRESS_<NAME>), their warm-up, and providers that block mail from one of them.
alter table domains add column pools jsonb not null default '{}';
comment on column domains.pools is
  'Which ways out the mail of each kind uses: {transactional, campaign, automation}. Kinds without one use MAIL_TRANSPORT.';

create table egress_warmups (
  egress text primary key,
  target integer not null check (target > 0),
  start integer not null check (start > 0),
  factor_percent integer not null check (factor_percent > 100),
  started_at timestamptz not null default now()
);
comment on table egress_warmups is 'The warm-up of a way out of the server, whose name is in the settings.';
comment on column egress_warmups.target is 'The messages a day and provider at which the address counts as warm.';
comment on column egress_warmups.start is 'The messages of the first day.';
comment on column egress_warmups.factor_percent is 'The limit after a good day, in percent of the limit before.';
comment on column egress_warmups.started_at is 'Earlier days do not count.';

create table egress_days (
  egress text not null,
  provider text not null,
  day date not null,
  cap integer,
  change text not null check (change in ('start', 'rise', 'hold', 'halve', 'rest', 'warm')),
  because text not null,
  sent integer not null default 0,
  deferred integer not null default 0,
  blocked integer not null default 0,
  bounced integer not null default 0,
  waiting integer not null default 0,
  primary key (egress, provider, day)
);
comment on table egress_days is 'What was sent in a day during a warm-up, by provider. Days without mail have no row.';
comment on column egress_days.provider is 'A large provider, found by its mail servers, or other.';
comment on column egress_days.cap is 'The most messages of the day. Null: warm.';
comment on column egress_days.change is 'How the limit follows from the day before: start, rise, hold, halve, rest, or warm.';
comment on column egress_days.because is 'The same in words.';
comment on column egress_days.blocked is 'Rejected because of policy, reputation or spam.';
comment on column egress_days.bounced is 'Rejected because the address does not exist.';
comment on column egress_days.waiting is 'Messages of campaigns that were over the limit and wait for a later day.';

create table egress_slowdowns (
  egress text not null,
  provider text not null,
  until timestamptz not null,
  blocks integer not null,
  reason text not null,
  primary key (egress, provider)
);
comment on table egress_slowdowns is 'Providers that blocked mail from a way out. Mail that is not urgent waits.';
comment on column egress_slowdowns.provider is 'A large provider, or the domain of the recipient.';
comment on column egress_slowdowns.blocks is 'How often in a row. Each block doubles the wait.';
comment on column egress_slowdowns.reason is 'The reply of the provider.';
comment on column egress_days.egress is 'The name of the setting EGRESS_<NAME>, in lower case.';
comment on column egress_days.day is 'In UTC.';
comment on column egress_days.sent is 'Messages that were tried, of all kinds.';
comment on column egress_days.deferred is 'Deferred by the provider.';
comment on column egress_slowdowns.egress is 'The name of the setting EGRESS_<NAME>, in lower case.';
comment on column egress_slowdowns.until is 'When mail is tried again.';
comment on column egress_warmups.egress is 'The name of the setting EGRESS_<NAME>, in lower case.';
