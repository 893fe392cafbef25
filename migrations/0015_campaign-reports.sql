-- The report of a campaign: opens and clicks by hour, links, mailbox providers, and lists of recipients by what happened.
-- Each of these is kept by the statement that records what happened, so that a report of a campaign with hundreds of
-- thousands of recipients reads few rows.

-- A second letter to those who did not open the first.
alter table campaigns
  add column exclude_campaign_id uuid,
  add column not_opened boolean not null default false;
comment on column campaigns.exclude_campaign_id is 'References campaigns; contacts that were sent that campaign do not get the mail, or, with not_opened, only those that were sent it and did not open it.';
comment on column campaigns.not_opened is 'Whether the mail goes only to contacts that were sent the campaign in exclude_campaign_id and did not open it.';

alter table email_visits
  add column machine_opened boolean not null default false,
  add column machine_clicked boolean not null default false;
comment on column email_visits.machine_opened is 'Whether a machine, such as a privacy proxy, has opened it. The first such open counts in campaign_hours.';
comment on column email_visits.machine_clicked is 'Whether a machine, such as a link scanner, has followed a link in it.';

create table campaign_results (
  team_id integer not null,
  campaign_id uuid not null,
  result text not null check (result in ('opened', 'clicked', 'bounced', 'complained', 'unsubscribed')),
  address_key text collate "C" not null,
  reason text,
  created_at timestamptz not null default now(),
  primary key (team_id, campaign_id, result, address_key)
);
comment on table campaign_results is 'The recipients of a campaign to whom something happened, once for each kind. Lists them by address without a look at all recipients.';
comment on column campaign_results.campaign_id is 'References campaigns.';
comment on column campaign_results.result is 'opened and clicked: by a person; unsubscribed: by a link in this campaign.';
comment on column campaign_results.address_key is 'The address as in campaign_recipients.';
comment on column campaign_results.reason is 'Why it bounced, as one of the kinds in src/mail/bounces/bounce-reason.ts.';

create table campaign_hours (
  team_id integer not null,
  campaign_id uuid not null,
  hour timestamptz not null,
  slot smallint not null,
  opened bigint not null default 0,
  clicked bigint not null default 0,
  machine_opened bigint not null default 0,
  machine_clicked bigint not null default 0,
  primary key (team_id, campaign_id, hour, slot)
) with (fillfactor = 50);
comment on table campaign_hours is 'How many emails of a campaign were opened and clicked for the first time in each hour, by people and by machines.';
comment on column campaign_hours.campaign_id is 'References campaigns.';
comment on column campaign_hours.hour is 'The beginning of the hour in UTC.';
comment on column campaign_hours.machine_opened is 'Emails that a machine, such as a privacy proxy, opened for the first time.';
comment on column campaign_hours.machine_clicked is 'Emails in which a machine, such as a link scanner, followed a link for the first time.';
comment on column campaign_hours.slot is 'The part of a split counter; readers add all of them up.';

create table campaign_domains (
  team_id integer not null,
  campaign_id uuid not null,
  domain text collate "C" not null,
  slot smallint not null,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  bounced bigint not null default 0,
  opened bigint not null default 0,
  primary key (team_id, campaign_id, domain, slot)
) with (fillfactor = 50);
comment on table campaign_domains is 'What happened to the mail of each campaign by the domain of the recipients, counted as in campaign_counts.';
comment on column campaign_domains.campaign_id is 'References campaigns.';
comment on column campaign_domains.domain is 'The domain of the address of the recipient, in lower case.';
comment on column campaign_domains.delivered is 'Recipients whose server accepted the mail and did not bounce it since.';
comment on column campaign_domains.slot is 'The part of a split counter; readers add all of them up.';

create table campaign_links (
  team_id integer not null,
  campaign_id uuid not null,
  url_hash bytea not null,
  url text not null,
  clicks bigint not null,
  people bigint not null,
  machine_clicks bigint not null,
  primary key (team_id, campaign_id, url_hash)
) with (fillfactor = 50);
comment on table campaign_links is 'How often each link of a campaign was clicked. A campaign has few links, because links that differ for each recipient are not tracked.';
comment on column campaign_links.campaign_id is 'References campaigns.';
comment on column campaign_links.url_hash is 'SHA-256 of the URL, which may be too long for an index.';
comment on column campaign_links.clicks is 'Clicks by people.';
comment on column campaign_links.people is 'How many recipients have clicked it.';
comment on column campaign_links.machine_clicks is 'Clicks by machines.';

create table campaign_clicks (
  team_id integer not null,
  campaign_id uuid not null,
  url_hash bytea not null,
  email_id uuid not null,
  primary key (team_id, campaign_id, url_hash, email_id)
);
comment on table campaign_clicks is 'Which emails of a campaign had which link clicked by a person, so that each recipient counts once for a link.';
comment on column campaign_clicks.campaign_id is 'References campaigns.';
comment on column campaign_clicks.url_hash is 'References campaign_links.';
comment on column campaign_clicks.email_id is 'References emails.';

-- What is known of campaigns that were sent before: everything but visits by machines, reasons of bounces, and clicks
-- whose events were dropped.
insert into campaign_results (team_id, campaign_id, result, address_key, created_at)
select e.team_id, e.campaign_id, happened.result, r.address_key, happened.at
from emails e
join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
cross join lateral (values
  ('opened', e.opened_at), ('clicked', e.clicked_at),
  ('bounced', case when r.status = 'BOUNCED' then e.updated_at end),
  ('complained', case when r.status = 'COMPLAINED' then e.updated_at end)
) as happened (result, at)
where e.campaign_id is not null and happened.at is not null
on conflict do nothing;

insert into campaign_results (team_id, campaign_id, result, address_key, created_at)
select u.team_id, u.campaign_id, 'unsubscribed', l.address_key, u.created_at
from campaign_unsubscribes u
join campaign_recipients l on l.team_id = u.team_id and l.campaign_id = u.campaign_id and l.contact_id = u.contact_id
on conflict do nothing;
drop table campaign_unsubscribes;

insert into campaign_hours (team_id, campaign_id, hour, slot, opened, clicked)
select team_id, campaign_id, date_trunc('hour', created_at, 'UTC'), 0, count(*) filter (where result = 'opened'),
  count(*) filter (where result = 'clicked')
from campaign_results where result in ('opened', 'clicked') group by 1, 2, 3;

insert into campaign_domains (team_id, campaign_id, domain, slot, sent, delivered, bounced, opened)
select e.team_id, e.campaign_id, split_part(r.address_key, '@', -1), 0, count(*),
  count(*) filter (where r.status in ('DELIVERED', 'COMPLAINED')), count(*) filter (where r.status = 'BOUNCED'),
  count(e.opened_at)
from emails e join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
where e.campaign_id is not null and e.first_tried_on is not null group by 1, 2, 3;

with clicked as materialized (
  select v.team_id, e.campaign_id, e.id as email_id, v.data ->> 'link' as url, count(*) as clicks
  from events v join emails e on e.team_id = v.team_id and e.id = v.subject_id
  where v.type = 'email.clicked' and e.campaign_id is not null and v.data ->> 'link' is not null
  group by 1, 2, 3, 4
), of_emails as (
  insert into campaign_clicks (team_id, campaign_id, url_hash, email_id)
  select team_id, campaign_id, sha256(convert_to(url, 'UTF8')), email_id from clicked
)
insert into campaign_links (team_id, campaign_id, url_hash, url, clicks, people, machine_clicks)
select team_id, campaign_id, sha256(convert_to(url, 'UTF8')), url, sum(clicks), count(*), 0
from clicked group by team_id, campaign_id, url;
