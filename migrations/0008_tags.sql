-- Tags and metadata of emails.

alter table emails add column labels jsonb;
comment on column emails.labels is 'Tags and metadata from the sender, as {"tags": [{"name", "value"}], "metadata": {}}; null when there are none. They never travel in the mail.';

create table email_tags (
  team_id integer not null,
  tag text not null,
  email_id uuid not null,
  primary key (team_id, tag, email_id)
);
comment on table email_tags is 'Finds the emails with a tag, newest first. Written together with the email.';
comment on column email_tags.tag is 'name:value. A name has no colon.';
comment on column email_tags.email_id is 'References emails.';
