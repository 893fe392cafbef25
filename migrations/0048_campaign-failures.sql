-- Counts the failures of running campaigns, so that a failing one is tried less and less often and then pauses.
alter table campaigns
  add column failures smallint not null default 0,
  add column failing_since timestamptz,
  add column next_try_at timestamptz,
  add column checked_at timestamptz;

comment on column campaigns.failures is 'How many steps in a row have failed unexpectedly.';
comment on column campaigns.failing_since is 'When the first of these steps failed. Kept when the campaign pauses because of them, until it is resumed.';
comment on column campaigns.next_try_at is 'When the next step is tried after a failure. Null: immediately.';
comment on column campaigns.checked_at is 'When a runner last looked at the running campaign, about every 20 seconds.';
