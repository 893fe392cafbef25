-- Webhooks: who is told, and every call that tells them.

create table webhooks (
  team_id integer not null references teams (id),
  id uuid not null,
  url text not null,
  description text,
  -- Names, prefixes as email.*, or *.
  events text[] not null,
  -- Sealed under the instance secret. The one before signs too until its time is over.
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  -- What happens while it is paused waits for it; a disabled one is told nothing more.
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  paused_reason text check (paused_reason in ('by_hand', 'failures', 'gone')),
  -- What went wrong with the last call of a row of failures.
  last_error text,
  failures integer not null default 0,
  failing_since timestamptz,
  -- Not before this moment: it asked for a rest, or fails so often that it gets one.
  rests_until timestamptz not null default now(),
  last_called_at timestamptz,
  -- One process at a time calls an endpoint.
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
) with (fillfactor = 50);

-- The outbox, and later the log: one row for each event and each webhook that wants it, written by the transaction
-- in which it happened. No foreign key: it would be checked row by row when 10,000 contacts come at once, and locks
-- the webhook that is being called. Calls of a webhook that is gone are never made and soon dropped.
create table webhook_calls (
  team_id integer not null,
  webhook_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  type text not null,
  -- Fields of the data that are ids, as "prefix uuid": {"emailId": "eml 0190…"}.
  ids jsonb not null default '{}',
  data jsonb not null,
  happened_at timestamptz not null default now(),
  status text not null default 'waiting' check (status in ('waiting', 'succeeded', 'failed')),
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  -- Of the present round of tries; a replay begins a new one.
  round_attempts integer not null default 0,
  first_tried_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, webhook_id, id)
) with (fillfactor = 90);
create index webhook_calls_waiting on webhook_calls (team_id, webhook_id, id) where status = 'waiting';
create index webhook_calls_failed on webhook_calls (team_id, webhook_id, id) where status = 'failed';
create index webhook_calls_created_at on webhook_calls (created_at);

create table webhook_attempts (
  team_id integer not null,
  webhook_id uuid not null,
  call_id uuid not null,
  no integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  -- The beginning of the answer.
  answer text,
  error text,
  primary key (team_id, webhook_id, call_id, no)
);

-- UUID v7 with the time in microseconds (RFC 9562, section 6.2, method 3): those that one statement makes are in the
-- order of their making.
create function make_uuid() returns uuid language plpgsql volatile as $$
declare
  ticks bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint * 512 / 125;
begin
  return encode(
    int8send(((ticks >> 12) << 16) | 28672 | (ticks & 4095)) || substring(uuid_send(gen_random_uuid()) from 9), 'hex'
  )::uuid;
end
$$;

-- email.sent is wanted by "email.sent", "email.*" and "*".
create function webhook_wants(events text[], type text) returns boolean language sql immutable as $$
  select events && array['*', type, split_part(type, '.', 1) || '.*', regexp_replace(type, '\.[^.]*$', '.*')]
$$;

-- How times go out.
create function rfc3339(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A contact as the API shows it, less its ids.
create function contact_notice(contact contacts) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'email', contact.email,
    'firstName', nullif(contact.first_name, ''),
    'lastName', nullif(contact.last_name, ''),
    'properties', jsonb_strip_nulls(contact.properties),
    'subscribed', contact.subscription = 'subscribed',
    'unsubscribeReason', contact.unsubscribe_reason,
    'createdAt', rfc3339(contact.created_at),
    'updatedAt', rfc3339(contact.updated_at)
  )
$$;

-- Events of emails are written by many hands, so their table itself announces them, in the statement that writes them.
create function announce_email_events() returns trigger language plpgsql as $$
begin
  if exists (select from happened h join webhooks w using (team_id) where w.status <> 'disabled') then
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
    select team_id, webhook_id, make_uuid(), event_id, type, ids, data, happened_at
    from (
      select h.team_id, w.id as webhook_id, h.id as event_id, named.type, h.created_at as happened_at,
        jsonb_build_object('emailId', 'eml ' || h.email_id) as ids,
        jsonb_build_object('recipient', h.recipient, 'from', e.sender, 'to', to_jsonb(e.to_addresses),
          'subject', e.subject, 'status', h.status, 'details', h.data) as data
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
create trigger announce_email_events after insert on email_events
  referencing new table as happened for each statement execute function announce_email_events();
