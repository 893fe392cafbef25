/** What is counted, as it stands in every table of counts, and how a count is added to one that is there as `n`. */
const NAMES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'hard_bounced', 'complained'];

export const COLUMNS = NAMES.join(', ');
export const SUMS = NAMES.map((name) => `sum(${name})`).join(', ');
export const ADDED = NAMES.map((name) => `${name} = n.${name} + excluded.${name}`).join(', ');

/** Stands for all domains of a team, whose counts are kept beside those of each. */
export const ALL_DOMAINS = 0;
/** Of rows grouped by domain and without: `grouping sets`. */
export const DOMAIN_OR_ALL = `coalesce(domain_id, ${ALL_DOMAINS})`;
