-- Campaigns, and the ledger of who gets each one.

create table campaigns (
  team_id integer not null references teams (id),
  id uuid not null,
  -- Of the sender. No foreign key: what was sent outlives its domain.
  domain_id integer not null,
  name text not null,
  sender text not null,
  subject text not null,
  preview_text text,
  html text,
  content text,
  reply_to text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  -- The first one is the campaign's own; who is in several gets it once.
  contact_book_ids uuid[] not null,
  segment_id uuid,
  exclude_segment_ids uuid[] not null,
  topic_id uuid,
  -- Null: as the domain has it.
  track_opens boolean,
  track_clicks boolean,
  status text not null check (status in ('DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'SENT')),
  -- Why it paused itself; null when somebody asked for it.
  status_reason text,
  scheduled_at timestamptz,
  batch_size integer not null,
  rate_per_minute integer,
  -- When it first ran, which is when its audience began to be written down.
  begun_at timestamptz,
  -- How far the audience is written down: the book, and the address in it.
  audience_book smallint not null default 0,
  audience_after text collate "C" not null default '',
  audience_ready boolean not null default false,
  total bigint not null default 0,
  -- Up to which address of the ledger people were released, and whether that was the last one.
  released_to text collate "C" not null default '',
  released_all boolean not null default false,
  -- Up to when what the rate allows was used.
  rate_used_to timestamptz,
  sent_at timestamptz,
  -- What was sent of it is still rendered from it, so it is hidden and not removed.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index campaigns_live on campaigns (status, scheduled_at) where status in ('SCHEDULED', 'RUNNING');
-- What couriers pass over.
create index campaigns_held on campaigns (id) where status in ('SCHEDULED', 'PAUSED') and begun_at is not null;

-- The ledger: one row for each address, made before the first of them is sent to. What it says of somebody and what
-- the queue holds for them change in one transaction.
create table campaign_recipients (
  team_id integer not null,
  campaign_id uuid not null,
  address_key text collate "C" not null,
  contact_book_id uuid not null,
  contact_id uuid not null,
  state text not null check (state in ('pending', 'released', 'skipped')),
  reason text,
  email_id uuid,
  primary key (team_id, campaign_id, address_key)
) with (fillfactor = 80);

-- Only those that were never tried are looked for by their campaign.
drop index deliveries_campaign;
create index deliveries_campaign on deliveries (campaign_id) where campaign_id is not null and attempts = 0;

-- Tells every process: runners of what there is to do, couriers of what to leave alone.
create function notify_campaign_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('campaign_changed', new.status || ' ' || new.id);
  return null;
end
$$;
create trigger campaign_changed
  after insert or update of status, deleted_at on campaigns
  for each row execute function notify_campaign_changed();
