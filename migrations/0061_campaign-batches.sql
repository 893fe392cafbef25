-- A running campaign leases batches of its recipients, and the ledger gets one row for each recipient when something has
-- happened to it (decision 43).

create table campaign_batches (
  team_id integer not null,
  campaign_id uuid not null,
  no integer not null,
  contact_book_id uuid not null,
  contact_ids uuid[] not null,
  address_keys text[] collate "C" not null,
  first_key text collate "C" not null,
  last_key text collate "C" not null,
  variant smallint,
  due_at timestamptz,
  released_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  primary key (team_id, campaign_id, no)
);
comment on table campaign_batches is 'Recipients of campaigns that have started, as many as one process takes at a time. A batch is deleted when all of its recipients are in campaign_recipients.';
comment on column campaign_batches.campaign_id is 'References campaigns.';
comment on column campaign_batches.no is 'The order in which batches are taken.';
comment on column campaign_batches.contact_book_id is 'References contact_books.';
comment on column campaign_batches.contact_ids is 'References contacts, in the order of address_keys.';
comment on column campaign_batches.address_keys is 'The addresses as addresses are compared, sorted. Each address is in one batch of the campaign.';
comment on column campaign_batches.first_key is 'The first of address_keys.';
comment on column campaign_batches.last_key is 'The last of address_keys.';
comment on column campaign_batches.variant is 'The variant of the A/B test that these recipients get. Null for the others, who get the winner, and without a test.';
comment on column campaign_batches.due_at is 'When local_time of the campaign comes in the time zone of these recipients. Null without it.';
comment on column campaign_batches.released_at is 'When a process took it. The IDs of its emails begin with this time, so it stays when that process dies. Null while no email of it can be on its way.';
comment on column campaign_batches.leased_by is 'The process that sends it now.';
comment on column campaign_batches.leased_until is 'When another process may take it over.';

create index campaign_batches_leased_by on campaign_batches (leased_by) where leased_by is not null;
create index campaign_batches_due on campaign_batches (due_at) where due_at is not null;

alter table campaigns add column has_released boolean not null default false;
comment on column campaigns.has_released is 'Whether a process has taken recipients. From then on the content stays the same for everyone.';
update campaigns set has_released = released_to <> '' or test_sent_at is not null;

-- Recipients that wait become batches of 500, in the order in which they would have been released.
insert into campaign_batches (
  team_id, campaign_id, no, contact_book_id, contact_ids, address_keys, first_key, last_key, variant, due_at
)
select team_id, campaign_id, row_number() over (partition by team_id, campaign_id order by due_at, min(address_key)),
  contact_book_id, array_agg(contact_id order by address_key), array_agg(address_key order by address_key),
  min(address_key), max(address_key), variant, due_at
from (
  select l.*, row_number() over (
    partition by team_id, campaign_id, contact_book_id, variant, due_at order by address_key
  ) as position
  from campaign_recipients l where state = 'pending'
) waiting
group by team_id, campaign_id, contact_book_id, variant, due_at, (position - 1) / 500;
delete from campaign_recipients where state = 'pending';

alter table campaigns drop column released_to, drop column released_all, drop column released_due_at,
  drop column next_due_at;

drop index campaign_recipients_due;
alter table campaign_recipients set (fillfactor = 95);
alter table campaign_recipients drop constraint campaign_recipients_state_check;
alter table campaign_recipients add constraint campaign_recipients_state_check
  check (state in ('delivered', 'released', 'skipped'));
alter table campaign_recipients
  add column address text,
  add column tried_at timestamptz,
  add column reply jsonb,
  add column transcript text[],
  add column tracks_opens boolean,
  add column tracks_clicks boolean;

comment on table campaign_recipients is 'The ledger of a campaign: the recipients to whom something has happened. Those that wait are in campaign_batches.';
comment on column campaign_recipients.state is 'delivered: the first attempt succeeded, and there is no row in emails (see the view campaign_emails); released: emails has the email; skipped: it will not be sent.';
comment on column campaign_recipients.email_id is 'The ID of the email; null for a skipped recipient. References emails once the state is released.';
comment on column campaign_recipients.variant is 'The variant that this recipient got. Null without a test.';
comment on column campaign_recipients.due_at is 'When local_time of the campaign came in the time zone of this recipient. Null without it.';
comment on column campaign_recipients.address is 'The address as the contact has it. Null if it is equal to address_key.';
comment on column campaign_recipients.tried_at is 'When it was delivered with the first attempt, and null otherwise. The events of its way there are derived from this row (see the view campaign_events).';
comment on column campaign_recipients.reply is 'The reply of the server that accepted it: code, enhanced and text. Null if there was none.';
comment on column campaign_recipients.transcript is 'The lines of the SMTP session. $sender stands for the return path, $recipient for the address.';
comment on column campaign_recipients.tracks_opens is 'As in emails, for a recipient that was delivered.';
comment on column campaign_recipients.tracks_clicks is 'As in emails, for a recipient that was delivered.';

create index campaign_recipients_email on campaign_recipients (team_id, email_id) where tried_at is not null;
create index campaign_recipients_address on campaign_recipients (team_id, address_key) where tried_at is not null;
create index campaign_recipients_tried on campaign_recipients (team_id, tried_at) where tried_at is not null;
