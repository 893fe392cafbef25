-- An email's status is written on the hot way out. With the status in no index, and room on the page, PostgreSQL can
-- put the new version beside the old one and leave every index alone (a heap-only update).
alter table emails
  add column waits_until timestamptz generated always as (case when status = 'SCHEDULED' then scheduled_at end) stored;
drop index emails_due;
drop index emails_waiting_in_mailboxes;
create index emails_due on emails (waits_until) where waits_until is not null;
create index emails_waiting_in_mailboxes on emails (team_id, waits_until)
  where waits_until is not null and source = 'mailbox';
alter table emails set (fillfactor = 80);
alter table email_recipients set (fillfactor = 80);
