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

-- As before, but for the transcript: whoever wants to read it has the email.
create or replace function announce_email_events() returns trigger language plpgsql as $$
begin
  if exists (select from happened h join webhooks w using (team_id) where w.status <> 'disabled') then
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
    select team_id, webhook_id, make_uuid(), event_id, type, ids, data, happened_at
    from (
      select h.team_id, w.id as webhook_id, h.id as event_id, named.type, h.created_at as happened_at,
        jsonb_build_object('emailId', 'eml ' || h.email_id) as ids,
        jsonb_build_object('recipient', h.recipient, 'from', e.sender, 'to', to_jsonb(e.to_addresses),
          'subject', e.subject, 'status', h.status, 'details', h.data - 'transcript') as data
      from happened h
      join emails e on e.team_id = h.team_id and e.id = h.email_id
      cross join lateral (
        select 'email.' || lower(
          case when h.status in ('REJECTED', 'RENDERING_FAILURE') then 'FAILED' else h.status end
        ) as type
      ) named
      join webhooks w on w.team_id = h.team_id and w.status <> 'disabled' and webhook_wants(w.events, named.type)
      order by h.id, w.id
    ) wanted;
  end if;
  return null;
end
$$;
