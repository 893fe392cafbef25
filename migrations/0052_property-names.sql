-- Names of properties compare without regard to case, so a contact has one property of a name. Where it has several, the
-- one that is spelled like a variable of the book keeps the name, or else the first; the others with a different value get
-- a number (`city`, `city_2`), unless the contact is about as large as it may be.
create temporary table doubled_properties on commit drop as
  select c.team_id, c.contact_book_id, c.id, c.properties, b.variables
  from contacts c
  join contact_books b on b.team_id = c.team_id and b.id = c.contact_book_id
  where (select count(distinct lower(name)) < count(*) from jsonb_object_keys(c.properties) as name);

with ranked as (
  select d.team_id, d.contact_book_id, d.id, p.key, p.value, octet_length(d.properties::text) < 60000 as has_room,
    row_number() over of_key as place,
    first_value(p.value) over of_key as kept
  from doubled_properties d, jsonb_each(d.properties) p
  window of_key as (
    partition by d.team_id, d.contact_book_id, d.id, lower(p.key) order by p.key <> all(d.variables), p.key collate "C"
  )
), named as (
  select team_id, contact_book_id, id, value,
    case when place = 1 then key else key || '_' || place end as name
  from ranked where place = 1 or value <> kept and has_room
), merged as (
  select team_id, contact_book_id, id, jsonb_object_agg(name, value) as properties
  from named group by team_id, contact_book_id, id
)
update contacts c set properties = merged.properties
from merged where c.team_id = merged.team_id and c.contact_book_id = merged.contact_book_id and c.id = merged.id;

alter table contact_imports
  add column columns jsonb not null default '[]',
  add column rows_unsubscribed bigint not null default 0;
comment on column contact_imports.columns is 'How the columns of the file are imported, as shown by the API. Empty until the header has been read.';
comment on column contact_imports.rows_unsubscribed is 'Rows of people who are not subscribed according to the file.';
