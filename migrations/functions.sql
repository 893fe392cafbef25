-- All functions, triggers and views, and the sample sizes of statistics. This file runs after the numbered migrations, whenever it
-- has changed or a migration ran. It can run any number of times: everything in it is created or replaced.
--
-- Rules
--   * To remove a function or trigger, or to change the parameters or the result type of a function, drop it here by name
--     first: drop function if exists …; drop trigger if exists ….
--   * A numbered migration must not call these functions, because on an empty database they do not exist yet when it
--     runs. A migration that changes rows of a table with triggers must disable the triggers first.
--   * A numbered migration that drops a column must also drop the functions and triggers that use the column.
--   * If the previous version of the program cannot work with a change, add a numbered migration with it, so that the
--     previous version refuses to start.


------------------------------------------------------------------------------------------------------------------------
-- Values
------------------------------------------------------------------------------------------------------------------------

-- Returns a UUIDv7 with the time in microseconds (RFC 9562, section 6.2, method 3), so that the UUIDs of one statement
-- sort in the order in which they were created.
create or replace function make_uuid() returns uuid language plpgsql volatile as $$
declare
  ticks bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint * 512 / 125;
begin
  return encode(
    int8send(((ticks >> 12) << 16) | 28672 | (ticks & 4095)) || substring(uuid_send(gen_random_uuid()) from 9), 'hex'
  )::uuid;
end
$$;

-- Formats a time as the API returns it.
create or replace function rfc3339(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The key of a property: names compare without regard to case. Keep it in step with propertyKey in tag-names.ts.
create or replace function property_key(name text) returns text language sql immutable parallel safe as $$
  select lower(name)
$$;

-- Maps the keys of the names to the names. Null for no names.
create or replace function property_spellings(names text[]) returns jsonb language sql immutable parallel safe as $$
  select jsonb_object_agg(property_key(name), name) from unnest(names) as name
$$;

-- The spellings that properties with these names need to be spelled like the variables. Null if none needs one, so that a
-- statement finds out once, not for each contact.
create or replace function needed_spellings(names text[], variables text[]) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_object_agg(property_key(variable), variable)
  from unnest(variables) as variable
  join unnest(names) as name on property_key(name) = property_key(variable) and name <> variable
$$;

-- Gives each property the name that `spellings` has for its key.
create or replace function spell_properties(properties jsonb, spellings jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
begin
  if spellings is null or properties = '{}' then
    return properties;
  end if;
  return (
    select jsonb_object_agg(coalesce(spellings ->> property_key(key), key), value) from jsonb_each(properties)
  );
end
$$;

-- Merges properties of a contact key by key; null removes a key. `spellings` are those of the variables of the book, and
-- `given` must have them. A property that is not a variable keeps the name under which it was stored first.
-- The names are compared one by one only if two of them have the same key: then the text with all names in the form of
-- keys gets shorter by being read as JSON. A query for each contact would take 20 times as long as the merge.
create or replace function merge_properties(stored jsonb, given jsonb, spellings jsonb) returns jsonb
language plpgsql immutable parallel safe as $$
declare
  merged jsonb := stored || given;
  keyed text;
begin
  if given = '{}' then
    return jsonb_strip_nulls(stored);
  end if;
  keyed := property_key(merged::text);
  if octet_length(keyed::jsonb::text) < octet_length(keyed) then
    stored := spell_properties(stored, spellings);
    merged := stored || spell_properties(given, (
      select jsonb_object_agg(property_key(name), name) from jsonb_object_keys(stored) as name
    ));
  end if;
  return jsonb_strip_nulls(merged);
end
$$;

-- Returns the value of the property with this key, whatever its name. It lists all names, so look for the likely ones
-- first (propertyText in segment-condition.ts).
create or replace function find_property(properties jsonb, wanted text) returns text
language plpgsql immutable parallel safe as $$
begin
  return (select value from jsonb_each_text(properties) where property_key(key) = wanted limit 1);
end
$$;

-- Returns the text that a date or time of ISO 8601 lacks to be a time in UTC.
create or replace function missing_offset(value text) returns text language sql immutable as $$
  select case when length(value) = 10 then ' 00:00Z' when right(value, 6) ~ '([Zz]|[+-]\d\d:?\d\d)$' then '' else 'Z' end
$$;

-- Converts text to a time, or returns null if it is not one: properties of contacts contain any text that clients
-- wrote. A time without an offset is in UTC. The first pattern accepts only times that exist, without leap days: they
-- need no subtransaction, which would be slow for a million contacts.
create or replace function moment_of(value text) returns timestamptz language plpgsql stable strict as $$
begin
  if value ~ ('^[1-9]\d{3}-((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)'
    '([Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?([Zz]|[+-](0\d|1[0-4]):?[0-5]\d)?)?$') then
    return (value || missing_offset(value))::timestamptz;
  end if;
  if value !~ '^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?)?$' then
    return null;
  end if;
  begin
    return (value || missing_offset(value))::timestamptz;
  exception when data_exception then
    return null;
  end;
end
$$;


------------------------------------------------------------------------------------------------------------------------
-- Account: notify processes of changed API keys, sessions and app passwords, which they cache
------------------------------------------------------------------------------------------------------------------------

create or replace function notify_api_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', encode(old.key_hash, 'hex'));
  perform pg_notify('api_key_changed', encode(old.previous_hash, 'hex')) where old.previous_hash is not null;
  -- The rights of a key limit those of the keys that it has made.
  perform pg_notify('api_key_changed', '*')
  where exists (select from api_keys where team_id = old.team_id and made_by_key = old.id);
  -- App passwords of keys open what these keys reach, and send under their policies.
  perform pg_notify('app_password_changed', encode(password_hash, 'hex'))
  from app_passwords where team_id = old.team_id and made_by_key is not null;
  return null;
end
$$;
create or replace trigger api_key_changed
  after delete or update of key_hash, previous_hash, permission, scopes, domain_id, domain_ids, contact_book_ids,
    mailbox_ids, allowed_ips, expires_at, revoked_at, kind, policy_id on api_keys
  for each row execute function notify_api_key_changed();

-- The trigger ignores last_seen_at, which changes often and does not affect who is signed in.
create or replace function notify_session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(old.token_hash, 'hex'));
  return null;
end
$$;
create or replace trigger session_changed
  after delete or update of team_id, user_id, token_hash on sessions
  for each row execute function notify_session_changed();

create or replace function notify_role_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_changed', encode(token_hash, 'hex'))
  from sessions where team_id = old.team_id and user_id = old.user_id;
  -- The role of a person limits the rights of the keys that they have made.
  perform pg_notify('api_key_changed', '*')
  where exists (select from api_keys where team_id = old.team_id and made_by_user = old.user_id);
  return null;
end
$$;
create or replace trigger role_changed
  after update of role or delete on memberships
  for each row execute function notify_role_changed();

create or replace function notify_app_password_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('app_password_changed', encode(old.password_hash, 'hex'));
  return null;
end
$$;
create or replace trigger app_password_changed
  after delete or update of password_hash, mailbox_id on app_passwords
  for each row execute function notify_app_password_changed();


------------------------------------------------------------------------------------------------------------------------
-- Teams that move to another instance (src/features/account/team-move)
------------------------------------------------------------------------------------------------------------------------

-- Rejects a write for a closed team. The triggers that call it are created when a team is closed, with its ID in their
-- condition, so that writes for other teams do not call it.
create or replace function refuse_closed_team() returns trigger language plpgsql as $$
begin
  raise exception 'team % is closed', tg_argv[0] using errcode = 'PHTC0';
end
$$;

-- True if rows are loaded together with the counters and folders that triggers would otherwise create for them.
create or replace function is_loading_team() returns boolean language sql stable as $$
  select coalesce(current_setting('posthorn.loading_team', true), '') = 'on'
$$;


------------------------------------------------------------------------------------------------------------------------
-- Domains: the hosts under which links and MTA-STS policies are served, which all processes keep in memory
------------------------------------------------------------------------------------------------------------------------

-- Takes the hosts of a verified domain. A host that another verified domain uses stays with it.
create or replace function take_link_hosts(new_team_id integer, new_domain_id integer) returns void language sql as $$
  insert into link_hosts (host, team_id, domain_id, purpose)
  select wanted.host, d.team_id, d.id, wanted.purpose
  from domains d
  cross join lateral (values
    (d.tracking_subdomain || '.' || d.name, 'links'),
    (case when d.mta_sts <> 'off' then 'mta-sts.' || d.name end, 'mta-sts')
  ) as wanted (host, purpose)
  where d.team_id = new_team_id and d.id = new_domain_id and d.held and wanted.host is not null
  on conflict (host) do update set team_id = excluded.team_id, domain_id = excluded.domain_id,
    purpose = excluded.purpose, lost_since = null
  where (link_hosts.team_id, link_hosts.domain_id, link_hosts.purpose)
      is distinct from (excluded.team_id, excluded.domain_id, excluded.purpose)
    and not exists (
      select from domains owner
      where owner.team_id = link_hosts.team_id and owner.id = link_hosts.domain_id and owner.id <> excluded.domain_id
        and owner.held and link_hosts.host in (
          owner.tracking_subdomain || '.' || owner.name, case when owner.mta_sts <> 'off' then 'mta-sts.' || owner.name end
        )
    )
$$;

create or replace function take_hosts_of_domain() returns trigger language plpgsql as $$
begin
  if not is_loading_team() and new.held and (new.tracking_subdomain is not null or new.mta_sts <> 'off') then
    perform take_link_hosts(new.team_id, new.id);
  end if;
  return null;
end
$$;
create or replace trigger domain_hosts_changed
  after insert or update of tracking_subdomain, mta_sts, held on domains
  for each row execute function take_hosts_of_domain();

create or replace function notify_link_hosts_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('link_hosts_changed', '');
  return null;
end
$$;
create or replace trigger link_hosts_changed
  after insert or update or delete on link_hosts
  for each statement execute function notify_link_hosts_changed();

-- Every process keeps in memory which hosts have a certificate, and reads the certificate when a client asks for it.
create or replace function notify_host_certificate_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('host_certificate_changed', coalesce(new.host, old.host));
  return null;
end
$$;
create or replace trigger host_certificate_changed
  after insert or update of chain or delete on host_certificates
  for each row execute function notify_host_certificate_changed();


------------------------------------------------------------------------------------------------------------------------
-- Campaigns: notify the runners, and the delivery workers, which must not send for paused campaigns
------------------------------------------------------------------------------------------------------------------------

create or replace function notify_campaign_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('campaign_changed', new.status || ' ' || new.id);
  return null;
end
$$;
create or replace trigger campaign_changed
  after insert or update of status, deleted_at on campaigns
  for each row execute function notify_campaign_changed();


------------------------------------------------------------------------------------------------------------------------
-- Mailboxes
------------------------------------------------------------------------------------------------------------------------

-- Updates mailbox_folder_counts. Runs once per statement, however many threads the statement changes.
create or replace function count_threads() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
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
create or replace trigger threads_come after insert on threads
  referencing new table as added for each statement execute function count_threads();
create or replace trigger threads_go after delete on threads
  referencing old table as removed for each statement execute function count_threads();
create or replace trigger threads_move after update on threads
  referencing old table as removed new table as added for each statement execute function count_threads();

-- Gives a new mailbox its change number and the folders that every mailbox has.
create or replace function create_system_folders() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
  insert into mailbox_change_numbers (team_id, mailbox_id) values (new.team_id, new.id);
  insert into folders (team_id, mailbox_id, id, name)
  select new.team_id, new.id, folder.id, folder.name
  from (values ('inbox', 'INBOX'), ('archive', 'Archive'), ('sent', 'Sent'), ('drafts', 'Drafts'), ('spam', 'Spam'),
    ('trash', 'Trash')) as folder (id, name);
  return null;
end
$$;
create or replace trigger mailbox_created after insert on mailboxes for each row execute function create_system_folders();

-- An address belongs to one mailbox of the instance, as its own or as a further one. The lock serialises concurrent
-- inserts into the two tables.
create or replace function claim_mailbox_address() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('mailbox address ' || new.address_key, 0));
  if (tg_table_name = 'mailboxes' and exists (select from mailbox_addresses where address_key = new.address_key))
    or (tg_table_name = 'mailbox_addresses' and exists (select from mailboxes where address_key = new.address_key)) then
    raise unique_violation using constraint = 'mailboxes_address_key', message = 'a mailbox has this address';
  end if;
  return new;
end
$$;
create or replace trigger mailbox_address_claimed before insert on mailboxes
  for each row execute function claim_mailbox_address();
create or replace trigger mailbox_address_claimed before insert on mailbox_addresses
  for each row execute function claim_mailbox_address();

-- Tells the readers of rules, blocks and watchers that those of the mailbox have changed
-- (src/features/mailboxes/rules/arrival.ts).
create or replace function note_arrival_change() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
  update mailboxes set arrival_version = arrival_version + 1
  where team_id = coalesce(new.team_id, old.team_id) and id = coalesce(new.mailbox_id, old.mailbox_id);
  return null;
end
$$;
create or replace trigger block_changed after insert or update or delete on mailbox_blocks
  for each row execute function note_arrival_change();
create or replace trigger watcher_changed after insert or delete on mailbox_watchers
  for each row execute function note_arrival_change();
create or replace trigger rule_changed after insert or update or delete on mailbox_rules
  for each row execute function note_arrival_change();

-- Files of saved replies go with their reply or their mailbox. Their contents may be unused then.
create or replace function reply_file_gone() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
  update blobs set unused_since = now() where team_id = old.team_id and sha256 = old.sha256;
  return null;
end
$$;
create or replace trigger reply_file_gone after delete on saved_reply_files
  for each row execute function reply_file_gone();

-- Updates the counters and the change number of folders. Runs once per statement. Callers hold the mailbox's row in
-- mailbox_change_numbers. An update of a message counts only if it has a new change number.
create or replace function count_messages() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
  if tg_op = 'INSERT' then
    update folders f set messages = f.messages + d.messages, unseen = f.unseen + d.unseen, bytes = f.bytes + d.bytes,
      modseq = greatest(f.modseq, d.modseq)
    from (
      select team_id, mailbox_id, folder, count(*) as messages, count(*) filter (where not read) as unseen,
        coalesce(sum(size), 0) as bytes, max(modseq) as modseq
      from added group by team_id, mailbox_id, folder
    ) d
    where f.team_id = d.team_id and f.mailbox_id = d.mailbox_id and f.id = d.folder;
  elsif tg_op = 'DELETE' then
    update folders f set messages = f.messages - d.messages, unseen = f.unseen - d.unseen, bytes = f.bytes - d.bytes,
      modseq = c.modseq
    from (
      select team_id, mailbox_id, folder, count(*) as messages, count(*) filter (where not read) as unseen,
        coalesce(sum(size), 0) as bytes
      from removed group by team_id, mailbox_id, folder
    ) d
    join mailbox_change_numbers c on c.team_id = d.team_id and c.mailbox_id = d.mailbox_id
    where f.team_id = d.team_id and f.mailbox_id = d.mailbox_id and f.id = d.folder;
  else
    update folders f set messages = f.messages + d.messages, unseen = f.unseen + d.unseen, bytes = f.bytes + d.bytes,
      modseq = greatest(f.modseq, d.modseq)
    from (
      -- The two tables are not joined, because PostgreSQL keeps the plan of the first call, which for few rows is a
      -- nested loop.
      select team_id, mailbox_id, folder, sum(sign) as messages, coalesce(sum(sign) filter (where not read), 0) as unseen,
        coalesce(sum(sign * size), 0) as bytes, max(latest) as modseq
      from (
        select team_id, mailbox_id, folder, read, size, sign, max(modseq) over mailbox as latest,
          sum(sign * modseq) over mailbox as raised
        from (
          select team_id, mailbox_id, folder, read, size, modseq, -1 as sign from removed
          union all
          select team_id, mailbox_id, folder, read, size, modseq, 1 from added
        ) versions
        window mailbox as (partition by team_id, mailbox_id)
      ) changed
      where raised <> 0
      group by team_id, mailbox_id, folder
    ) d
    where f.team_id = d.team_id and f.mailbox_id = d.mailbox_id and f.id = d.folder;
  end if;
  return null;
end
$$;
create or replace trigger messages_come after insert on messages
  referencing new table as added for each statement execute function count_messages();
create or replace trigger messages_go after delete on messages
  referencing old table as removed for each statement execute function count_messages();
create or replace trigger messages_change after update on messages
  referencing old table as removed new table as added for each statement execute function count_messages();

-- Messages and submissions follow their emails in src/features/sending/emails/follow-messages.ts, and the statements
-- that make the changes notify listening clients (src/features/events/live-updates.ts).
drop trigger if exists mailbox_email_moved on emails;
drop function if exists follow_mailbox_email();
drop function if exists follow_mail_submission(integer, uuid, text, text);
drop function if exists lock_mailboxes_of(integer[], uuid[]);
comment on column mail_submissions.undo_status is 'Whether sending can still be undone. It follows the email.';

-- The messages with these words, at most this many if a number is given. A word has the prefix of its mailbox, so no other
-- condition is needed, and the indexes are all that can be read: PostgreSQL would make the words of all messages instead
-- where it believes that most have them.
create or replace function messages_with_words(wanted tsquery, most integer) returns setof uuid language sql stable
set enable_seqscan = off as $$
  select id from (
    (select message_id as id from message_words where search_vector(words) @@ wanted limit most)
    union all
    (select id from messages where search @@ wanted limit most)
  ) found limit most
$$;


------------------------------------------------------------------------------------------------------------------------
-- Contacts
------------------------------------------------------------------------------------------------------------------------

create or replace function contact_book_exists(of_team integer, book uuid) returns boolean language plpgsql stable as $$
begin
  return exists (select from contact_books where team_id = of_team and id = book);
end
$$;

-- Updates contact_book_growth. Runs once per statement, however many contacts it changes. The contacts of a deleted book
-- are not counted, because its counters are gone. A contact that is added as unsubscribed has not joined.
create or replace function count_growth() returns trigger language plpgsql as $$
begin
  if is_loading_team() then return null; end if;
  if tg_op = 'INSERT' then
    insert into contact_book_growth as g
      (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
    select a.team_id, a.contact_book_id, date_bin('15 minutes', now(), '2000-01-01 00:00Z'), a.source,
      coalesce(a.source_id, ''), pg_backend_pid() % 16, count(*) filter (where a.subscription <> 'unsubscribed'), 0, 0, 0,
      count(*) filter (where a.subscription = 'subscribed'), count(*) filter (where a.subscription = 'pending')
    from added a join contact_books b on b.team_id = a.team_id and b.id = a.contact_book_id
    group by 1, 2, 4, 5 order by 1, 2, 4, 5
    on conflict (team_id, contact_book_id, quarter, source, source_id, slot) do update set
      joined = g.joined + excluded.joined, subscribed = g.subscribed + excluded.subscribed,
      pending = g.pending + excluded.pending;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    -- Most updates change no subscription.
    perform from removed r join added a on a.team_id = r.team_id and a.contact_book_id = r.contact_book_id and a.id = r.id
      where a.subscription <> r.subscription limit 1;
    if not found then return null; end if;
    insert into contact_book_growth as g
      (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
    select a.team_id, a.contact_book_id, date_bin('15 minutes', now(), '2000-01-01 00:00Z'), a.source,
      coalesce(a.source_id, ''), pg_backend_pid() % 16, 0,
      count(*) filter (where r.subscription = 'pending' and a.subscription = 'subscribed'),
      count(*) filter (where r.subscription = 'unsubscribed' and a.subscription = 'subscribed'),
      count(*) filter (where r.subscription = 'subscribed' and a.subscription = 'unsubscribed'),
      count(*) filter (where a.subscription = 'subscribed') - count(*) filter (where r.subscription = 'subscribed'),
      count(*) filter (where a.subscription = 'pending') - count(*) filter (where r.subscription = 'pending')
    from removed r
    join added a on a.team_id = r.team_id and a.contact_book_id = r.contact_book_id and a.id = r.id
    join contact_books b on b.team_id = a.team_id and b.id = a.contact_book_id
    where a.subscription <> r.subscription
    group by 1, 2, 4, 5 order by 1, 2, 4, 5
    on conflict (team_id, contact_book_id, quarter, source, source_id, slot) do update set
      confirmed = g.confirmed + excluded.confirmed, returned = g.returned + excluded.returned,
      lost = g.lost + excluded.lost, subscribed = g.subscribed + excluded.subscribed,
      pending = g.pending + excluded.pending;
    return null;
  end if;
  insert into contact_book_growth as g
    (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
  select r.team_id, r.contact_book_id, date_bin('15 minutes', now(), '2000-01-01 00:00Z'), r.source,
    coalesce(r.source_id, ''), pg_backend_pid() % 16, 0, 0, 0, count(*) filter (where r.subscription = 'subscribed'),
    -count(*) filter (where r.subscription = 'subscribed'), -count(*) filter (where r.subscription = 'pending')
  from removed r join contact_books b on b.team_id = r.team_id and b.id = r.contact_book_id
  group by 1, 2, 4, 5 order by 1, 2, 4, 5
  on conflict (team_id, contact_book_id, quarter, source, source_id, slot) do update set
    lost = g.lost + excluded.lost, subscribed = g.subscribed + excluded.subscribed,
    pending = g.pending + excluded.pending;
  return null;
end
$$;
create or replace trigger contacts_come after insert on contacts
  referencing new table as added for each statement execute function count_growth();
create or replace trigger contacts_go after delete on contacts
  referencing old table as removed for each statement execute function count_growth();
create or replace trigger contacts_change after update on contacts
  referencing old table as removed new table as added for each statement execute function count_growth();


------------------------------------------------------------------------------------------------------------------------
-- Webhooks
------------------------------------------------------------------------------------------------------------------------

-- The event email.sent matches "email.sent", "email.*" and "*".
create or replace function webhook_wants(events text[], type text) returns boolean language sql immutable as $$
  select events && array['*', type, split_part(type, '.', 1) || '.*', regexp_replace(type, '\.[^.]*$', '.*')]
$$;

-- Returns whether an event before the one with this ID says that an email was sent. It is a function because the
-- statements that call it need it only for mail of mailboxes, and setting up a scan of all partitions takes time.
create or replace function was_sent_before(of_team integer, of_email uuid, event_id uuid) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from events
    where team_id = of_team and subject_id = of_email and type = 'email.sent' and id < event_id
  );
end
$$;

-- The statements that make the changes record events (src/features/events).
drop function if exists contact_notice(contacts);
drop function if exists announce_email_events();
drop function if exists announce_mailbox_mail();


------------------------------------------------------------------------------------------------------------------------
-- Statistics
------------------------------------------------------------------------------------------------------------------------

-- Gives the columns that later migrations add to tables of outgoing mail the small samples of 0001_baseline.sql.
-- PostgreSQL reads as many rows of a table as its largest sample needs, so one column with the default is enough for
-- large samples.
do $$
declare
  place record;
begin
  for place in
    select c.oid::regclass as relation, a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and c.relname in ('emails', 'email_contents', 'email_recipients', 'email_visits', 'deliveries', 'campaign_recipients')
      -- The default is -1 before PostgreSQL 17, and null since then.
      and coalesce(a.attstattarget, -1) = -1
  loop
    execute format('alter table only %s alter column %I set statistics 10', place.relation, place.name);
  end loop;
end
$$;

-- Counters are a few rows that change many times a second, and their plans never depend on the number of rows. With
-- the default, each run of autovacuum would analyse them, and every connection would then plan its counting statements
-- again.
do $$
declare
  relation regclass;
begin
  for relation in
    select c.oid from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and c.relname in ('daily_counts', 'total_counts', 'campaign_counts', 'quarter_hour_counts', 'campaign_domains',
        'campaign_hours', 'contact_book_counts', 'contact_book_growth', 'mailbox_folder_counts', 'mailbox_change_numbers')
      and not coalesce(c.reloptions && array['autovacuum_analyze_threshold=2000'], false)
  loop
    execute format('alter table %s set (autovacuum_analyze_threshold = 2000)', relation);
  end loop;
end
$$;


------------------------------------------------------------------------------------------------------------------------
-- Emails of campaigns that are only in the ledger, because their first attempt succeeded and nothing has happened since
-- (src/features/sending/ledger). Readers of emails read the views all_emails, all_email_recipients and all_events.
------------------------------------------------------------------------------------------------------------------------

-- The time in a UUIDv7.
create or replace function uuid_time(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint / 1000.0)
$$;

-- The ID of an event that is derived from the ledger: 1 QUEUED, 2 SENT, 3 DELIVERED. It sorts after the email's ID.
create or replace function ledger_event_id(email_id uuid, no integer) returns uuid language sql immutable parallel safe as $$
  select (left(email_id::text, 35) || to_hex(no))::uuid
$$;

-- The same in src/features/sending/ledger/email-names.ts.
create or replace function campaign_message_id(campaign_id uuid, address_key text, domain text) returns text
language sql immutable parallel safe as $$
  select '<' || replace(campaign_id::text, '-', '') || '.'
    || encode(substring(sha256(convert_to(campaign_id || ' ' || address_key, 'UTF8')) from 17 for 8), 'hex')
    || '@' || domain || '>'
$$;

drop view if exists all_emails;
drop view if exists all_email_recipients;
drop view if exists all_events;
drop view if exists campaign_emails;
drop view if exists campaign_events;

create view campaign_emails as
select l.team_id, l.email_id as id, coalesce((v.variant ->> 'domainId')::integer, c.domain_id) as domain_id,
  'campaign' as source, 'DELIVERED' as status, coalesce(v.variant ->> 'sender', c.sender) as sender,
  array[coalesce(l.address, l.address_key)] as to_addresses, '{}'::text[] as cc_addresses,
  '{}'::text[] as bcc_addresses, c.reply_to, coalesce(v.variant ->> 'subject', c.subject) as subject,
  campaign_message_id(l.campaign_id, l.address_key, coalesce(d.name, lower(substring(coalesce(v.variant ->> 'sender', c.sender) from '@([^@<>]+)>?$')))) as message_id,
  2::smallint as priority, null::timestamptz as scheduled_at, null::date as first_tried_on,
  null::timestamptz as opened_at, null::timestamptz as clicked_at, l.campaign_id, l.contact_book_id, l.contact_id,
  uuid_time(l.email_id) as created_at, l.tried_at as updated_at, null::text as traceparent,
  null::timestamptz as content_deleted_at,
  null::jsonb as labels, l.tried_at as first_tried_at, l.tracks_opens, l.tracks_clicks
from campaign_recipients l
join campaigns c on c.team_id = l.team_id and c.id = l.campaign_id
cross join lateral (select c.variants -> l.variant as variant) v
left join domains d on d.team_id = l.team_id and d.id = coalesce((v.variant ->> 'domainId')::integer, c.domain_id)
where l.tried_at is not null and l.state = 'delivered';

create view all_emails as
select team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject,
  message_id, priority, scheduled_at, first_tried_on, opened_at, clicked_at, campaign_id, contact_book_id, contact_id,
  created_at, updated_at, traceparent, content_deleted_at, labels, first_tried_at, tracks_opens, tracks_clicks
from emails
union all
select * from campaign_emails;

create view all_email_recipients as
select team_id, email_id, no, address, address_key, status from email_recipients
union all
select team_id, email_id, 0::smallint, coalesce(address, address_key), address_key, 'DELIVERED'
from campaign_recipients where tried_at is not null and state = 'delivered';

-- The events of a recipient's way to its first delivery. They stay derived when the email gets a row in emails.
create view campaign_events as
select l.team_id, ledger_event_id(l.email_id, step.no) as id, l.email_id as subject_id, l.tried_at as created_at,
  step.type,
  case when step.no > 1 then coalesce(l.address, l.address_key) end as recipient,
  case when step.no = 3 then coalesce(l.reply, '{}')
    || case when l.transcript is null then '{}' else jsonb_build_object('transcript', l.transcript) end end as data
from campaign_recipients l
cross join lateral (values (1, 'email.queued'), (2, 'email.sent'), (3, 'email.delivered')) as step (no, type)
where l.tried_at is not null;

create view all_events as
select team_id, id, subject_id, created_at, type, recipient, data from events
union all
select * from campaign_events;


------------------------------------------------------------------------------------------------------------------------
-- Jobs
------------------------------------------------------------------------------------------------------------------------

-- Adds a job, in the transaction of the change that needs it (src/platform/jobs/jobs.ts). A waiting job with the same key
-- is replaced. One that runs goes on, and is not tried again if it fails.
create or replace function add_job(
  job_name text, job_payload json, run_at timestamptz default null, job_key text default null,
  queue_name text default null, most_attempts integer default 25, job_priority integer default 0
) returns void language plpgsql volatile as $$
declare
  due timestamptz := coalesce(run_at, now());
begin
  loop
    if job_key is not null then
      perform from jobs where key = job_key for update;
      update jobs set key = null, max_attempts = least(max_attempts, attempts)
        where key = job_key and leased_by is not null;
    end if;
    insert into jobs (name, payload, priority, queue, key, due_at, first_due_at, max_attempts)
      values (job_name, job_payload, job_priority, queue_name, job_key, due, due, most_attempts)
      on conflict (key) do update set name = excluded.name, payload = excluded.payload, priority = excluded.priority,
        queue = excluded.queue, due_at = excluded.due_at, first_due_at = excluded.first_due_at, attempts = 0,
        max_attempts = excluded.max_attempts, last_error = null, updated_at = now()
      where jobs.leased_by is null;
    exit when found;
  end loop;
  perform pg_notify('jobs_due', '');
end
$$;

-- Ends the runs of automations of contacts that have left, in the transaction that records it, and keeps emails of theirs
-- in the queue until the job end-automation-runs has cancelled them. The job also ends runs that the engine is moving at
-- this moment, and records the ends of all.
create or replace function end_runs_of_contacts() returns trigger language plpgsql as $$
declare
  ended uuid[];
  has_more boolean;
begin
  with run as (
    select team_id, id from automation_runs
    where team_id = new.team_id and contact_id = any(new.contact_ids) and status = 'ACTIVE'
      and (exits_on_unsubscribe or new.type = 'contact.deleted')
    order by id for update skip locked
  ), changed as (
    update automation_runs r set status = 'EXITED', step = null, due_at = null, waiting_for = null, held_by = null,
      ended_at = now(), reason = case new.type when 'contact.deleted' then 'contact_deleted' else 'unsubscribed' end
    from run where r.team_id = run.team_id and r.id = run.id
    returning r.team_id, r.id, r.automation_id, r.reason
  ), counted as (
    insert into automation_counts as c (team_id, automation_id, step, name, slot, count)
    select team_id, automation_id, '', counted.name, pg_backend_pid() % 8, count(*)
    from changed cross join lateral (values ('exited'), ('exit:' || reason)) as counted (name)
    group by 1, 2, 3, 4 order by 1, 2, 4
    on conflict (team_id, automation_id, step, name, slot) do update set count = c.count + excluded.count
  )
  select array_agg(id) into ended from changed;
  has_more := exists (
    select from automation_runs
    where team_id = new.team_id and contact_id = any(new.contact_ids) and status = 'ACTIVE'
      and (exits_on_unsubscribe or new.type = 'contact.deleted')
  );
  if ended is null and not has_more then
    return null;
  end if;
  update deliveries set due_at = greatest(due_at, now() + interval '10 minutes')
  where (team_id, email_id, recipient_no) in (
    select d.team_id, d.email_id, d.recipient_no
    from automation_emails s join deliveries d on d.team_id = s.team_id and d.email_id = s.email_id
    where s.team_id = new.team_id and s.run_id = any(ended) and d.leased_by is null
    order by d.email_id, d.recipient_no for update of d skip locked
  );
  perform add_job('end-automation-runs', json_build_object('teamId', new.team_id, 'runIds', coalesce(ended, '{}'),
    'contactIds', case when has_more then new.contact_ids else '{}' end));
  return null;
end $$;
create or replace trigger events_end_runs after insert on events for each row
when (new.type in ('contact.unsubscribed', 'contact.deleted')) execute function end_runs_of_contacts();
