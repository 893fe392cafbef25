-- The list of automations shows how many emails each has sent, from a counter as the other numbers.
insert into automation_counts (team_id, automation_id, step, name, slot, count)
select team_id, automation_id, '', 'sent', 0, count(*) from automation_emails e
where exists (select from automations a where a.team_id = e.team_id and a.id = e.automation_id)
group by team_id, automation_id;
