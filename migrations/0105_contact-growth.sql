-- Where contacts came from, and how books grow.
alter table contacts
  add column source text not null default 'api',
  add column source_id text,
  add constraint contacts_source_check check (source in ('form', 'import', 'api', 'archive', 'referral'));
comment on column contacts.source is 'How the contact came here. api: by a request, or by a person in the dashboard.';
comment on column contacts.source_id is
  'The public ID of what added it: frm_…, imp_…, key_…, user:usr_…; archive: cmp_… or cbk_…; referral: con_…, who brought it. Null: unknown.';
update contacts set source = consent ->> 'source', source_id = coalesce(consent ->> 'formId', consent ->> 'importId')
where consent ->> 'source' in ('form', 'import');

create table contact_book_growth (
  team_id integer not null,
  contact_book_id uuid not null,
  quarter timestamptz not null,
  source text not null,
  source_id text not null,
  slot smallint not null,
  joined bigint not null,
  confirmed bigint not null,
  returned bigint not null,
  lost bigint not null,
  subscribed bigint not null,
  pending bigint not null,
  primary key (team_id, contact_book_id, quarter, source, source_id, slot),
  foreign key (team_id, contact_book_id) references contact_books (team_id, id) on delete cascade,
  constraint contact_book_growth_source_check check (source in ('form', 'import', 'api', 'archive', 'referral'))
) with (fillfactor = 70);
create index contact_book_growth_slots on contact_book_growth (quarter) where slot <> 0;
comment on table contact_book_growth is
  'How the contacts of a book changed in each quarter of an hour, by where they came from. Triggers on contacts count.';
comment on column contact_book_growth.quarter is 'The start of the quarter of an hour.';
comment on column contact_book_growth.source is 'The source of the contacts, as in contacts.';
comment on column contact_book_growth.source_id is 'As in contacts, empty if unknown.';
comment on column contact_book_growth.slot is
  'Part of a split counter, so that writers do not wait for each other; readers add them up.';
comment on column contact_book_growth.joined is 'Contacts that were added, those included that have to confirm.';
comment on column contact_book_growth.confirmed is 'Pending contacts that became subscribed.';
comment on column contact_book_growth.returned is 'Unsubscribed contacts that subscribed again.';
comment on column contact_book_growth.lost is 'Subscribed contacts that unsubscribed or were deleted.';
comment on column contact_book_growth.subscribed is 'The change of the number of subscribed contacts; it can be negative.';
comment on column contact_book_growth.pending is
  'The change of the number of contacts that have to confirm; it can be negative.';

-- Contacts from before this table count when they were added, and left when they unsubscribed.
insert into contact_book_growth
  (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed, returned, lost, subscribed, pending)
select c.team_id, c.contact_book_id, date_bin('15 minutes', change.at, '2000-01-01 00:00Z'), c.source,
  coalesce(c.source_id, ''), 0, sum(joined), 0, 0, sum(lost), sum(subscribed), sum(pending)
from contacts c
join contact_books b on b.team_id = c.team_id and b.id = c.contact_book_id
cross join lateral (
  values
    (c.created_at, 1, 0, case when c.subscription = 'pending' then 0 else 1 end,
      case when c.subscription = 'pending' then 1 else 0 end),
    (case when c.subscription = 'unsubscribed' then greatest(c.subscription_changed_at, c.created_at) end, 0, 1, -1, 0)
) as change (at, joined, lost, subscribed, pending)
where change.at is not null
group by 1, 2, 3, 4, 5;
