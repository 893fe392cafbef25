-- What an operator must see: relays that do not accept mail, and the trace that an email belongs to.

create table relay_failures (
  relay text primary key,
  regions text[],
  reason text not null,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
comment on table relay_failures is 'Relays that cannot be reached or refuse our password. A worker adds the row, repeats it every minute while the failure lasts, and deletes it when the relay works again.';
comment on column relay_failures.relay is 'The URL of the relay without the password.';
comment on column relay_failures.regions is 'The regions whose mail goes through this relay; null if it is the relay of all other regions.';
comment on column relay_failures.reason is 'The last failure: the reply of the relay or the error of the connection.';
comment on column relay_failures.since is 'When the failure began.';
comment on column relay_failures.seen_at is 'When a worker last saw the failure. Rows that nobody has repeated for three minutes are out of date: the worker has ended or has other settings.';

alter table emails add column traceparent text;
comment on column emails.traceparent is 'The trace and span that submitted it, as in the header of W3C Trace Context. Null if tracing was off. Delivery attempts continue the trace.';
