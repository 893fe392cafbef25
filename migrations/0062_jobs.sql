-- Jobs have a table of our own. Until now they were in tables of graphile-worker, in the schema graphile_worker.

create table jobs (
  id bigint generated always as identity primary key,
  name text not null,
  payload json not null,
  priority smallint not null default 0,
  queue text,
  key text unique,
  due_at timestamptz not null default now(),
  first_due_at timestamptz not null default now(),
  attempts smallint not null default 0,
  max_attempts smallint not null default 25,
  last_error text,
  leased_by uuid,
  leased_at timestamptz,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table jobs is 'Background jobs that wait, run, or have failed for the last time. A job is deleted when it is done.';
comment on column jobs.name is 'The kind of job.';
comment on column jobs.payload is 'What the job works on, mostly IDs. JSON null if nothing is left to do.';
comment on column jobs.priority is 'Lower values run first.';
comment on column jobs.queue is 'Jobs of one queue run one at a time.';
comment on column jobs.key is 'A waiting job is replaced by a new one with the same key.';
comment on column jobs.due_at is 'When it runs next, at the earliest.';
comment on column jobs.first_due_at is 'When it was to run first. Retries do not change it.';
comment on column jobs.attempts is 'How often it was begun.';
comment on column jobs.max_attempts is 'After this many attempts it is not tried again.';
comment on column jobs.last_error is 'Why the last attempt failed.';
comment on column jobs.leased_by is 'The process that runs it.';
comment on column jobs.leased_at is 'When that process began.';
comment on column jobs.leased_until is 'When others may take it over.';
create index jobs_due on jobs (name, due_at);
create index jobs_queue on jobs (queue) where leased_by is not null;
create index jobs_leased_by on jobs (leased_by) where leased_by is not null;

create table job_schedule (
  job text primary key,
  last_due_at timestamptz not null
);
comment on table job_schedule is 'When each job that runs at fixed times was last due.';
comment on column job_schedule.job is 'The kind of job.';
comment on column job_schedule.last_due_at is 'The last time at which it was to run.';

-- Takes over what waits. Processes of the version before that still run enqueue into graphile-worker's table, so a trigger
-- passes their jobs on. Jobs that such a process runs just now run again here, because its lock says nothing about us.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is null then return; end if;
  lock table graphile_worker._private_jobs in share row exclusive mode;
  insert into jobs (name, payload, priority, queue, key, due_at, first_due_at, attempts, max_attempts, last_error, created_at, updated_at)
  select t.identifier, j.payload, j.priority, q.queue_name, j.key, j.run_at, least(j.run_at, greatest(j.created_at, j.updated_at)),
    j.attempts, j.max_attempts, j.last_error, j.created_at, j.updated_at
  from graphile_worker._private_jobs j
  join graphile_worker._private_tasks t on t.id = j.task_id
  left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
  order by j.id;
  delete from graphile_worker._private_jobs;
  execute format($function$
    create function graphile_worker.pass_on_job() returns trigger language plpgsql as $body$
    begin
      insert into %1$I.jobs (name, payload, priority, queue, key, due_at, first_due_at, max_attempts)
      select t.identifier, new.payload, new.priority,
        (select q.queue_name from graphile_worker._private_job_queues q where q.id = new.job_queue_id),
        new.key, new.run_at, new.run_at, new.max_attempts
      from graphile_worker._private_tasks t where t.id = new.task_id
      on conflict (key) do update set payload = excluded.payload, due_at = excluded.due_at,
        first_due_at = excluded.first_due_at, queue = excluded.queue, priority = excluded.priority, attempts = 0,
        max_attempts = excluded.max_attempts, last_error = null, updated_at = now();
      return null;
    end
    $body$
  $function$, current_schema());
  create trigger pass_on_job before insert on graphile_worker._private_jobs
    for each row execute function graphile_worker.pass_on_job();
end
$$;
