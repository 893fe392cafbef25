-- All functions and triggers. This file runs after the numbered migrations, each time that it has changed or that a
-- migration ran, and may run any number of times: everything in it is created or replaced.
--
-- Rules
--   * A function or trigger that is removed, or a function that gets other parameters or another result, is dropped here
--     by name: drop function if exists …; drop trigger if exists ….
--   * A numbered migration uses none of these functions: on an empty database they do not exist yet when it runs. For
--     the same reason one that changes rows of a table with triggers first disables them.
--   * A numbered migration that drops a column which is used here drops the function or trigger that uses it as well.
--   * A change that programs of the version before cannot work with comes with a numbered migration, which makes them
--     refuse to start.


------------------------------------------------------------------------------------------------------------------------
-- Values
------------------------------------------------------------------------------------------------------------------------

-- A UUID version 7 with the time in microseconds (RFC 9562, section 6.2, method 3): those that one statement makes are in
-- the order in which they were made.
create or replace function make_uuid() returns uuid language plpgsql volatile as $$
declare
  ticks bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint * 512 / 125;
begin
  return encode(
    int8send(((ticks >> 12) << 16) | 28672 | (ticks & 4095)) || substring(uuid_send(gen_random_uuid()) from 9), 'hex'
  )::uuid;
end
$$;

-- A moment in the form in which the API shows it.
create or replace function rfc3339(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A text as a moment, or null if it is none: the properties of contacts hold whatever clients wrote. The pattern is
-- checked first because only the cast needs a subtransaction, which is slow.
create or replace function moment_of(value text) returns timestamptz language plpgsql stable strict set timezone = 'UTC' as $$
begin
  if value !~ '^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?)?$' then
    return null;
  end if;
  begin
    return value::timestamptz;
  exception when data_exception then
    return null;
  end;
end
$$;


------------------------------------------------------------------------------------------------------------------------
-- Account: processes forget what they remember about keys and sessions that changed
------------------------------------------------------------------------------------------------------------------------

create or replace function notify_api_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', encode(old.key_hash, 'hex'));
  return null;
end
$$;
create or replace trigger api_key_changed
  after delete or update of key_hash, permission, domain_id, expires_at, revoked_at on api_keys
  for each row execute function notify_api_key_changed();

-- last_seen_at is not among the columns: it does not change who the session belongs to.
create or replace function notify_session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(old.token_hash, 'hex'));
  return null;
end
$$;
create or replace trigger session_changed
  after delete or update of team_id, user_id, token_hash on sessions
  for each row execute function notify_session_changed();

create or replace function notify_role_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(token_hash, 'hex'))
  from sessions where team_id = old.team_id and user_id = old.user_id;
  return null;
end
$$;
create or replace trigger role_changed
  after update of role on memberships
  for each row execute function notify_role_changed();


------------------------------------------------------------------------------------------------------------------------
-- Campaigns: tells runners what there is to do, and delivery workers which mail to leave alone
------------------------------------------------------------------------------------------------------------------------

create or replace function notify_campaign_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('campaign_changed', new.status || ' ' || new.id);
  return null;
end
$$;
create or replace trigger campaign_changed
  after insert or update of status, deleted_at on campaigns
  for each row execute function notify_campaign_changed();


------------------------------------------------------------------------------------------------------------------------
-- Mailboxes
------------------------------------------------------------------------------------------------------------------------

-- Keeps mailbox_folder_counts. Runs once for each statement, however many threads it changes.
create or replace function count_threads() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, count(*), count(*) filter (where unread_count > 0)
    from added group by team_id, mailbox_id, folder order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  elsif tg_op = 'DELETE' then
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, -count(*), -count(*) filter (where unread_count > 0)
    from removed group by team_id, mailbox_id, folder order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  else
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, sum(sign),
      coalesce(sum(sign) filter (where unread_count > 0), 0)
    from (
      select team_id, mailbox_id, folder, unread_count, -1 as sign from removed
      union all
      select team_id, mailbox_id, folder, unread_count, 1 from added
    ) moved
    group by team_id, mailbox_id, folder
    having sum(sign) <> 0 or coalesce(sum(sign) filter (where unread_count > 0), 0) <> 0
    order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  end if;
  return null;
end
$$;
create or replace trigger threads_come after insert on threads
  referencing new table as added for each statement execute function count_threads();
create or replace trigger threads_go after delete on threads
  referencing old table as removed for each statement execute function count_threads();
create or replace trigger threads_move after update on threads
  referencing old table as removed new table as added for each statement execute function count_threads();

-- When the status of an email of a mailbox changes, clients that listen to the mailbox are told. The message of a
-- cancelled email becomes a draft again.
create or replace function follow_mailbox_email() returns trigger language plpgsql as $$
declare
  moved record;
  kind text;
begin
  if old.status = 'SCHEDULED' and new.status = 'CANCELLED' then
    kind := 'message.taken_back';
    update messages set email_id = null where team_id = new.team_id and email_id = new.id
      returning mailbox_id, thread_id, id into moved;
  else
    kind := case when old.status = 'SCHEDULED' then 'message.left'
      when new.status = 'BOUNCED' then 'thread.changed' end;
    select mailbox_id, thread_id, id into moved from messages where team_id = new.team_id and email_id = new.id;
  end if;
  if moved.id is null or kind is null then return null; end if;
  insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
  values (new.team_id, moved.mailbox_id, kind, moved.thread_id, moved.id);
  perform pg_notify('mailbox_events', '');
  return null;
end
$$;
create or replace trigger mailbox_email_moved after update of status on emails for each row
  when (new.source = 'mailbox' and old.status <> new.status) execute function follow_mailbox_email();


------------------------------------------------------------------------------------------------------------------------
-- Webhooks
------------------------------------------------------------------------------------------------------------------------

-- email.sent is wanted by "email.sent", "email.*" and "*".
create or replace function webhook_wants(events text[], type text) returns boolean language sql immutable as $$
  select events && array['*', type, split_part(type, '.', 1) || '.*', regexp_replace(type, '\.[^.]*$', '.*')]
$$;

-- A contact as the API shows it, without its ids.
create or replace function contact_notice(contact contacts) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'email', contact.email,
    'firstName', nullif(contact.first_name, ''),
    'lastName', nullif(contact.last_name, ''),
    'properties', jsonb_strip_nulls(contact.properties),
    'subscribed', contact.subscription = 'subscribed',
    'unsubscribeReason', contact.unsubscribe_reason,
    'consent', contact.consent,
    'createdAt', rfc3339(contact.created_at),
    'updatedAt', rfc3339(contact.updated_at)
  )
$$;

-- Writes a call for each event of an email and each webhook that wants it, in the statement that writes the event. The
-- transcript is left out: clients that want it can read the email.
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
create or replace trigger announce_email_events after insert on email_events
  referencing new table as happened for each statement execute function announce_email_events();

-- Mail that was sent from a mailbox is announced as such too: once when it was sent, and for each recipient that it did
-- not reach.
create or replace function announce_mailbox_mail() returns trigger language plpgsql as $$
begin
  if exists (
    select from happened h join webhooks w using (team_id)
    where h.status in ('SENT', 'BOUNCED') and w.status <> 'disabled'
  ) then
    with notice as materialized (
      select h.team_id, make_uuid() as event_id, h.created_at as happened_at,
        case h.status when 'SENT' then 'mailbox.message.sent' else 'mailbox.message.bounced' end as type,
        jsonb_build_object('mailboxId', 'mbx ' || m.mailbox_id, 'messageId', 'msg ' || m.id,
          'threadId', 'thr ' || m.thread_id, 'emailId', 'eml ' || h.email_id) as ids,
        jsonb_build_object('from', e.sender, 'to', to_jsonb(e.to_addresses), 'subject', e.subject,
          'recipient', h.recipient) as data
      from happened h
      join emails e on e.team_id = h.team_id and e.id = h.email_id and e.source = 'mailbox'
      join messages m on m.team_id = h.team_id and m.email_id = h.email_id
      where h.status = 'BOUNCED' or h.status = 'SENT' and not exists (
        select from email_events before
        where before.team_id = h.team_id and before.email_id = h.email_id and before.status = 'SENT' and before.id < h.id
      )
    )
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
    select n.team_id, w.id, make_uuid(), n.event_id, n.type, n.ids, n.data, n.happened_at
    from notice n join webhooks w on w.team_id = n.team_id and w.status <> 'disabled' and webhook_wants(w.events, n.type)
    order by n.event_id, w.id;
  end if;
  return null;
end
$$;
create or replace trigger announce_mailbox_mail after insert on email_events
  referencing new table as happened for each statement execute function announce_mailbox_mail();
