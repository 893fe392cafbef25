-- A warm-up holds deliveries of a campaign back for other days. Those that are due are counted before each batch.
drop index deliveries_campaign;
create index deliveries_campaign on deliveries (campaign_id, parked, due_at) where campaign_id is not null and attempts = 0;
