-- An account is a proven address (decision 39). Nothing in the database shows which existing accounts are proven: the
-- links of their invitations were also shown to the people who invited them. Only the first owner of the first team
-- counts as proven, because the server printed the link for that account on the operator's console.
alter table users
  add column proven_at timestamptz,
  add column waiting boolean not null default false;
comment on column users.proven_at is 'When the person first showed that the address is theirs, by a link that went to the address alone or came from the operator. Null: not proven, so the account joins no other team and takes over nothing.';
comment on column users.waiting is 'The account came with a team from another instance, and an account with the same address exists here that is not proven. Nobody can sign in to it. Once the address is proven, its memberships move to the account that was proven.';
comment on table users is 'People who sign in. A person has one account in the whole instance and may belong to several teams. An address has at most one account that is not waiting.';
alter table users drop constraint users_email_key;
create unique index users_email_key on users (email_key) where not waiting;
create index users_waiting on users (email_key) where waiting;

alter table invitations add column proves boolean not null default false;
comment on column invitations.proves is 'Whether accepting proves the address: the link went to the address alone, or the team holds its domain.';

alter table setup_links
  add column email text,
  add column email_key text collate "C",
  add column proves boolean not null default false;
comment on column setup_links.email is 'The only address that can use the link. Null: any.';
comment on column setup_links.email_key is 'The address as addresses are compared.';
comment on column setup_links.proves is 'Whether the operator vouches for the address of the owner: the link is for one address, or for the first team, which runs the server.';

update users set proven_at = created_at where id = (
  select m.user_id from memberships m
  where m.team_id = (select min(id) from teams) and m.role = 'owner'
  order by m.created_at, m.user_id limit 1
);
update setup_links set proves = true where team_id = (select min(id) from teams);

create table known_places (
  user_id uuid not null references users (id) on delete cascade,
  place bytea not null,
  kind text not null check (kind in ('browser', 'network')),
  last_seen_at timestamptz not null default now(),
  primary key (user_id, place)
);
comment on table known_places is 'Browsers and networks from which a person has signed in. Failed attempts from elsewhere do not lock the person out of these.';
comment on column known_places.kind is 'browser: it has the device cookie.';
comment on column known_places.place is 'SHA-256 of the token in the device cookie, or of the network.';
comment on column known_places.last_seen_at is 'When the person last signed in from there.';
