-- What people and machines do with mail that was sent: opens, clicks, leaving a list, joining one.

-- Every visit counts here, a person's and a machine's; emails.opened_at and clicked_at know people alone. Beside the
-- emails and not in them, because a row that is hit a thousand times should be a narrow one.
create table email_visits (
  team_id integer not null,
  email_id uuid not null,
  opens bigint not null default 0,
  human_opens bigint not null default 0,
  clicks bigint not null default 0,
  human_clicks bigint not null default 0,
  -- When the last event was written: at most one a minute is, of clicks one for the same link.
  open_event_at timestamptz,
  click_event_at timestamptz,
  click_event_url text,
  primary key (team_id, email_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
) with (fillfactor = 50);

-- Who left because of which campaign: each counts once, however often the link is used.
create table campaign_unsubscribes (
  team_id integer not null,
  campaign_id uuid not null,
  contact_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (team_id, campaign_id, contact_id)
);

-- When the confirmation mail of a double opt-in was last sent: at most once in ten minutes it is.
alter table contacts add column confirmation_sent_at timestamptz;
