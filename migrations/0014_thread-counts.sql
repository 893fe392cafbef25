-- The counts of folders move once for each statement and no longer once for each thread: messages that come in together
-- are stored by one statement.

drop trigger threads_come_and_go on threads;
drop trigger threads_move on threads;
drop function count_threads();
drop function count_thread(integer, uuid, text, integer, boolean);

create function count_threads() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, count(*), count(*) filter (where unread_count > 0)
    from added group by team_id, mailbox_id, folder order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  elsif tg_op = 'DELETE' then
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, -count(*), -count(*) filter (where unread_count > 0)
    from removed group by team_id, mailbox_id, folder order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  else
    insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
    select team_id, mailbox_id, folder, pg_backend_pid() % 16, sum(sign),
      coalesce(sum(sign) filter (where unread_count > 0), 0)
    from (
      select team_id, mailbox_id, folder, unread_count, -1 as sign from removed
      union all
      select team_id, mailbox_id, folder, unread_count, 1 from added
    ) moved
    group by team_id, mailbox_id, folder
    having sum(sign) <> 0 or coalesce(sum(sign) filter (where unread_count > 0), 0) <> 0
    order by team_id, mailbox_id, folder
    on conflict (team_id, mailbox_id, folder, slot)
    do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread;
  end if;
  return null;
end
$$;
create trigger threads_come after insert on threads
  referencing new table as added for each statement execute function count_threads();
create trigger threads_go after delete on threads
  referencing old table as removed for each statement execute function count_threads();
create trigger threads_move after update on threads
  referencing old table as removed new table as added for each statement execute function count_threads();
