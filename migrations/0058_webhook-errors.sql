-- Deliveries that could not be made because of an error on the server are shown in the notices of the team.
create index webhook_attempts_internal on webhook_attempts (team_id, webhook_id, call_id) where error = 'internal';
