/**
 * Updates the counters of analytics and campaigns in the same statement as the events that they count.
 * All results of an email count at the time of its first attempt. Writers on different connections use
 * different slots, and rows are updated in key order, which prevents deadlocks within a slot.
 */
import { Fragment } from '../../../platform/database/database.ts';
import {
  ALL_MAIL,
  CAMPAIGN_SUBJECT,
  COUNTS,
  DAY,
  DOMAIN_OR_ALL,
  QUARTER,
  QUARTER_COUNTS,
  SLOT,
  TAG_SUBJECT,
} from './count-columns.ts';

/**
 * Only the latest quarters of an hour have many writers. Earlier ones use one slot, so that their slots, once merged
 * (merge-slots.ts), stay merged.
 */
const SLOT_OF_QUARTER = `case when quarter > now() - interval '1 hour' then ${SLOT} else 0 end`;

interface Counted {
  /** False if no email of a campaign is among the changes. The parts that would find nothing are left out then. */
  hasCampaigns: boolean;
}

/**
 * Follows a `with` that defines `change`: team_id, domain_id, campaign_id, labels, tried_at, is_copy and the counts of
 * QUARTER_COUNTS.
 */
export function countChanges({ hasCampaigns }: Counted): string {
  return `
  of_days as (
    insert into daily_counts as n (team_id, domain_id, day, slot, ${COUNTS.columns})
    select team_id, ${DOMAIN_OR_ALL}, day, ${SLOT}, ${COUNTS.sums} from (select *, ${DAY} as day from change) of_day
    group by grouping sets ((team_id, day, domain_id), (team_id, day)) order by team_id, day, 2
    on conflict (team_id, day, domain_id, slot) do update set ${COUNTS.added}
  ), of_all_time as (
    insert into total_counts as n (team_id, domain_id, slot, ${COUNTS.columns})
    select team_id, ${DOMAIN_OR_ALL}, ${SLOT}, ${COUNTS.sums} from change
    group by grouping sets ((team_id, domain_id), (team_id)) order by team_id, 2
    on conflict (team_id, domain_id, slot) do update set ${COUNTS.added}
  ), ${hasCampaigns ? COUNT_BY_CAMPAIGN : ''}
  ${countByQuarter({ changes: 'change', slot: SLOT_OF_QUARTER, hasCampaigns })}`;
}

const COUNT_BY_CAMPAIGN = `
  of_campaigns as (
    insert into campaign_counts as n (team_id, campaign_id, slot, ${COUNTS.columns})
    select team_id, campaign_id, ${SLOT}, ${COUNTS.sums} from change
    where campaign_id is not null and not is_copy
    group by team_id, campaign_id order by team_id, campaign_id
    on conflict (team_id, campaign_id, slot) do update set ${COUNTS.added}
  ),`;

/** `changes` is a table with the columns of `change`. */
export function countByQuarter({
  changes,
  slot,
  hasCampaigns,
}: Counted & { changes: string; slot: string }): string {
  return `
  quarter_change as not materialized (
    select team_id, domain_id, campaign_id, labels, ${QUARTER} as quarter, ${QUARTER_COUNTS.columns} from ${changes}
  ), of_quarters as (
    insert into quarter_hour_counts as n (team_id, subject, domain_id, quarter, slot, ${QUARTER_COUNTS.columns})
    select team_id, subject, domain_id, quarter, ${slot}, ${QUARTER_COUNTS.columns} from (
      select team_id, '${ALL_MAIL}' as subject, ${DOMAIN_OR_ALL} as domain_id, quarter, ${QUARTER_COUNTS.sums}
      from quarter_change group by grouping sets ((team_id, quarter, domain_id), (team_id, quarter))
      ${hasCampaigns ? QUARTERS_OF_CAMPAIGNS : ''}
      union all
      select team_id, '${TAG_SUBJECT}' || tag, domain_id, quarter, ${QUARTER_COUNTS.sums}
      from quarter_change cross join lateral (
        select distinct (tag ->> 'name') || ':' || (tag ->> 'value') as tag from jsonb_array_elements(labels -> 'tags') as tag
      ) of_email
      where labels is not null group by team_id, tag, domain_id, quarter
    ) of_subject
    order by team_id, subject collate "C", domain_id, quarter
    on conflict (team_id, subject, domain_id, quarter, slot) do update set ${QUARTER_COUNTS.added}
  )`;
}

const QUARTERS_OF_CAMPAIGNS = `
      union all
      select team_id, '${CAMPAIGN_SUBJECT}' || campaign_id, domain_id, quarter, ${QUARTER_COUNTS.sums}
      from quarter_change where campaign_id is not null group by team_id, campaign_id, domain_id, quarter`;

export const COUNT_CHANGES = new Fragment(countChanges({ hasCampaigns: true }));
