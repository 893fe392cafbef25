-- Most events concern no run. Which ones may do so is known without reading the runs of each contact.
alter table automation_versions add column listens_to jsonb not null generated always as (
  jsonb_path_query_array(definition, '$.steps[*].event') || jsonb_path_query_array(definition, '$.exitOn[*].event')
) stored;
comment on column automation_versions.listens_to is 'The events that its waits, goals and exits ask for.';
