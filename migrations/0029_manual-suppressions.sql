-- The suppressions that people add by hand are counted against a limit of the team.
create index suppressions_manual on suppressions (team_id) where reason = 'MANUAL';
