-- Reading what happened in a time range, and suppressions by their reason.

create index events_time on events (team_id, created_at, id);
create index suppressions_reason on suppressions (team_id, reason, address_key);
