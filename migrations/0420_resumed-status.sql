-- An automation that took nobody new when it was paused takes nobody new when it is resumed.
alter table automations add column resumes_as text not null default 'ACTIVE'
  constraint automations_resumes_as_check check (resumes_as in ('ACTIVE', 'CLOSED'));
comment on column automations.resumes_as is 'While it is PAUSED: the status that it had before.';
