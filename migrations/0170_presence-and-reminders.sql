-- Lists of threads are read from replicas, which cannot read unlogged tables. Reminders belong to the message that was
-- sent with them, so that taking the message back ends them.

alter table thread_presence set logged;
comment on table thread_presence is 'Who has a thread open. Rows count for 30 seconds, and are deleted later.';

alter table thread_snoozes add message_id uuid;
comment on column thread_snoozes.message_id is 'References messages: the one that was sent with the reminder. Null for snoozes.';
create index thread_snoozes_user on thread_snoozes (team_id, mailbox_id, user_id) where user_id is not null;
