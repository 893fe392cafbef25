-- The mail of a person is found by an index of its own: each message that arrives is judged by what its sender has sent
-- before, and a search by the words of the address takes the longer the more mail a mailbox has.

-- An index needs them, so they are here and not in functions.sql, and do not change. Neither calls the other, because a
-- restored backup has no search path.
create function person_of(shown text) returns bigint language sql immutable parallel safe as $$
  select hashtextextended(lower(btrim(split_part(shown, '<', -1), '> ')), 0)
$$;
comment on function person_of is 'A number for the address in text like "Name <address>". Other addresses may have the same.';

create function people_of(mailbox_id uuid, shown text[]) returns bigint[] language sql immutable parallel safe as $$
  select coalesce(array_agg(hashtextextended(mailbox_id::text || ' ' || lower(btrim(split_part(one, '<', -1), '> ')), 0)), '{}')
  from unnest(shown) as one
$$;
comment on function people_of is 'A number for each address, together with the mailbox.';

create index messages_from_person on messages (team_id, mailbox_id, person_of(sender)) where direction = 'in' and not draft;
-- Few messages are written, so the index is kept in order at once: a search would read what waits in its list first.
create index messages_to_person on messages using gin (people_of(mailbox_id, to_addresses || cc_addresses))
  with (fastupdate = off) where direction = 'out' and not draft;
