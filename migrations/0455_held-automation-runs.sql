-- Notices ask for the automations whose runs are held by something that someone has to mend.
create index automation_runs_held on automation_runs (team_id, automation_id)
  where status = 'ACTIVE' and held_by is not null and held_by <> all ('{quiet_hours,frequency_cap,auto_reply,brake}');
