create table message_invitations (
  team_id integer not null,
  message_id uuid not null,
  mailbox_id uuid not null,
  uid text not null,
  recurrence_id text not null default '',
  sequence integer not null,
  method text not null,
  organizer_key text not null,
  event jsonb not null,
  is_trusted boolean not null,
  answer text,
  answered_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, message_id),
  constraint message_invitations_answer_check check (answer in ('accepted', 'tentative', 'declined')),
  constraint message_invitations_team_id_message_id_fkey foreign key (team_id, message_id)
    references messages (team_id, id) on delete cascade
);
create index message_invitations_uid on message_invitations (team_id, mailbox_id, uid);
comment on table message_invitations is 'Calendar invitations, updates, cancellations and replies in received messages (RFC 5546, RFC 6047).';
comment on column message_invitations.mailbox_id is 'References mailboxes.';
comment on column message_invitations.recurrence_id is 'The occurrence that it is about. Empty: the whole series.';
comment on column message_invitations.organizer_key is 'The normalised address of the organiser. Empty if the invitation names none.';
comment on column message_invitations.event is 'The event as src/mail/calendar reads it.';
comment on column message_invitations.is_trusted is 'Whether the organiser sent the message, as far as the checks of the sender tell.';
comment on column message_invitations.answer is 'What the mailbox answered.';

alter table messages add list_unsubscribe jsonb;
comment on column messages.list_unsubscribe is
  'How to leave the mailing list: {oneClick, url, mailto}. Null unless a passing DKIM signature covers the fields.';
comment on column message_invitations.uid is 'Names the event (RFC 5545).';
comment on column message_invitations.sequence is 'The version of the event (RFC 5545).';
comment on column message_invitations.method is 'As in RFC 5546, for example REQUEST or CANCEL.';
comment on column message_invitations.answered_at is 'When the answer was sent.';
