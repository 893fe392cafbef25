/** The columns of the counter tables, and the expressions that add to a row `n`. */
const NAMES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'hard_bounced', 'complained'];
/** These are counted by time only. */
const TRACKED_NAMES = ['open_tracked', 'open_tracked_opened', 'click_tracked', 'click_tracked_clicked'];

function expressionsFor(names: string[]) {
  return {
    columns: names.join(', '),
    sums: names.map((name) => `sum(${name}) as ${name}`).join(', '),
    added: names.map((name) => `${name} = n.${name} + excluded.${name}`).join(', '),
  };
}

export const COUNTS = expressionsFor(NAMES);
/** The columns of quarter_hour_counts. */
export const QUARTER_COUNTS = expressionsFor([...NAMES, ...TRACKED_NAMES]);

/** The part of a split counter that this connection adds to. */
export const SLOT = 'pg_backend_pid() % 16';

/** Stands for all domains of a team. These totals are stored in addition to the counts of each domain. */
export const ALL_DOMAINS = 0;
/** For rows that are grouped with and without the domain (`grouping sets`). */
export const DOMAIN_OR_ALL = `coalesce(domain_id, ${ALL_DOMAINS})`;

/** The subjects of quarter_hour_counts. */
export const ALL_MAIL = '';
export const CAMPAIGN_SUBJECT = 'campaign ';
export const TAG_SUBJECT = 'tag ';

/** When an email `e` was first tried, or null. Older emails store only the day. */
export const FIRST_TRIED_AT = `coalesce(e.first_tried_at, (e.first_tried_on + time '12:00') at time zone 'utc')`;
export const DAY = `(tried_at at time zone 'utc')::date`;
export const QUARTER = `date_bin('15 minutes', tried_at, '2000-01-01 00:00Z')`;
