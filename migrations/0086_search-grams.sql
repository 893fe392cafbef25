-- Which three bytes the messages of a folder contain, so that email apps find parts of words without reading every message
-- (decision 48). Made when an email app first searches the folder.
create table search_grams (
  team_id integer not null,
  mailbox_id uuid not null,
  folder text collate "C" not null,
  first_uid bigint not null,
  last_uid bigint not null,
  uids bytea not null,
  grams bytea not null,
  primary key (team_id, mailbox_id, folder, first_uid)
);
alter table search_grams alter column grams set storage external;
comment on table search_grams is 'Which three bytes occur in the messages of a folder, for searches by email apps. A row is about all messages from one UID to another, and never changes. Messages with later UIDs have no row yet.';
comment on column search_grams.mailbox_id is 'References mailboxes.';
comment on column search_grams.folder is 'References folders.';
comment on column search_grams.first_uid is 'The first UID that the row is about.';
comment on column search_grams.last_uid is 'The last UID that the row is about.';
comment on column search_grams.uids is 'The UIDs in increasing order, with four bytes for each.';
comment on column search_grams.grams is 'A table of bits with 8,192 rows and a column for each UID. Three bytes belong to the row of their hash. Rows are filled to whole bytes.';
