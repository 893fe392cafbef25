alter table saved_replies add column folder text;
alter table saved_replies add column actions jsonb not null default '[]';
comment on column saved_replies.folder is 'The heading under which webmail lists it. Null: none.';
comment on column saved_replies.actions is 'What is done to the thread when the reply is sent, as the API shows it.';

create table saved_reply_files (
  team_id integer not null,
  mailbox_id uuid not null,
  reply_id uuid not null,
  no smallint not null,
  filename text,
  content_type text not null,
  content_id text,
  inline boolean not null,
  size integer not null,
  sha256 bytea not null,
  primary key (team_id, mailbox_id, reply_id, no),
  constraint saved_reply_files_reply_fkey foreign key (team_id, mailbox_id, reply_id)
    references saved_replies (team_id, mailbox_id, id) on delete cascade
);
create index saved_reply_files_blob on saved_reply_files (team_id, sha256);
comment on table saved_reply_files is 'The files of saved replies. Their bytes are in blobs.';
comment on column saved_reply_files.reply_id is 'References saved_replies.';
comment on column saved_reply_files.no is 'The position in the reply.';
comment on column saved_reply_files.content_type is 'The MIME type.';
comment on column saved_reply_files.content_id is 'The Content-ID by which the HTML refers to it.';
comment on column saved_reply_files.inline is 'Whether it is shown inside the message.';
comment on column saved_reply_files.size is 'In bytes.';
comment on column saved_reply_files.sha256 is 'References blobs.';
