-- The words of a message are stored as text, which takes half of what the tsvector takes, and in a table of their own, because
-- each change of a flag writes all indexes of messages again. The index is over the tsvector that is made from the text.

-- The index needs the function, so it is here and not in functions.sql, and does not change. It calls no function of ours,
-- because a restored backup has no search path.
create function search_vector(words text) returns tsvector language plpgsql immutable strict parallel safe as $$
declare
  prefix text := left(words, 8);
begin
  return array_to_tsvector(string_to_array(substr(
    replace(replace(replace(substr(words, 9), ' ', ' ' || prefix || ':'), '<', ' ' || prefix || 'f:'), '>', ' ' || prefix || 't:'),
    2), ' '));
end
$$;
comment on function search_vector is 'The words of a message for full-text search: each with the prefix of its mailbox.';

create table message_words (
  team_id integer not null,
  message_id uuid not null,
  words text not null,
  primary key (team_id, message_id)
);
comment on table message_words is 'The words of messages, for full-text search. Messages from before this table have them in messages.search.';
comment on column message_words.message_id is 'References messages.';
comment on column message_words.words is 'The last eight characters of the mailbox''s ID, and then each word behind a blank, or behind < if it is in the sender, or > if it is in the recipients.';
-- A list of different words hardly gets shorter. No plan depends on how often a word occurs, and finding out would take
-- seconds.
alter table message_words alter column words set storage external, alter column words set statistics 0;
create index message_words_search on message_words using gin (search_vector(words));
alter index message_words_search alter column 1 set statistics 0;

alter table messages alter column search drop not null;
comment on column messages.search is 'The words of the message, for full-text search. Null if message_words has them.';
