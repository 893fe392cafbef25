-- The audit log: who changed what, sealed in a chain (decision 57).

create table audit_entries (
  team_id integer not null references teams (id) on delete cascade,
  id uuid not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('person', 'key', 'operator', 'system')),
  actor_id text,
  action text not null,
  target text,
  request_id text,
  content text,
  content_hash bytea not null,
  seal_no bigint,
  primary key (team_id, id)
);

create index audit_entries_unsealed on audit_entries (team_id) where seal_no is null;
create index audit_entries_by_seal on audit_entries (team_id, seal_no);
create index audit_entries_by_actor on audit_entries (team_id, actor_id, id desc);
create index audit_entries_by_action on audit_entries (team_id, action, id desc);
create index audit_entries_by_target on audit_entries (team_id, target, id desc);

comment on table audit_entries is 'Who changed what in a team, written in the transaction of the change (src/features/audit).';
comment on column audit_entries.at is 'In whole milliseconds, as it is part of the hash.';
comment on column audit_entries.actor_kind is 'operator: the command line. system: the server itself.';
comment on column audit_entries.actor_id is 'The public ID of the user or key. Null for the operator and the server itself.';
comment on column audit_entries.action is 'Such as domain.created (src/features/audit/actions.ts).';
comment on column audit_entries.target is 'The public ID of what was changed.';
comment on column audit_entries.request_id is 'The x-request-id of the request.';
comment on column audit_entries.content is 'JSON with the name and address of the actor and the state before and after. Null if it was erased with a person.';
comment on column audit_entries.content_hash is 'A MAC of content, which stays when the content is erased.';
comment on column audit_entries.seal_no is 'References audit_seals. Null for at most about a minute.';

create table audit_seals (
  team_id integer not null references teams (id) on delete cascade,
  no bigint not null,
  at timestamptz not null,
  entry_hashes bytea not null,
  previous_hash bytea not null,
  hash bytea not null,
  signature bytea not null,
  signed_by text not null,
  mailed_at timestamptz,
  primary key (team_id, no)
);

comment on table audit_seals is 'The chain over the audit log of a team. Each seal has the hashes of new entries and the hash of the seal before it.';
comment on column audit_seals.no is 'From 1 in each team, without gaps.';
comment on column audit_seals.at is 'In whole milliseconds, as it is part of the hash.';
comment on column audit_seals.entry_hashes is 'The MACs of the entries in the order of their IDs, 32 bytes each.';
comment on column audit_seals.previous_hash is 'The hash of the seal before this one; zeros for the first.';
comment on column audit_seals.hash is 'SHA-256 of the other columns.';
comment on column audit_seals.signature is 'Ed25519 signature of the hash, with a key that is derived from the instance secret.';
comment on column audit_seals.signed_by is 'The start of the SHA-256 of the public key. Another one after a move to another instance.';
comment on column audit_seals.mailed_at is 'When this seal went to the owners as the head of the chain. Null for most.';
