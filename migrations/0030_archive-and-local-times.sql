-- The public archive of a book, and campaigns that are sent at the local time of each reader.

alter table contact_books add column archive_enabled boolean not null default false;
alter table contact_books add column archive_title text;
alter table contact_books add column archive_description text;
alter table contact_books add column archive_indexed boolean not null default false;
alter table contact_books add column time_zone text not null default 'UTC';
comment on column contact_books.archive_enabled is 'Whether everybody can read the letters of this book that were chosen for its archive.';
comment on column contact_books.archive_title is 'The title of the archive; null for the name of the book.';
comment on column contact_books.archive_description is 'A text below the title of the archive.';
comment on column contact_books.archive_indexed is 'Whether search engines may list the archive.';
comment on column contact_books.time_zone is 'The IANA time zone of contacts without one of their own.';
-- The address of the public page has no team.
create unique index contact_books_archive_key on contact_books (id) where archive_enabled;

alter table campaigns add column show_in_archive boolean not null default false;
alter table campaigns add column local_time text;
alter table campaigns add column released_due_at timestamptz;
alter table campaigns add column next_due_at timestamptz;
comment on column campaigns.show_in_archive is 'Whether the archives of its books show this campaign once it is sent.';
comment on column campaigns.local_time is 'The date and time at which each reader gets it, in the time zone of the reader, as 2026-11-15T09:00. Null: everybody at scheduled_at.';
comment on column campaigns.released_due_at is 'With local_time: the due_at of the last released recipient, whose address is in released_to.';
comment on column campaigns.next_due_at is 'With local_time: when the next recipient is due. Null before the first release.';
create index campaigns_archive on campaigns (team_id, sent_at desc, id desc) where show_in_archive;

alter table campaign_recipients add column due_at timestamptz;
comment on column campaign_recipients.due_at is 'When local_time of the campaign comes in the time zone of this recipient. Null without it.';
create index campaign_recipients_due on campaign_recipients (team_id, campaign_id, due_at, address_key) where due_at is not null;
