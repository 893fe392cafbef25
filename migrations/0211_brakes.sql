-- The brake of a domain (src/features/deliverability/brakes).
alter table domains
  add column brake text not null default 'OFF',
  add column brake_since timestamptz,
  add column brake_cause jsonb,
  add column brake_released_at timestamptz,
  add column brake_release_reason text,
  add column brake_baseline jsonb,
  add constraint domains_brake_check check (brake in ('OFF', 'WARNING', 'ON'));
comment on column domains.brake is
  'ON: too many complaints or hard bounces, so campaigns are paused and marketing emails of automations wait. WARNING: nearly so.';
comment on column domains.brake_since is 'Since when the brake has this state. Null while it is OFF.';
comment on column domains.brake_cause is 'What was counted: {measure, window, cases, outOf, campaignId}. Null while the brake is OFF.';
comment on column domains.brake_released_at is 'When someone last released the brake. Mail from before is not judged again.';
comment on column domains.brake_release_reason is 'Why it was released, in the words of who did it.';
comment on column domains.brake_baseline is
  'The totals of the domain when the brake was released: {delivered, hardBounced, complained}.';
create index domains_brake on domains (team_id) where brake <> 'OFF';
