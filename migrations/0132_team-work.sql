create table thread_assignments (
  team_id integer not null,
  thread_id uuid not null,
  mailbox_id uuid not null,
  user_id uuid not null,
  assigned_at timestamptz not null default now(),
  primary key (team_id, thread_id),
  constraint thread_assignments_team_id_thread_id_fkey foreign key (team_id, thread_id)
    references threads (team_id, id) on delete cascade,
  constraint thread_assignments_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create index thread_assignments_user on thread_assignments (team_id, mailbox_id, user_id);
comment on table thread_assignments is 'Who is to answer a thread (src/features/mailboxes/teamwork/assign.ts).';
comment on column thread_assignments.mailbox_id is 'References mailboxes: that of the thread.';

create table thread_snoozes (
  team_id integer not null,
  id uuid not null,
  thread_id uuid not null,
  mailbox_id uuid not null,
  kind text not null default 'snooze',
  user_id uuid,
  until timestamptz not null,
  wake text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint thread_snoozes_kind_check check (kind in ('snooze', 'reminder')),
  constraint thread_snoozes_wake_check check (wake in ('time_or_reply', 'time_only', 'reply_only')),
  constraint thread_snoozes_team_id_thread_id_fkey foreign key (team_id, thread_id)
    references threads (team_id, id) on delete cascade,
  constraint thread_snoozes_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create index thread_snoozes_thread on thread_snoozes (team_id, thread_id);
comment on table thread_snoozes is
  'Threads that come back at a time, or when someone answers (src/features/mailboxes/teamwork/snooze.ts). A job does it.';
comment on column thread_snoozes.mailbox_id is 'References mailboxes: that of the thread.';
comment on column thread_snoozes.kind is
  'snooze: the thread is away until then; reminder: it stays where it is and comes back if nobody has answered.';
comment on column thread_snoozes.user_id is 'For whom it is away; null for everyone, and then its messages are in the folder snoozed.';
comment on column thread_snoozes.until is 'When it comes back.';
comment on column thread_snoozes.wake is 'What brings it back: the time, an answer, or the first of both.';
comment on column thread_snoozes.created_by is 'Who did it, as in mailbox_activity.actor.';

create table thread_notes (
  team_id integer not null,
  id uuid not null,
  thread_id uuid not null,
  mailbox_id uuid not null,
  author text not null,
  author_name text,
  html text not null,
  mentions uuid[] not null default '{}',
  words text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint thread_notes_team_id_thread_id_fkey foreign key (team_id, thread_id)
    references threads (team_id, id) on delete cascade
);
create index thread_notes_thread on thread_notes (team_id, thread_id, id);
create index thread_notes_mentions on thread_notes using gin (mentions);
create index thread_notes_words on thread_notes using gin (words);
comment on table thread_notes is
  'What people of the team write to each other in a thread. Notes are no messages: nothing makes MIME of them.';
comment on column thread_notes.mailbox_id is 'References mailboxes: that of the thread.';
comment on column thread_notes.author is 'Who wrote it, as in mailbox_activity.actor.';
comment on column thread_notes.author_name is 'The name of the author at that time; null if nobody in particular wrote it.';
comment on column thread_notes.html is 'The note after cleaning.';
comment on column thread_notes.mentions is 'References users: the people who are mentioned.';
comment on column thread_notes.words is 'Its words, for search.';

create table mailbox_labels (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  keyword text collate "C" not null,
  name text not null,
  color text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailbox_labels_keyword unique (team_id, mailbox_id, keyword),
  constraint mailbox_labels_color_check check (color ~ '^#[0-9a-f]{6}$'),
  constraint mailbox_labels_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create unique index mailbox_labels_name on mailbox_labels (team_id, mailbox_id, lower(name));
comment on table mailbox_labels is 'The names and colours of labels. Messages have their keywords (messages.labels).';
comment on column mailbox_labels.keyword is 'The IMAP keyword. It is made once from the name and stays when the name changes.';
comment on column mailbox_labels.name is 'As people see it.';
comment on column mailbox_labels.color is 'As #rrggbb.';

create unlogged table thread_presence (
  team_id integer not null,
  thread_id uuid not null,
  mailbox_id uuid not null,
  user_id uuid not null,
  state text not null,
  seen_at timestamptz not null default now(),
  primary key (team_id, thread_id, user_id),
  constraint thread_presence_state_check check (state in ('viewing', 'replying'))
);
comment on table thread_presence is 'Who has a thread open. Rows count for 30 seconds. A crash or a failover empties the table.';
comment on column thread_presence.thread_id is 'References threads.';
comment on column thread_presence.mailbox_id is 'References mailboxes: that of the thread.';
comment on column thread_presence.user_id is 'References users.';
comment on column thread_presence.state is 'What the person does with it.';
comment on column thread_presence.seen_at is 'When this was last said.';

create table thread_changes (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  kind text not null,
  thread_id uuid not null,
  other_id uuid not null,
  message_ids uuid[] not null,
  before jsonb not null default '{}',
  created_at timestamptz not null default now(),
  undone_at timestamptz,
  primary key (team_id, id),
  constraint thread_changes_kind_check check (kind in ('merge', 'split')),
  constraint thread_changes_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create index thread_changes_thread on thread_changes (team_id, thread_id, id);
comment on table thread_changes is 'Threads that people merged or split, so that it can be undone.';
comment on column thread_changes.thread_id is 'References threads: the one that was kept.';
comment on column thread_changes.other_id is 'References threads: the one that was merged into it, or split from it.';
comment on column thread_changes.message_ids is 'References messages: those that changed their thread.';
comment on column thread_changes.before is 'The subject and people of the merged thread.';
comment on column thread_changes.undone_at is 'When it was undone; null otherwise.';

create table separated_threads (
  team_id integer not null,
  thread_id uuid not null,
  other_id uuid not null,
  primary key (team_id, thread_id, other_id),
  constraint separated_threads_team_id_thread_id_fkey foreign key (team_id, thread_id)
    references threads (team_id, id) on delete cascade,
  constraint separated_threads_team_id_other_id_fkey foreign key (team_id, other_id)
    references threads (team_id, id) on delete cascade
);
create index separated_threads_other on separated_threads (team_id, other_id);
comment on table separated_threads is
  'Pairs of threads that people have split. A message that refers to both joins one of them, and does not merge them. Each pair has a row for each order.';

alter table threads add returned_at timestamptz;
comment on column threads.returned_at is
  'When it last came back from snoozing or by a reminder. It then counts as the time of the last message; null if it never did.';

alter table messages add author_id uuid;
comment on column messages.author_id is
  'References users: who wrote the message or draft here. Null for received messages and those of email apps and API keys.';

comment on column thread_assignments.assigned_at is 'When.';
comment on column thread_changes.kind is 'merge: other_id into thread_id; split: other_id from thread_id.';
