create table person_notes (
  team_id integer not null references teams (id) on delete cascade,
  address_key text not null,
  notes text not null,
  updated_by text not null,
  updated_at timestamptz not null default now(),
  primary key (team_id, address_key)
);
comment on table person_notes is 'What a team has written down about a person it corresponds with.';

create table push_subscriptions (
  team_id integer not null,
  user_id uuid not null,
  id uuid not null,
  endpoint text not null,
  public_key bytea not null,
  auth_secret bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint push_subscriptions_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create unique index push_subscriptions_endpoint on push_subscriptions (team_id, user_id, md5(endpoint));
comment on table push_subscriptions is 'Browsers that get notifications while webmail is closed (RFC 8030).';
comment on column push_subscriptions.public_key is 'The P-256 key of the browser (p256dh of RFC 8291).';
comment on column push_subscriptions.auth_secret is 'The authentication secret of the browser (RFC 8291).';

create table notification_settings (
  team_id integer not null,
  user_id uuid not null,
  settings jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (team_id, user_id),
  constraint notification_settings_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
comment on table notification_settings is 'What a person wants to be notified of. Without a row the defaults hold.';

create table mail_notifications (
  team_id integer not null,
  user_id uuid not null,
  id uuid not null,
  mailbox_id uuid not null,
  thread_id uuid not null,
  message_id uuid,
  kind text not null,
  created_at timestamptz not null default now(),
  email_at timestamptz,
  primary key (team_id, id),
  constraint mail_notifications_kind_check check (kind in ('assigned', 'mention', 'message', 'reminder', 'rule')),
  constraint mail_notifications_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create index mail_notifications_email_at on mail_notifications (email_at) where email_at is not null;
create index mail_notifications_created_at on mail_notifications (created_at);
comment on table mail_notifications is 'Notifications of people about mail. Kept for 30 days.';
comment on column mail_notifications.mailbox_id is 'References mailboxes.';
comment on column mail_notifications.thread_id is 'References threads.';
comment on column mail_notifications.message_id is 'References messages.';
comment on column mail_notifications.email_at is 'When an email about it is due, if it is still unread. Null: none, or sent.';
comment on column person_notes.address_key is 'The normalised address of the person.';
comment on column person_notes.notes is 'Plain text.';
comment on column person_notes.updated_by is 'Who changed the notes last: a key or user:usr_….';
comment on column push_subscriptions.endpoint is 'The URL of the push service.';
comment on column notification_settings.settings is 'As the API shows them.';
comment on column mail_notifications.kind is 'Why the person is notified.';
