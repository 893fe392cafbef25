create table mailbox_activity (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  thread_id uuid,
  at timestamptz not null default now(),
  actor text not null,
  actor_name text,
  type text not null,
  data jsonb not null default '{}',
  primary key (team_id, id),
  constraint mailbox_activity_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade,
  constraint mailbox_activity_team_id_thread_id_fkey foreign key (team_id, thread_id)
    references threads (team_id, id) on delete cascade
);
create index mailbox_activity_thread on mailbox_activity (team_id, thread_id, id) where thread_id is not null;
create index mailbox_activity_mailbox on mailbox_activity (team_id, mailbox_id, id);
comment on table mailbox_activity is
  'Who did what in a thread, or changed the access to a mailbox, and when (src/features/mailboxes/activity).';
comment on column mailbox_activity.thread_id is 'Null for what concerns the mailbox as a whole.';
comment on column mailbox_activity.actor is 'Who did it: user:usr_…, key_…, rule:… or automation.';
comment on column mailbox_activity.actor_name is 'The name of the person at that time; null if nobody in particular did it.';
comment on column mailbox_activity.type is 'What happened, for example assigned. The list is in src/features/mailboxes/activity/activity.schema.ts.';
comment on column mailbox_activity.data is 'Details that depend on the type, with public IDs.';
comment on column mailbox_activity.at is 'When it happened.';
