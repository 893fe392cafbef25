-- Parts of a book by a filter, and topics that a contact can leave while staying in the book.

-- When a contact last opened or clicked something; segments ask for it.
alter table contacts
  add column last_opened_at timestamptz,
  add column last_clicked_at timestamptz;

create table segments (
  team_id integer not null references teams (id),
  id uuid not null,
  contact_book_id uuid not null,
  name text not null,
  filter jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, contact_book_id) references contact_books (team_id, id) on delete cascade
);
create index segments_book on segments (team_id, contact_book_id, id);

create table topics (
  team_id integer not null references teams (id),
  id uuid not null,
  name text not null,
  description text,
  -- opt_out: everyone is in who has not left; opt_in: only who has joined.
  default_subscription text not null check (default_subscription in ('opt_in', 'opt_out')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);

-- Only for who has said so: everyone else follows the default of the topic. No foreign key to contacts, as in 0001:
-- whoever writes here locks the contact, and deleting contacts takes these rows along.
create table contact_topics (
  team_id integer not null,
  contact_book_id uuid not null,
  contact_id uuid not null,
  topic_id uuid not null,
  subscribed boolean not null,
  changed_at timestamptz not null default now(),
  changed_by text not null,
  primary key (team_id, contact_book_id, contact_id, topic_id),
  foreign key (team_id, topic_id) references topics (team_id, id) on delete cascade
);
create index contact_topics_topic on contact_topics (team_id, topic_id);

-- A text as a moment, or null where it is none: the properties of contacts hold whatever was written there.
-- The pattern comes first because only the cast needs the costly way back from an error.
create function moment_of(value text) returns timestamptz language plpgsql stable strict set timezone = 'UTC' as $$
begin
  if value !~ '^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?)?$' then
    return null;
  end if;
  begin
    return value::timestamptz;
  exception when data_exception then
    return null;
  end;
end
$$;
