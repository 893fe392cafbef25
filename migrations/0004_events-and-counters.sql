-- Events that are kept for a time, and counters that are kept for ever.

-- Partitioned by month, so that old events are dropped and not deleted. The worker makes the partitions ahead; what
-- falls outside of them lands in the default one.
alter table email_events rename to email_events_before;
alter table email_events_before rename constraint email_events_pkey to email_events_before_pkey;
create table email_events (
  team_id integer not null,
  email_id uuid not null,
  id uuid not null,
  status text not null,
  recipient text,
  data jsonb,
  created_at timestamptz not null default now(),
  primary key (team_id, email_id, id, created_at)
) partition by range (created_at);
create table email_events_default partition of email_events default;
insert into email_events select team_id, email_id, id, status, recipient, data, created_at from email_events_before;
drop table email_events_before;

alter table emails
  -- The UTC day that everything about this email counts on; null until it was tried.
  add column first_tried_on date,
  -- By people, as far as machines can be told apart.
  add column opened_at timestamptz,
  add column clicked_at timestamptz,
  -- Of a campaign: it is rendered from the campaign and the contact when it is sent, so it has no content.
  add column campaign_id uuid,
  add column contact_book_id uuid,
  add column contact_id uuid;
create index emails_campaign on emails (team_id, campaign_id, id) where campaign_id is not null;

alter table deliveries add column campaign_id uuid;
create index deliveries_campaign on deliveries (campaign_id) where campaign_id is not null;

-- Recipients are counted, opens and clicks once per email. Split over slots by connection and summed on reading, as
-- contact_book_counts is. `delivered` are those that were accepted and did not bounce since.
create table daily_counts (
  team_id integer not null,
  domain_id integer not null,
  day date not null,
  slot smallint not null,
  sent bigint not null,
  delivered bigint not null,
  opened bigint not null,
  clicked bigint not null,
  bounced bigint not null,
  hard_bounced bigint not null,
  complained bigint not null,
  primary key (team_id, day, domain_id, slot)
) with (fillfactor = 50);

-- The same over all time: as quick to sum after ten years as on the first day.
create table total_counts (
  team_id integer not null,
  domain_id integer not null,
  slot smallint not null,
  sent bigint not null,
  delivered bigint not null,
  opened bigint not null,
  clicked bigint not null,
  bounced bigint not null,
  hard_bounced bigint not null,
  complained bigint not null,
  primary key (team_id, domain_id, slot)
) with (fillfactor = 50);

create table campaign_counts (
  team_id integer not null,
  campaign_id uuid not null,
  slot smallint not null,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  opened bigint not null default 0,
  clicked bigint not null default 0,
  bounced bigint not null default 0,
  hard_bounced bigint not null default 0,
  complained bigint not null default 0,
  unsubscribed bigint not null default 0,
  primary key (team_id, campaign_id, slot)
) with (fillfactor = 50);

-- What was sent before there were counters.
update emails e set first_tried_on = t.day from (
  select team_id, email_id, (min(created_at) at time zone 'utc')::date as day
  from email_events where status = 'SENT' group by team_id, email_id
) t where e.team_id = t.team_id and e.id = t.email_id;
insert into daily_counts
select e.team_id, e.domain_id, e.first_tried_on, 0, count(*),
  count(*) filter (where r.status in ('DELIVERED', 'COMPLAINED')), 0, 0,
  count(*) filter (where r.status = 'BOUNCED'), count(*) filter (where r.status = 'BOUNCED'),
  count(*) filter (where r.status = 'COMPLAINED')
from emails e join email_recipients r on r.team_id = e.team_id and r.email_id = e.id
where e.first_tried_on is not null and r.status not in ('SUPPRESSED', 'QUEUED')
group by e.team_id, e.domain_id, e.first_tried_on;
insert into total_counts
select team_id, domain_id, 0, sum(sent), sum(delivered), 0, 0, sum(bounced), sum(hard_bounced), sum(complained)
from daily_counts group by team_id, domain_id;
