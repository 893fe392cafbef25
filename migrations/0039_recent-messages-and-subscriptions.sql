-- Mail programs that speak IMAP4rev1 are told which messages are \Recent. What is here already is not.
alter table folders add column first_recent_uid bigint not null default 1;
update folders set first_recent_uid = next_uid;
comment on column folders.first_recent_uid is 'The first UID that no mail program was told of as \Recent (RFC 3501, section 2.3.2).';

-- A subscription does not end with its folder.
create table subscribed_names (
  team_id integer not null,
  mailbox_id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, name),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
comment on table subscribed_names is 'Names of folders that mail programs have deleted and are still subscribed to (RFC 9051, section 6.3.7). A folder that exists has its subscription in folders.';
comment on column subscribed_names.name is 'The full name, as in folders.';

alter table messages add column more_addresses jsonb;
comment on column messages.more_addresses is 'What the From, To and Cc headers have besides the columns: names of groups, further authors, addresses without a domain. For each such header its text, and the mailbox and the name by which it is sorted. Null for most messages.';
