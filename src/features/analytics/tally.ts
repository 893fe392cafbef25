/**
 * The counters of analytics and campaigns, moved in the same transaction as what they count. Everything about an email
 * counts on the day that it was first tried. Writers on different connections touch different slots; rows are touched
 * in the order of their keys, so that two of one slot never wait for each other in a circle.
 */
import { sql } from 'kysely';
import { toJson, type Db } from '../../platform/database.ts';
import { ADDED, COLUMNS, DOMAIN_OR_ALL, SUMS, TYPED_COLUMNS } from './count-columns.ts';

const COUNTED = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'hardBounced', 'complained'] as const;
type Counted = (typeof COUNTED)[number];

/** How the counts of one email change. */
export interface Change extends Partial<Record<Counted, number>> {
  teamId: number;
  emailId: string;
  /** A campaign counts the people it is for, not who gets copies. */
  isCopy?: boolean;
}

/** Emails that were never tried count nowhere: whoever calls has set `first_tried_on` before. */
export async function tally(trx: Db, changes: Change[]): Promise<void> {
  const moved = changes.filter((change) => COUNTED.some((name) => change[name]));
  if (moved.length === 0) return;
  const rows = moved.map((change) => ({
    team_id: change.teamId,
    email_id: change.emailId,
    is_copy: change.isCopy ?? false,
    sent: change.sent ?? 0,
    delivered: change.delivered ?? 0,
    opened: change.opened ?? 0,
    clicked: change.clicked ?? 0,
    bounced: change.bounced ?? 0,
    hard_bounced: change.hardBounced ?? 0,
    complained: change.complained ?? 0,
  }));
  await sql`
    with change as materialized (
      select e.team_id, e.domain_id, e.campaign_id, e.first_tried_on as day, is_copy, ${COLUMNS}
      from json_to_recordset(${toJson(rows)}::json) as c (
        team_id integer, email_id uuid, is_copy boolean, ${TYPED_COLUMNS}
      )
      join emails e on e.team_id = c.team_id and e.id = c.email_id and e.first_tried_on is not null
    ), of_days as (
      insert into daily_counts as n (team_id, domain_id, day, slot, ${COLUMNS})
      select team_id, ${DOMAIN_OR_ALL}, day, pg_backend_pid() % 16, ${SUMS} from change
      group by grouping sets ((team_id, day, domain_id), (team_id, day)) order by team_id, day, 2
      on conflict (team_id, day, domain_id, slot) do update set ${ADDED}
    ), of_all_time as (
      insert into total_counts as n (team_id, domain_id, slot, ${COLUMNS})
      select team_id, ${DOMAIN_OR_ALL}, pg_backend_pid() % 16, ${SUMS} from change
      group by grouping sets ((team_id, domain_id), (team_id)) order by team_id, 2
      on conflict (team_id, domain_id, slot) do update set ${ADDED}
    )
    insert into campaign_counts as n (team_id, campaign_id, slot, ${COLUMNS})
    select team_id, campaign_id, pg_backend_pid() % 16, ${SUMS} from change
    where campaign_id is not null and not is_copy
    group by team_id, campaign_id order by team_id, campaign_id
    on conflict (team_id, campaign_id, slot) do update set ${ADDED}
  `.execute(trx);
}
