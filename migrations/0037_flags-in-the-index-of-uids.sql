-- Mail programs read the flags of whole folders when they connect. With the flags in the index, the messages are not read.
drop index messages_uid;
create unique index messages_uid on messages (team_id, mailbox_id, folder, uid)
  include (modseq, read, starred, answered, draft, deleted);
-- Most messages have no labels. Without this index, opening a folder reads all its messages to list their labels.
create index messages_labelled on messages (team_id, mailbox_id, folder, uid) where labels <> '{}';
