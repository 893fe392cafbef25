-- Campaigns that each contact gets at the hour at which it usually opens and clicks.
alter table campaigns
  add column best_within_hours smallint,
  add column holdout_percent smallint;
comment on column campaigns.best_within_hours is
  'With a value, each recipient gets the email at its best hour within so many hours after the start. Null: all at the start.';
comment on column campaigns.holdout_percent is
  'With best_within_hours, the percentage of recipients that get the email at the start, for comparison.';

create table contact_hours (
  team_id integer not null,
  contact_book_id uuid not null,
  contact_id uuid not null,
  hour smallint not null,
  visits integer not null,
  primary key (team_id, contact_book_id, contact_id, hour)
) with (fillfactor = 90);
comment on table contact_hours is
  'At which hours of the day a contact opened emails and clicked for the first time, without bots.';
comment on column contact_hours.contact_book_id is 'References contact_books.';
comment on column contact_hours.contact_id is
  'References contacts without a foreign key: writers lock the contact, and deleting contacts deletes these rows.';
comment on column contact_hours.hour is 'The hour of the day in UTC, from 0 to 23.';
comment on column contact_hours.visits is 'First opens and first clicks of emails.';

create table contact_book_hours (
  team_id integer not null,
  contact_book_id uuid not null,
  hour smallint not null,
  slot smallint not null,
  visits bigint not null,
  primary key (team_id, contact_book_id, hour, slot),
  foreign key (team_id, contact_book_id) references contact_books (team_id, id) on delete cascade
) with (fillfactor = 50);
comment on table contact_book_hours is 'The same for all contacts of a book together.';
comment on column contact_book_hours.hour is 'The hour of the day in UTC, from 0 to 23.';
comment on column contact_book_hours.slot is
  'Part of a split counter, so that writers do not wait for each other; readers add them up.';
comment on column contact_book_hours.visits is 'First opens and first clicks of emails.';

-- How many each contact has brought.
create index contact_book_growth_referrals on contact_book_growth (team_id, contact_book_id, source_id)
  where source = 'referral';
