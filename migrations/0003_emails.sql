-- Emails, who they go to, the live queue of deliveries, and what happened.

-- One row per message that someone asked to send, whatever the door. Its status and scheduled_at are the only
-- truth about when it leaves: while it is SCHEDULED it has no delivery rows, and whoever moves it on or back does so
-- with one UPDATE ... where status = 'SCHEDULED', so exactly one side wins.
create table emails (
  team_id integer not null references teams (id),
  id uuid not null,
  -- No foreign key: what was sent outlives the domain it was sent from.
  domain_id integer not null,
  source text not null check (source in ('api', 'smtp', 'campaign', 'mailbox', 'system')),
  status text not null check (status in (
    'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'DELIVERY_DELAYED', 'BOUNCED', 'REJECTED', 'RENDERING_FAILURE',
    'COMPLAINED', 'OPENED', 'CLICKED', 'SUPPRESSED', 'CANCELLED', 'FAILED')),
  sender text not null,
  to_addresses text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  reply_to text[] not null,
  subject text not null,
  message_id text not null,
  scheduled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index emails_due on emails (scheduled_at) where status = 'SCHEDULED';
create index emails_message_id on emails (team_id, message_id);

-- The message as it goes out, less the signature: composed once, when it was accepted.
create table email_contents (
  team_id integer not null,
  email_id uuid not null,
  raw bytea not null,
  primary key (team_id, email_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);
alter table email_contents alter column raw set storage external;

-- How it stands with each recipient. The email's own status is the worst of these.
create table email_recipients (
  team_id integer not null,
  email_id uuid not null,
  no smallint not null,
  address text not null,
  address_key text collate "C" not null,
  status text not null,
  primary key (team_id, email_id, no),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);

-- The live queue: one narrow row per recipient that is not finished. due_at is when it may be claimed; a claim moves
-- it behind the end of the lease, so a worker that dies is taken over when its lease ends.
create table deliveries (
  team_id integer not null,
  email_id uuid not null,
  recipient_no smallint not null,
  domain_id integer not null,
  recipient text not null,
  recipient_domain text collate "C" not null,
  -- Transactional mail goes ahead of bulk.
  priority smallint not null,
  attempts smallint not null default 0,
  first_tried_at timestamptz,
  due_at timestamptz not null default now(),
  leased_by uuid,
  primary key (team_id, email_id, recipient_no)
);
create index deliveries_due on deliveries (priority, due_at);
create index deliveries_leased_by on deliveries (leased_by) where leased_by is not null;

create table email_events (
  team_id integer not null,
  email_id uuid not null,
  id uuid not null,
  status text not null,
  recipient text,
  data jsonb,
  created_at timestamptz not null default now(),
  primary key (team_id, email_id, id)
);

-- Addresses that this team does not write to any more.
create table suppressions (
  team_id integer not null references teams (id),
  address_key text collate "C" not null,
  id uuid not null,
  address text not null,
  reason text not null check (reason in ('HARD_BOUNCE', 'COMPLAINT', 'MANUAL')),
  created_at timestamptz not null default now(),
  primary key (team_id, address_key),
  unique (team_id, id)
);

-- What the sandbox transport caught instead of letting it leave.
create table sandbox_messages (
  team_id integer not null,
  id uuid not null,
  email_id uuid not null,
  mail_from text not null,
  recipient text not null,
  raw bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
