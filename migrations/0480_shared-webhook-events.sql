-- The payload of an event is stored once for all webhooks, and the calls of a large batch begin as one row.

create table webhook_events (
  team_id integer not null,
  id uuid not null,
  event_id uuid not null,
  batch_id uuid,
  type text not null,
  ids jsonb not null default '{}',
  data jsonb not null,
  happened_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index webhook_events_created_at on webhook_events (created_at);

comment on table webhook_events is 'What webhooks are told: one row for each event that a webhook wants, shared by the calls of all of them, written by the transaction in which it happened.';
comment on column webhook_events.id is 'The id of its calls. They are made in this order.';
comment on column webhook_events.event_id is 'The id of the event, which is sent with each call.';
comment on column webhook_events.batch_id is 'The id of the first of many events of one type that one statement recorded. Null if there were few.';
comment on column webhook_events.type is 'The type of the event, such as email.delivered.';
comment on column webhook_events.ids is 'The fields of the data that are ids, each as "prefix uuid": {"emailId": "eml 0190…"}.';
comment on column webhook_events.data is 'The other fields of the data.';

-- Rows from before have their event themselves. They are deleted after 30 days, as all calls are, so none is rewritten.
alter table webhook_calls
  add column last_id uuid,
  alter column event_id drop not null,
  alter column type drop not null,
  alter column ids drop not null,
  alter column ids drop default,
  alter column data drop not null,
  alter column happened_at drop not null,
  alter column happened_at drop default,
  set (fillfactor = 100);
create index webhook_calls_folded on webhook_calls (team_id, webhook_id, id) where last_id is not null;

comment on table webhook_calls is 'The outbox of webhooks, and afterwards their log: one row for each event and each webhook that wants it, written by the transaction in which it happened. Of a large batch of events only the first has a row until the others are next (last_id).';
comment on column webhook_calls.id is 'References webhook_events, except in calls from before migration 480, which have their event themselves.';
comment on column webhook_calls.last_id is 'References webhook_events. Until this call is made, its row stands also for the calls of all later events of its batch up to this one.';
comment on column webhook_calls.event_id is 'Null in calls whose event is in webhook_events, and so are the type, the ids, the data and the time.';
