-- How much each team stores, and how much it may store.
alter table teams add column storage_mb integer constraint teams_storage_mb_check check (storage_mb >= 0);
comment on column teams.storage_mb is 'How many MiB the team may store, 0 for any number; null for TEAM_STORAGE_MB.';

create table team_storage (
  team_id integer primary key references teams (id) on delete cascade,
  bytes bigint not null default 0,
  added bigint not null default 0,
  counted_at timestamptz,
  count_ms integer not null default 0,
  high_since timestamptz,
  full_since timestamptz
);
comment on table team_storage is 'How much each team stores. Processes add what they accept, and a job counts anew.';
comment on column team_storage.bytes is 'What the last count found.';
comment on column team_storage.added is 'The bytes of what was accepted since then. Deletions are seen by the next count.';
comment on column team_storage.counted_at is 'When the last count ended.';
comment on column team_storage.count_ms is 'How long it took.';
comment on column team_storage.high_since is 'Since when the team uses 80 % of what it may store; null if it does not.';
comment on column team_storage.full_since is 'Since when it uses all of it; null if it does not.';
