-- Comments without the names of files.

comment on table thread_assignments is 'Who is to answer a thread.';
comment on table thread_snoozes is 'Threads that come back at a time, or when someone answers.';
