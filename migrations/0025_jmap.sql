-- JMAP: uploads, submissions, identities, and what Mailbox and Email show beyond IMAP.
alter table folders add column sort_order integer;
comment on column folders.sort_order is 'Where JMAP clients show it among others, smaller numbers first. Null: the default of its kind.';

create table mail_uploads (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  sha256 bytea not null,
  content_type text not null,
  size integer not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
create index mail_uploads_mailbox on mail_uploads (team_id, mailbox_id);
create index mail_uploads_blob on mail_uploads (team_id, sha256);
create index mail_uploads_created_at on mail_uploads (created_at);
comment on table mail_uploads is 'Files that JMAP clients have uploaded, to attach them or to import messages. Deleted after a day.';
comment on column mail_uploads.sha256 is 'References blobs.';
comment on column mail_uploads.content_type is 'As the client named it.';
comment on column mail_uploads.size is 'In bytes.';

create table mail_submissions (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  identity_id uuid not null,
  message_id uuid not null,
  thread_id uuid not null,
  email_id uuid not null,
  envelope jsonb not null,
  send_at timestamptz not null,
  undo_status text not null,
  modseq bigint not null,
  created_modseq bigint not null,
  is_destroyed boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mail_submissions_undo_status_check check (undo_status in ('pending', 'final', 'canceled')),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
create index mail_submissions_mailbox on mail_submissions (team_id, mailbox_id, modseq);
create unique index mail_submissions_email on mail_submissions (team_id, email_id);
create index mail_submissions_message on mail_submissions (team_id, message_id);
comment on table mail_submissions is 'Messages that JMAP clients have sent (EmailSubmission of RFC 8621).';
comment on column mail_submissions.identity_id is 'References mail_identities, or mailboxes for the identity of the mailbox itself.';
comment on column mail_submissions.message_id is 'References messages. The message may have been deleted since.';
comment on column mail_submissions.thread_id is 'References threads.';
comment on column mail_submissions.email_id is 'References emails.';
comment on column mail_submissions.envelope is 'The envelope that the client gave, or that was read from the header.';
comment on column mail_submissions.send_at is 'When the message is or was released.';
comment on column mail_submissions.undo_status is 'Whether sending can still be undone. A trigger on emails keeps it.';
comment on column mail_submissions.modseq is 'The change number of its latest change.';
comment on column mail_submissions.created_modseq is 'The change number with which it was stored.';
comment on column mail_submissions.is_destroyed is 'Whether a client has destroyed it. The row stays, so that other clients learn of it.';

create table mail_identities (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  name text not null,
  reply_to jsonb,
  bcc jsonb,
  text_signature text not null default '',
  html_signature text not null default '',
  modseq bigint not null,
  created_modseq bigint not null,
  is_destroyed boolean not null default false,
  primary key (team_id, id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
create index mail_identities_mailbox on mail_identities (team_id, mailbox_id);
comment on table mail_identities is 'Names and signatures with which JMAP clients write (Identity of RFC 8621). All have the address of their mailbox.';
comment on column mail_identities.id is 'The id of the mailbox for the identity that every mailbox has. It has a row once it was changed.';
comment on column mail_identities.name is 'The name in the From header.';
comment on column mail_identities.reply_to is 'Addresses for Reply-To, as the client gave them.';
comment on column mail_identities.bcc is 'Addresses that get a blind copy, as the client gave them.';
comment on column mail_identities.modseq is 'The change number of its latest change.';
comment on column mail_identities.created_modseq is 'The change number with which it was stored.';
comment on column mail_identities.is_destroyed is 'Whether a client has destroyed it. The row stays, so that other clients learn of it.';
comment on column mail_identities.text_signature is 'The signature for plain text. The client adds it, not the server.';
comment on column mail_identities.html_signature is 'The signature for HTML, not cleaned: only JMAP clients read it.';
