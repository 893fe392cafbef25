-- Retention: how long contents and events are kept, and erasing a person. No statement rewrites a table.

alter table emails add column content_deleted_at timestamptz;
comment on column emails.content_deleted_at is 'When the content was deleted, on request or because its time was over; null while it is kept. Mail of a campaign is no longer rendered for display once it is set.';

alter table teams
  add column email_content_days integer check (email_content_days > 0),
  add column sandbox_days integer check (sandbox_days > 0),
  add column event_days integer check (event_days > 0),
  add column events_deleted_to timestamptz;
comment on column teams.email_content_days is 'How many days the content of emails is kept, if fewer than in the settings of the instance; null for those settings.';
comment on column teams.sandbox_days is 'The same for sandbox messages.';
comment on column teams.event_days is 'The same for events.';
comment on column teams.events_deleted_to is 'Up to which time event_days has been applied. Older partitions of events need not be read again.';

alter table suppressions drop constraint suppressions_reason_check;
alter table suppressions add constraint suppressions_reason_check
  check (reason in ('HARD_BOUNCE', 'COMPLAINT', 'MANUAL', 'ERASED')) not valid;
alter table suppressions validate constraint suppressions_reason_check;
comment on column suppressions.reason is 'ERASED: the person was erased, and the address is kept only so that nobody writes to it again.';

-- Finds the sandbox copies of an email whose content is deleted.
create index sandbox_messages_email on sandbox_messages (team_id, email_id);
