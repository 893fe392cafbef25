alter table automation_emails add column is_marketing boolean not null default true;
comment on column automation_emails.is_marketing is 'Whether it counts for the frequency cap of the team.';

create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null and event is not null;

alter table teams add constraint teams_frequency_cap_check
  check (frequency_cap is null or ((frequency_cap ->> 'count')::integer > 0 and (frequency_cap ->> 'hours')::integer > 0));
