create table last_backup (
  id boolean primary key default true check (id),
  at timestamptz not null,
  bytes bigint not null
);
comment on table last_backup is 'When `posthorn backup` last wrote a file, for monitoring. At most one row.';
comment on column last_backup.bytes is 'The size of the file.';
comment on column last_backup.at is 'When the file was finished.';
