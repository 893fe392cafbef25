-- Automatic replies of mailboxes (VacationResponse of RFC 8621).
create table vacation_responses (
  team_id integer not null,
  mailbox_id uuid not null,
  is_enabled boolean not null,
  from_date timestamptz,
  to_date timestamptz,
  subject text,
  text_body text,
  html_body text,
  modseq bigint not null,
  primary key (team_id, mailbox_id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
comment on table vacation_responses is 'The automatic reply of a mailbox to mail that arrives while its owner is away. A mailbox has a row once it was set.';
comment on column vacation_responses.is_enabled is 'Whether replies are sent, within the two dates.';
comment on column vacation_responses.from_date is 'Mail that arrives earlier gets no reply. Null: no limit.';
comment on column vacation_responses.to_date is 'Mail that arrives at this time or later gets no reply. Null: no limit.';
comment on column vacation_responses.subject is 'Null: made from the subject of the message.';
comment on column vacation_responses.text_body is 'Null, like html_body: a general text.';
comment on column vacation_responses.html_body is 'As it was given. It is cleaned when a reply is sent.';
comment on column vacation_responses.modseq is 'The change number of its latest change.';

create table vacation_replies (
  team_id integer not null,
  mailbox_id uuid not null,
  address_key text not null,
  replied_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, address_key),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id) on delete cascade
);
create index vacation_replies_replied_at on vacation_replies (replied_at);
comment on table vacation_replies is 'Who got an automatic reply of a mailbox in the last days, so that nobody gets a second one.';
comment on column vacation_replies.address_key is 'The address as addresses are compared.';
comment on column vacation_replies.replied_at is 'When the last reply was sent. Rows are deleted after a week.';
