-- Deliveries to a destination that cannot take them now are kept out of the index that claims read, and the rate of
-- messages to a destination is limited over all processes.

alter table deliveries add column set_aside boolean not null default false;
comment on column deliveries.set_aside is 'Whether it waits behind many others for a destination that is full or backing off. It is not in the index that claims read.';

drop index deliveries_due;
create index deliveries_due on deliveries (priority, due_at) where not parked and not set_aside;
create index deliveries_set_aside on deliveries (recipient_domain, priority, due_at) where set_aside;

create table crowded_destinations (
  destination text primary key
);
comment on table crowded_destinations is 'Destinations that have deliveries which were set aside. Whoever sets aside or takes back locks the row.';
comment on column crowded_destinations.destination is 'The domain of the recipients.';

create unlogged table destination_rates (
  destination text primary key,
  next_at timestamptz not null
);
comment on table destination_rates is 'When the next messages may be sent to a destination whose rate is limited (DESTINATION_RATES).';
comment on column destination_rates.destination is 'The domain of the recipients.';
comment on column destination_rates.next_at is 'Until then, some process may send what it has been granted.';
