-- Counters for analytics by hour, by day of any time zone, by campaign and by tag.

alter table emails add column first_tried_at timestamptz;
alter table emails add column tracks_opens boolean;
alter table emails add column tracks_clicks boolean;
comment on column emails.first_tried_at is 'When it was first tried. Everything about this email is counted at this time.';
comment on column emails.first_tried_on is 'The UTC day of the first attempt, of mail from before first_tried_at was stored; such mail is counted at noon of that day. Not written any more.';
comment on column emails.tracks_opens is 'Whether its HTML has a tracking pixel; null for mail from before this was stored.';
comment on column emails.tracks_clicks is 'Whether links in its HTML are tracked; null for mail from before this was stored.';

create table quarter_hour_counts (
  team_id integer not null,
  subject text collate "C" not null,
  domain_id integer not null,
  quarter timestamptz not null,
  slot smallint not null,
  sent integer not null,
  delivered integer not null,
  opened integer not null,
  clicked integer not null,
  bounced integer not null,
  hard_bounced integer not null,
  complained integer not null,
  open_tracked integer not null,
  open_tracked_opened integer not null,
  click_tracked integer not null,
  click_tracked_clicked integer not null,
  primary key (team_id, subject, domain_id, quarter, slot)
) with (fillfactor = 50);
create index quarter_hour_counts_slots on quarter_hour_counts (quarter) where slot <> 0;
comment on table quarter_hour_counts is 'What happened to the mail of each quarter of an hour, counted as in daily_counts. A quarter of an hour is the largest unit of which the days of all time zones consist.';
comment on column quarter_hour_counts.subject is 'Empty for all mail, ''campaign '' and the id of a campaign, or ''tag '' and a tag as name:value.';
comment on column quarter_hour_counts.domain_id is 'References domains. For all mail there are also rows with 0, which stands for all domains of the team together.';
comment on column quarter_hour_counts.quarter is 'The beginning of the quarter of an hour in which the mail was first tried.';
comment on column quarter_hour_counts.slot is 'The part of a split counter; readers add all of them up. Those of past hours are merged into slot 0.';
comment on column quarter_hour_counts.delivered is 'Recipients whose server accepted the mail and did not bounce it since.';
comment on column quarter_hour_counts.hard_bounced is 'The part of bounced for which the address is wrong for good.';
comment on column quarter_hour_counts.open_tracked is 'Emails with a tracking pixel that reached at least one recipient.';
comment on column quarter_hour_counts.open_tracked_opened is 'The part of opened that are emails with a tracking pixel. Others count as opened when a link in them is clicked.';
comment on column quarter_hour_counts.click_tracked is 'Emails with tracked links that reached at least one recipient.';
comment on column quarter_hour_counts.click_tracked_clicked is 'The part of clicked that are emails known to have tracked links.';

-- Of earlier mail only the day is known. It counts at noon UTC, which is on the same day in nearly all time zones.
insert into quarter_hour_counts
select team_id, '', domain_id, (day + time '12:00') at time zone 'utc', 0, sum(sent), sum(delivered), sum(opened),
  sum(clicked), sum(bounced), sum(hard_bounced), sum(complained), 0, 0, 0, 0
from daily_counts group by team_id, domain_id, day;
