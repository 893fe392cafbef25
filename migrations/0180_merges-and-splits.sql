-- Email apps learn which threads were merged and split, and threads are found by who must not be joined.

alter table thread_changes add modseq bigint not null default 0, add undone_modseq bigint;
comment on column thread_changes.modseq is 'The change number of the mailbox at that time, for JMAP.';
comment on column thread_changes.undone_modseq is 'The change number at which it was undone; null otherwise.';
comment on column thread_changes.before is
  'IDs of what the merged thread had beside its messages: aliases, notes, activity and separated threads; its assignee, and whether the other one took them over.';
comment on column thread_changes.message_ids is
  'References messages: those that changed their thread, the oldest first. A split was made at the first one.';
create index thread_changes_modseq on thread_changes (team_id, mailbox_id, modseq);
