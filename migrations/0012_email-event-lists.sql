-- Lists the bounces, complaints, opens and clicks of a team, newest first. Other events are far more and are not listed
-- by type, so the index leaves them out.
create index events_outcomes on events (team_id, type, id)
  where type in ('email.bounced', 'email.complained', 'email.opened', 'email.clicked');
