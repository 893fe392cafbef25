/**
 * The counters of analytics and campaigns, moved in the same statement as what they count. Everything about an email
 * counts on the day that it was first tried. Writers on different connections touch different slots; rows are touched
 * in the order of their keys, so that two of one slot never wait for each other in a circle.
 */
import { Fragment } from '../../platform/database.ts';
import { ADDED, COLUMNS, DOMAIN_OR_ALL, SUMS } from './count-columns.ts';

/** Behind a `with` that has `change`: team_id, domain_id, campaign_id, day, is_copy, and the counts of each. */
export const COUNT_CHANGES = new Fragment(`
  of_days as (
    insert into daily_counts as n (team_id, domain_id, day, slot, ${COLUMNS})
    select team_id, ${DOMAIN_OR_ALL}, day, pg_backend_pid() % 16, ${SUMS} from change
    group by grouping sets ((team_id, day, domain_id), (team_id, day)) order by team_id, day, 2
    on conflict (team_id, day, domain_id, slot) do update set ${ADDED}
  ), of_all_time as (
    insert into total_counts as n (team_id, domain_id, slot, ${COLUMNS})
    select team_id, ${DOMAIN_OR_ALL}, pg_backend_pid() % 16, ${SUMS} from change
    group by grouping sets ((team_id, domain_id), (team_id)) order by team_id, 2
    on conflict (team_id, domain_id, slot) do update set ${ADDED}
  ), of_campaigns as (
    insert into campaign_counts as n (team_id, campaign_id, slot, ${COLUMNS})
    select team_id, campaign_id, pg_backend_pid() % 16, ${SUMS} from change
    where campaign_id is not null and not is_copy
    group by team_id, campaign_id order by team_id, campaign_id
    on conflict (team_id, campaign_id, slot) do update set ${ADDED}
  )`);
