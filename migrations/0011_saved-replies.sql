-- Replies that a mailbox keeps for using again. They go with their mailbox.
create table saved_replies (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  -- As cleaning left it.
  html text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
