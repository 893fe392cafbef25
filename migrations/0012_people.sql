-- People who sign in, the teams they belong to, and their sessions.

-- A person is one in the whole instance, whatever the number of their teams: like teams, they stand above the
-- teams' own things. email_key is the address in one spelling. The TOTP secret is sealed under the instance secret;
-- it counts once totp_enabled is set. A code's step is kept, so that no code works twice.
create table users (
  id uuid primary key,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  password_hash text not null,
  totp_secret bytea,
  totp_enabled boolean not null default false,
  totp_last_step bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_email_key unique (email_key)
);

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

create table memberships (
  team_id integer not null references teams (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member')),
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index memberships_user on memberships (user_id);

-- Only the SHA-256 of a session's token is kept. Who leaves the team loses the sessions in it.
create table sessions (
  team_id integer not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (team_id, id),
  constraint sessions_token_hash unique (token_hash),
  foreign key (team_id, user_id) references memberships (team_id, user_id) on delete cascade
);
create index sessions_user on sessions (user_id);
create index sessions_member on sessions (team_id, user_id);
create index sessions_expires_at on sessions (expires_at);

-- One-time links, each kept as the SHA-256 of its token. A setup link makes a team's first owner.
create table setup_links (
  team_id integer not null references teams (id),
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, token_hash),
  constraint setup_links_token_hash unique (token_hash)
);

create table invitations (
  team_id integer not null references teams (id),
  id uuid not null,
  email text not null,
  email_key text collate "C" not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  token_hash bytea not null,
  invited_by text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint invitations_email_key unique (team_id, email_key),
  constraint invitations_token_hash unique (token_hash)
);

create table password_resets (
  user_id uuid primary key references users (id) on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz not null,
  constraint password_resets_token_hash unique (token_hash)
);

-- Failed attempts to sign in, by the hash of an account's address or of where they came from.
create table sign_in_failures (
  subject bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

-- Every process remembers sessions that it has seen; these tell all of them to look again. That one was seen
-- changes nothing about who it belongs to.
create function notify_session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(old.token_hash, 'hex'));
  return null;
end
$$;
create trigger session_changed
  after delete or update of team_id, user_id, token_hash on sessions
  for each row execute function notify_session_changed();

create function notify_role_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(token_hash, 'hex'))
  from sessions where team_id = old.team_id and user_id = old.user_id;
  return null;
end
$$;
create trigger role_changed
  after update of role on memberships
  for each row execute function notify_role_changed();
