-- When a job of this kind and queue was last finished. A long line of jobs that moves is told from one that stands by it.
create table job_progress (
  job text not null,
  -- Empty for jobs without a queue.
  queue text not null,
  moved_at timestamptz not null,
  primary key (job, queue)
);

create index contact_imports_unfinished on contact_imports (team_id, updated_at)
  where status in ('PENDING', 'RUNNING');
