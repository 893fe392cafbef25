-- A batch lives for minutes. Compressing its lists took a quarter of the time in which an audience is written.
alter table campaign_batches
  alter column contact_ids set storage external,
  alter column address_keys set storage external;
