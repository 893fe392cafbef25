-- Emails that are made from the items of RSS, Atom and JSON feeds.
alter table campaigns add column feed jsonb;
comment on column campaigns.feed is
  'What feed stands for in the content: {"title", "url", "items": [{"title", "url", "summary", "image", "date"}]}. Null: the campaign was not made from a feed.';

create table feeds (
  team_id integer not null references teams (id),
  id uuid not null,
  url text not null,
  contact_book_id uuid not null,
  template_id uuid not null,
  sender text not null,
  mode text not null,
  weekdays integer[],
  at_time text,
  time_zone text,
  min_items integer not null,
  max_items integer not null,
  review boolean not null,
  status text not null default 'ACTIVE',
  title text,
  etag text,
  last_modified text,
  seeded_at timestamptz,
  check_at timestamptz not null default now(),
  next_issue_at timestamptz,
  last_checked_at timestamptz,
  error text,
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, contact_book_id) references contact_books (team_id, id) on delete cascade,
  constraint feeds_mode_check check (mode in ('each', 'digest')),
  constraint feeds_status_check check (status in ('ACTIVE', 'PAUSED'))
);
create index feeds_book on feeds (team_id, contact_book_id);
create index feeds_due on feeds (check_at) where status = 'ACTIVE';
comment on table feeds is 'RSS, Atom and JSON feeds whose new items become campaigns.';
comment on column feeds.template_id is
  'References templates without a foreign key, so that a template can be deleted. The feed then has an error.';
comment on column feeds.sender is 'The sender of the campaigns.';
comment on column feeds.mode is 'each: a campaign for each new item; digest: one for all new items at the times of the schedule.';
comment on column feeds.weekdays is 'The days of the schedule, from 1 for Monday. Null: every day.';
comment on column feeds.at_time is 'The local time of the schedule, as 09:00. Null: no schedule.';
comment on column feeds.time_zone is 'The IANA time zone of the schedule.';
comment on column feeds.min_items is 'With fewer new items, the items wait for the next time.';
comment on column feeds.max_items is 'The most items of a digest, or the most campaigns that are made at a time.';
comment on column feeds.review is 'Whether campaigns are made as drafts, to be sent by a person.';
comment on column feeds.title is 'The title that the feed gives itself.';
comment on column feeds.etag is 'The ETag of the last response, for conditional requests.';
comment on column feeds.last_modified is 'The Last-Modified field of the last response, for conditional requests.';
comment on column feeds.seeded_at is 'When the feed was first read. All its items count as seen then.';
comment on column feeds.check_at is 'When the feed is read next.';
comment on column feeds.next_issue_at is 'The next time of the schedule. Null: no schedule.';
comment on column feeds.last_checked_at is 'When the feed was last read, or could not be read.';
comment on column feeds.error is 'Why the last reading, or the last campaign, failed, as a sentence.';
comment on column feeds.created_by is 'The author of the campaigns: an API key (key_…) or a person (user:usr_…).';

create table feed_items (
  team_id integer not null,
  feed_id uuid not null,
  item_hash bytea not null,
  position bigint generated always as identity,
  item jsonb,
  campaign_id uuid,
  seen_at timestamptz not null default now(),
  primary key (team_id, feed_id, item_hash),
  foreign key (team_id, feed_id) references feeds (team_id, id) on delete cascade
);
create index feed_items_waiting on feed_items (team_id, feed_id, position) where item is not null;
comment on table feed_items is
  'Every item that a feed ever had, so that none is sent twice. Rows are kept as long as the feed.';
comment on column feed_items.item_hash is 'SHA-256 of the guid of the item, or else of its link.';
comment on column feed_items.position is 'The order in which items became known, the oldest first.';
comment on column feed_items.item is 'The item while it waits for its campaign, as content shows it. Null: nothing waits.';
comment on column feed_items.seen_at is 'When the item became known.';
comment on column feed_items.campaign_id is 'References campaigns; the campaign that was made from the item.';
