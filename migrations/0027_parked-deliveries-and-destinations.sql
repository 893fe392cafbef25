-- Deliveries of a paused campaign leave the index that claims read, so that a claim never walks over them.
alter table deliveries add column parked boolean not null default false;
comment on column deliveries.parked is 'Whether its campaign is paused, as far as the campaign runner has got. A parked delivery is not in the index that claims read.';

drop index deliveries_due;
create index deliveries_due on deliveries (priority, due_at) where not parked;
drop index deliveries_campaign;
create index deliveries_campaign on deliveries (campaign_id, parked) where campaign_id is not null and attempts = 0;
create index deliveries_campaign_retries on deliveries (campaign_id, parked) where campaign_id is not null and attempts > 0;
create index deliveries_parked on deliveries (priority) where parked;

-- Which connections to mail servers the processes have open, so that the limit for a destination holds for all of them
-- together. Unlogged: the rows are worth nothing after a crash, and changes of them cost no WAL.
create unlogged table destination_connections (
  destination text collate "C" not null,
  slot smallint not null,
  worker_id uuid not null,
  expires_at timestamptz not null,
  primary key (destination, slot)
);
comment on table destination_connections is 'Connections to mail servers that processes have open, or are about to open. They limit the connections of all processes together.';
comment on column destination_connections.destination is 'The domain of the recipients.';
comment on column destination_connections.slot is 'Counts from 1 to the limit. Urgent mail may use one more than other mail.';
comment on column destination_connections.worker_id is 'The process that has the connection.';
comment on column destination_connections.expires_at is 'The process renews it. Another process may take the slot of one that has died after this time.';
