create table mailbox_rules (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  position integer not null,
  name text not null,
  enabled boolean not null,
  match text not null,
  conditions jsonb not null,
  actions jsonb not null,
  stop boolean not null,
  disabled_reason text,
  disabled_at timestamptz,
  created_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailbox_rules_match_check check (match in ('all', 'any')),
  constraint mailbox_rules_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create index mailbox_rules_of_mailbox on mailbox_rules (team_id, mailbox_id, position, id);
create index mailbox_rules_disabled on mailbox_rules (team_id) where disabled_reason is not null;
comment on table mailbox_rules is 'What a mailbox does with mail that arrives (src/features/mailboxes/rules).';
comment on column mailbox_rules.position is 'Rules act in this order. The first has 1.';
comment on column mailbox_rules.conditions is 'A list of {field, op, value}.';
comment on column mailbox_rules.actions is 'A list of {type, …}.';
comment on column mailbox_rules.stop is 'Whether later rules are left out if this one matches.';
comment on column mailbox_rules.disabled_reason is 'Why the rule was switched off by itself, for example because a folder is gone.';
comment on column mailbox_rules.created_by is 'Who made the rule: a key or user:usr_….';

create table rule_log (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  rule_id uuid not null,
  message_id uuid,
  actions text[] not null,
  error text,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index rule_log_of_rule on rule_log (team_id, rule_id, created_at desc);
create index rule_log_of_message on rule_log (team_id, message_id);
create index rule_log_created_at on rule_log (created_at);
comment on table rule_log is 'What rules did with messages, and their errors. Kept for 30 days.';
comment on column rule_log.rule_id is 'References mailbox_rules. The rule may have been deleted since.';
comment on column rule_log.message_id is 'References messages.';
comment on column rule_log.actions is 'The types of the actions that took effect.';

create table rule_applications (
  team_id integer not null,
  mailbox_id uuid not null,
  rule_id uuid not null,
  status text not null,
  examined integer not null default 0,
  matched integer not null default 0,
  before_id uuid,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (team_id, rule_id),
  constraint rule_applications_status_check check (status in ('running', 'done', 'failed')),
  constraint rule_applications_team_id_rule_id_fkey foreign key (team_id, rule_id)
    references mailbox_rules (team_id, id) on delete cascade
);
comment on table rule_applications is 'The latest run of a rule over the messages that a mailbox already has.';
comment on column rule_applications.mailbox_id is 'References mailboxes.';
comment on column rule_applications.before_id is 'References messages: all from this one on have been examined. Null at the start.';

create table rule_replies (
  team_id integer not null,
  mailbox_id uuid not null,
  address_key text not null,
  replied_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, address_key),
  constraint rule_replies_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create index rule_replies_replied_at on rule_replies (replied_at);
comment on table rule_replies is 'When a rule of the mailbox last replied to a person, so that each gets one reply in four days.';

create table forward_targets (
  team_id integer not null,
  mailbox_id uuid not null,
  address_key text not null,
  address text not null,
  token_hash bytea not null,
  asked_at timestamptz not null default now(),
  confirmed_at timestamptz,
  primary key (team_id, mailbox_id, address_key),
  constraint forward_targets_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create unique index forward_targets_token on forward_targets (token_hash);
comment on table forward_targets is 'Addresses elsewhere to which rules of a mailbox forward, once their owners have agreed by a link.';
comment on column forward_targets.token_hash is 'SHA-256 of the token in the link.';
comment on column forward_targets.confirmed_at is 'Null until the link was opened and confirmed. Nothing is forwarded before.';
comment on column mailbox_rules.enabled is 'Whether the rule acts.';
comment on column mailbox_rules.match is 'all: every condition must hold. any: one is enough.';
comment on column mailbox_rules.disabled_at is 'When the rule was switched off by itself.';
comment on column rule_log.mailbox_id is 'References mailboxes.';
comment on column rule_log.error is 'Why an action or the rule failed. The message was stored in any case.';
comment on column rule_applications.examined is 'Messages that were looked at.';
comment on column rule_applications.matched is 'Messages on which the rule has acted.';
comment on column rule_applications.ended_at is 'Null while it runs.';
comment on column rule_replies.address_key is 'The normalised address of the person.';
comment on column rule_replies.replied_at is 'When the person last got a reply.';
comment on column forward_targets.address_key is 'The normalised address.';
comment on column forward_targets.asked_at is 'When the link was last sent.';
