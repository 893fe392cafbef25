-- An email that waits for its time keeps the priority that it got when it was accepted; its deliveries are made later.
alter table emails add column priority smallint not null default 0;

-- Priority 1 is now for batches and scheduled mail, 2 for bulk.
update deliveries set priority = 2 where priority = 1;
