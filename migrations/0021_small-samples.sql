-- While much mail goes out these tables grow by the minute, and PostgreSQL looks at them again and again. All that is
-- asked of them goes by their keys, for which a small sample tells enough; nobody looks for an event by its data.
do $$
declare
  place record;
begin
  for place in
    select c.oid::regclass as relation, a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      and (c.relname in ('emails', 'email_contents', 'email_recipients', 'email_visits', 'deliveries',
        'campaign_recipients') or c.relname like 'email\_events%')
  loop
    execute format('alter table only %s alter column %I set statistics 10', place.relation, place.name);
  end loop;
  alter table email_events alter column data set statistics 0;
end
$$;
