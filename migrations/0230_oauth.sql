-- Applications that a person lets act for them (OAuth 2.1). Each consent is an API key of its own.

create table oauth_clients (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
comment on table oauth_clients is 'Applications that registered themselves (RFC 7591). Those with a metadata document are not stored.';
comment on column oauth_clients.redirect_uris is 'Where authorization codes may be sent.';
comment on column oauth_clients.used_at is 'When a person last let the application in. Those that nobody has let in are deleted after a day.';
create index oauth_clients_unused on oauth_clients (created_at) where used_at is null;

alter table api_keys add column client text;
comment on column api_keys.client is 'The client ID of the application for which a person made the key by OAuth. Such a key is used by its tokens alone.';

create table oauth_grants (
  team_id integer not null,
  key_id uuid not null,
  seed uuid not null,
  client_id text not null,
  code_hash bytea not null,
  code_until timestamptz not null,
  code_used_at timestamptz,
  code_challenge text not null,
  redirect_uri text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, key_id),
  constraint oauth_grants_code unique (code_hash),
  constraint oauth_grants_key foreign key (team_id, key_id) references api_keys (team_id, id) on delete cascade
);
comment on table oauth_grants is 'Consents of people: the API key that an application acts with (src/features/identity/oauth/).';
comment on column oauth_grants.seed is 'The secret of the key is derived from this and the instance secret, so that it never leaves the server.';
comment on column oauth_grants.client_id is 'The application: an ID of oauth_clients, or the URL of its metadata document.';
comment on column oauth_grants.code_hash is 'SHA-256 of the authorization code, which works once until code_until.';
comment on column oauth_grants.code_until is 'Until when the authorization code works.';
comment on column oauth_grants.code_used_at is 'When the code was exchanged. Using it again ends the grant.';
comment on column oauth_grants.redirect_uri is 'Where the code was sent, which the client names again when it exchanges it.';
comment on column oauth_grants.code_challenge is 'S256 of the code verifier (RFC 7636).';
comment on column oauth_grants.expires_at is 'When the key ends once the code was used. Until then it ends with the code.';

create table oauth_tokens (
  token_hash bytea primary key,
  team_id integer not null,
  key_id uuid not null,
  kind text not null check (kind in ('access', 'refresh')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint oauth_tokens_grant foreign key (team_id, key_id) references oauth_grants (team_id, key_id) on delete cascade
);
comment on table oauth_tokens is 'Tokens of grants, by their SHA-256.';
comment on column oauth_tokens.token_hash is 'SHA-256 of the token.';
comment on column oauth_tokens.kind is 'access: for requests, an hour long. refresh: for new tokens, once.';
comment on column oauth_tokens.used_at is 'When a refresh token was exchanged. Using it again ends the grant.';
create index oauth_tokens_grant on oauth_tokens (team_id, key_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);
