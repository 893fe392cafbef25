-- Events that applications send about people, and the shapes of their data.

create table custom_events (
  team_id integer not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  contact_book_id uuid,
  contact_id uuid,
  address text,
  address_key text collate "C",
  is_of_book boolean not null default false,
  data jsonb not null default '{}',
  external_id text,
  occurred_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint custom_events_data_size check (octet_length(data::text) <= 65536)
);
comment on table custom_events is 'Events that applications send with POST /events. Each is also in the stream, with the type event.NAME and its id as the subject.';
comment on column custom_events.name is 'Without the prefix event. of its type in the stream.';
comment on column custom_events.contact_book_id is 'References contact_books. The book of contact_id.';
comment on column custom_events.contact_id is 'References contacts. Null if nobody has the address.';
comment on column custom_events.address is 'The address of the person, as it was given. Null if the contact was given by its id.';
comment on column custom_events.address_key is 'The address as addresses are compared.';
comment on column custom_events.is_of_book is 'Whether the event concerns the contact of this book alone. Otherwise it concerns every contact with the address.';
comment on column custom_events.external_id is 'The id that the application gave, by which a repeated call is recognised. Cleared after 30 days.';
comment on column custom_events.occurred_at is 'When it happened, as the application says.';

create unique index custom_events_external_id on custom_events (team_id, external_id) where external_id is not null;
create index custom_events_contact on custom_events (team_id, contact_id, name, occurred_at) where contact_id is not null;
create index custom_events_address on custom_events (team_id, address_key, name, occurred_at) where address_key is not null;
create index custom_events_name on custom_events (team_id, name, id);

create table event_definitions (
  team_id integer not null references teams on delete cascade,
  name text not null,
  schema jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, name)
);
comment on table event_definitions is 'The fields that the data of an event must have the right type for.';
comment on column event_definitions.name is 'The name of the event.';
comment on column event_definitions.schema is 'The type of each field: string, number, boolean or date.';
comment on column custom_events.data is 'What the application says about it.';
