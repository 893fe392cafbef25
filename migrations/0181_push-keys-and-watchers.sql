create table push_keys (
  id smallint primary key,
  public_key bytea not null,
  private_key bytea not null,
  created_at timestamptz not null default now(),
  constraint push_keys_one check (id = 1)
);
comment on table push_keys is 'The key by which this instance proves to push services who it is (RFC 8292). At most one row.';
comment on column push_keys.id is 'Always 1.';
comment on column push_keys.public_key is 'The uncompressed P-256 point, which browsers subscribe with.';
comment on column push_keys.private_key is 'In PKCS #8, encrypted with the instance secret.';

create table mailbox_watchers (
  team_id integer not null,
  mailbox_id uuid not null,
  user_id uuid not null,
  primary key (team_id, mailbox_id, user_id),
  constraint mailbox_watchers_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade,
  constraint mailbox_watchers_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create index mailbox_watchers_user on mailbox_watchers (team_id, user_id);
comment on table mailbox_watchers is 'People who are notified of every new message of a mailbox.';

create index mail_notifications_user on mail_notifications (team_id, user_id);
