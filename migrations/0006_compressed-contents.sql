-- Contents are stored compressed from now on. Rows that exist stay as they are and remain readable.

alter table email_contents add column inflated_size integer;
comment on column email_contents.raw is 'Header and body in the form of RFC 5322, compressed with DEFLATE (RFC 1951) if inflated_size is set.';
comment on column email_contents.inflated_size is 'The size before compression; null if raw is not compressed.';
comment on column email_contents.is_text is 'Whether raw is not compressed and valid UTF-8, which the database driver reads much faster than bytes.';

alter table sandbox_messages add column inflated_size integer;
-- Already compressed where that helps.
alter table sandbox_messages alter column raw set storage external;
comment on column sandbox_messages.raw is 'The message as it would have been sent, signature included, compressed with DEFLATE if inflated_size is set.';
comment on column sandbox_messages.inflated_size is 'The size before compression; null if raw is not compressed.';

-- Large parts of messages are kept apart in blobs, once in a team however many messages have them.
create table email_content_parts (
  team_id integer not null,
  email_id uuid not null,
  at integer not null,
  sha256 bytea not null,
  primary key (team_id, email_id, at)
);
create index email_content_parts_blob on email_content_parts (team_id, sha256);
comment on table email_content_parts is 'Attachments that were cut out of the contents of emails. Their bytes are in blobs, without the base64 encoding.';
comment on column email_content_parts.email_id is 'References emails.';
comment on column email_content_parts.at is 'Where the part belongs, as a position in what is left of the message.';
comment on column email_content_parts.sha256 is 'References blobs.';

alter table email_contents add column full_size integer;
comment on column email_contents.full_size is 'The size of the message together with its parts in email_content_parts; null if it has none.';
comment on table blobs is 'Received messages, and attachments of received and sent mail, stored once in a team however many messages contain them.';
