-- Domain 0 stands for all domains of a team: what they have together is kept, not added up by whoever asks.
insert into daily_counts (team_id, domain_id, day, slot, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
select team_id, 0, day, slot, sum(sent), sum(delivered), sum(opened), sum(clicked), sum(bounced), sum(hard_bounced),
  sum(complained)
from daily_counts group by team_id, day, slot;
insert into total_counts (team_id, domain_id, slot, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
select team_id, 0, slot, sum(sent), sum(delivered), sum(opened), sum(clicked), sum(bounced), sum(hard_bounced),
  sum(complained)
from total_counts group by team_id, slot;
