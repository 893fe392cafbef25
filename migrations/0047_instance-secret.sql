-- A value derived from the instance secret, so that a start with a missing or another secret is noticed.
create table instance_secret (
  is_only boolean primary key default true check (is_only),
  check_value bytea not null,
  created_at timestamptz not null default now()
);
comment on table instance_secret is 'One row that shows which instance secret this database belongs to. Without a row, the next start with a secret that decrypts what is stored adds it.';
comment on column instance_secret.is_only is 'Always true, so that there is at most one row.';
comment on column instance_secret.check_value is 'A key derived from the instance secret for this purpose only. It reveals nothing about the secret.';
