-- App passwords: the passwords of mail programs (IMAP, JMAP, submission).
create table app_passwords (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  user_id uuid,
  name text not null,
  password_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  last_used_from text,
  primary key (team_id, id),
  constraint app_passwords_password_hash unique (password_hash),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade,
  foreign key (team_id, user_id) references memberships (team_id, user_id) on delete cascade
);
create index app_passwords_mailbox on app_passwords (team_id, mailbox_id);
create index app_passwords_member on app_passwords (team_id, user_id) where user_id is not null;
comment on table app_passwords is 'Passwords with which a mail program opens one mailbox. Removing a person from the team, or deleting the mailbox, revokes them. A revoked one has no row.';
comment on column app_passwords.user_id is 'The person whose program uses it; null if an API key created it.';
comment on column app_passwords.name is 'The name of the device or program, as the person wrote it.';
comment on column app_passwords.password_hash is 'SHA-256 of the password in lower case without hyphens. The password itself is stored nowhere.';
comment on column app_passwords.last_used_at is 'When a program last logged in or sent a message with it, to within some seconds.';
comment on column app_passwords.last_used_from is 'The IP address of that program.';

-- What IMAP and JMAP show of a message before its body is read: made once, when a program first asks.
create table message_structures (
  team_id integer not null,
  message_id uuid not null,
  source text collate "C" not null,
  size integer not null,
  header bytea not null,
  envelope bytea not null,
  body bytea not null,
  body_structure bytea not null,
  primary key (team_id, message_id)
);
comment on table message_structures is 'The header and the MIME structure of messages in the words of IMAP, so that lists need not read whole messages. A row is made when a mail program first asks for it.';
comment on column message_structures.message_id is 'References messages.';
comment on column message_structures.source is 'What it was made from: the hash of the blob in hexadecimal, or the id of the email. If the message has another source, the row is out of date.';
comment on column message_structures.size is 'The size of the source in bytes.';
comment on column message_structures.header is 'The header section with its empty line.';
comment on column message_structures.envelope is 'The ENVELOPE of RFC 9051.';
comment on column message_structures.body is 'The BODY of RFC 9051.';
comment on column message_structures.body_structure is 'The BODYSTRUCTURE of RFC 9051.';
