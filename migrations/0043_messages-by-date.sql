-- The messages of a folder by the date of receipt, which is the order that JMAP clients ask for. Without it, each page of a
-- folder reads and sorts all of its messages.
create index messages_received on messages (team_id, mailbox_id, folder, created_at, id);
