-- Signing in with passkeys.

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  rp_id text not null,
  backed_up boolean not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint passkeys_credential_id unique (credential_id)
);

create index passkeys_user on passkeys (user_id);

comment on table passkeys is 'The passkeys of people (Web Authentication). Each works instead of the password, and as the second factor after it.';
comment on column passkeys.credential_id is 'How the device knows the passkey.';
comment on column passkeys.public_key is 'In the format of COSE.';
comment on column passkeys.sign_count is 'The signature counter of the last use. One that goes back is a sign of a copied passkey. Many devices leave it at 0.';
comment on column passkeys.transports is 'How the browser reaches the device, in its own words.';
comment on column passkeys.name is 'What the person calls it.';
comment on column passkeys.rp_id is 'The host of BASE_URL when it was made. It works at no other host.';
comment on column passkeys.backed_up is 'Whether the device has copied it to an account of the person, as it said at the last use.';
comment on column passkeys.last_used_at is 'When the person last signed in with it.';

create table used_challenges (
  challenge_hash bytea primary key,
  kept_until timestamptz not null
);

create index used_challenges_kept_until on used_challenges (kept_until);

comment on table used_challenges is 'Challenges of passkeys that have been answered, so that none is answered twice.';
comment on column used_challenges.challenge_hash is 'SHA-256.';
comment on column used_challenges.kept_until is 'Later than the challenge expires.';

alter table users add column has_password boolean not null default true;
comment on column users.has_password is 'False for people whom a provider has introduced and who have set no password. password_hash is then that of a text that nobody knows.';
