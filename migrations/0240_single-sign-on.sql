-- Signing in with an OpenID Connect provider.

create table identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id) on delete cascade,
  email text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);

create index identities_user on identities (user_id);

comment on table identities is 'People at OpenID Connect providers, and their accounts here.';
comment on column identities.issuer is 'The issuer identifier of the provider. With subject it names one person for ever.';
comment on column identities.subject is 'The sub claim.';
comment on column identities.email is 'The address that the provider last named. Only shown.';
comment on column identities.last_used_at is 'When the person last signed in with it.';

create table team_sign_on (
  team_id integer primary key references teams (id) on delete cascade,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  domains text[] not null,
  default_role text check (default_role in ('admin', 'member')),
  groups_claim text,
  group_roles jsonb not null,
  required boolean not null,
  by_owner boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table team_sign_on is 'The OpenID Connect provider of a team.';
comment on column team_sign_on.client_secret is 'Encrypted.';
comment on column team_sign_on.domains is 'Whose addresses sign in with this provider. It counts only while the team has verified the domain.';
comment on column team_sign_on.default_role is 'The role of new members. Null: only people in one of the groups can join.';
comment on column team_sign_on.groups_claim is 'The claim with the groups of a person.';
comment on column team_sign_on.group_roles is 'The role of each group.';
comment on column team_sign_on.required is 'Whether people other than owners can enter the team only with this provider.';
comment on column team_sign_on.by_owner is 'Whether an owner chose the provider. Otherwise it does not open accounts of owners by their address.';

alter table sessions
  add column issuer text,
  add column subject text,
  add column provider_session text,
  add column only_team boolean not null default false;

create index sessions_identity on sessions (issuer, subject) where issuer is not null;

comment on column sessions.issuer is 'The provider with which the session began. Null for a password or passkey.';
comment on column sessions.subject is 'The person at the provider.';
comment on column sessions.provider_session is 'The sid claim, by which the provider ends the session.';
comment on column sessions.only_team is 'The session began with the provider of the team, which must not open other teams of the person.';

comment on column team_sign_on.issuer is 'The issuer identifier of the provider.';
comment on column team_sign_on.client_id is 'How the provider knows this server.';
