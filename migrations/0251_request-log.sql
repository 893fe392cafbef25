-- The log of API requests: what applications asked and what they were answered, for 30 days.

create table request_log (
  team_id integer not null references teams (id) on delete cascade,
  id uuid not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  key_id text not null,
  request_id text not null,
  user_agent text,
  email_id text,
  request_body text,
  response_body text,
  primary key (team_id, id)
);

create index request_log_failed on request_log (team_id, id desc) where status >= 400;
create index request_log_by_request_id on request_log (team_id, request_id);

comment on table request_log is 'Requests of API keys, written in batches after the response (src/features/activity/request-log).';
comment on column request_log.duration_ms is 'How long the response took.';
comment on column request_log.key_id is 'The public ID of the API key.';
comment on column request_log.request_id is 'The x-request-id of the request.';
comment on column request_log.email_id is 'The public ID of the email that the request made or named.';
comment on column request_log.request_body is 'JSON without secrets and the content of emails, at most 8 kB.';
comment on column request_log.response_body is 'Like request_body.';
comment on column request_log.at is 'When the response was ready, by the clock of the process.';
comment on column request_log.method is 'The HTTP method.';
comment on column request_log.path is 'The path without the query.';
comment on column request_log.user_agent is 'At most 500 characters.';
