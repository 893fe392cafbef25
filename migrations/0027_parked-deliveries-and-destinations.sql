-- Deliveries of a paused campaign leave the index that claims read, so that a claim never walks over them.
alter table deliveries add column parked boolean not null default false;
comment on column deliveries.parked is 'Whether its campaign is paused, as far as the campaign runner has got. A parked delivery is not in the index that claims read.';

drop index deliveries_due;
create index deliveries_due on deliveries (priority, due_at) where not parked;
drop index deliveries_campaign;
create index deliveries_campaign on deliveries (campaign_id, parked) where campaign_id is not null and attempts = 0;
create index deliveries_campaign_retries on deliveries (campaign_id, parked) where campaign_id is not null and attempts > 0;
create index deliveries_parked on deliveries (priority) where parked;
