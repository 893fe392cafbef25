-- One stream of events: what happened to emails, contacts, domains, campaigns and messages is in one table. It takes the
-- place of email_events, whose rows move over. Decision 17 explains the design.

create table events (
  team_id integer not null,
  id uuid not null,
  subject_id uuid,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now(),
  type text not null,
  recipient text,
  contact_ids uuid[],
  data jsonb
) partition by range (created_at);
comment on table events is 'What happened to emails, contacts, domains, campaigns and messages. The transaction that makes a change also records it here. Rows are only appended, and dropped when their retention time is over. Readers follow the stream from a position (xid, id).';
comment on column events.subject_id is 'The id of the email, campaign or message that it happened to; for contacts the id of their book; null for a domain.';
comment on column events.xid is 'The transaction that recorded it. A reader reads in the order of (xid, id), up to the oldest transaction that is still running, and so misses nothing that commits late. A backup leaves it out, because the numbers of another server mean nothing here.';
comment on column events.type is 'What happened, for example email.delivered. The list is in src/features/events/event-types.ts.';
comment on column events.recipient is 'For emails: the address that it happened with; null when it concerns the email as a whole.';
comment on column events.contact_ids is 'For contacts: all contacts to which one statement did the same, so that an import of 10,000 contacts adds one row.';
comment on column events.data is 'Details that depend on the type: the reply of the server, the transcript, the link that was clicked, the id of the domain.';

-- The same months as before.
do $$
declare
  part record;
begin
  for part in
    select regexp_replace(c.relname, '^email_', '') as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'email_events'::regclass
  loop
    execute format('create table %I partition of events %s', part.name, part.bound);
  end loop;
end
$$;

insert into events (team_id, id, subject_id, created_at, type, recipient, data)
select team_id, id, email_id, created_at, 'email.' || lower(status), recipient, data from email_events;
drop table email_events;

-- The history of one email. Not unique, because a unique index would need created_at as well, and is larger for it.
create index events_subject on events (team_id, subject_id, id);
-- The stream from a position.
create index events_xid on events (xid);

-- A small sample is enough, as for email_events in 0001_baseline.sql. The worker does the same for the partitions that
-- it makes (features/events/event-partitions.ts).
do $$
declare
  place record;
begin
  for place in
    select c.oid::regclass as relation, a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.oid = 'events'::regclass
      or c.oid in (select inhrelid from pg_inherits where inhparent = 'events'::regclass)
  loop
    execute format('alter table only %s alter column %I set statistics %s', place.relation, place.name,
      case when place.name in ('data', 'contact_ids') then 0 else 10 end);
  end loop;
end
$$;
