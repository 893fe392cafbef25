/** What is counted, as it stands in every table of counts, and how a count is added to one that is there as `n`. */
import { sql } from 'kysely';

const NAMES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'hard_bounced', 'complained'];

export const COLUMNS = sql.raw(NAMES.join(', '));
export const TYPED_COLUMNS = sql.raw(NAMES.map((name) => `${name} integer`).join(', '));
export const SUMS = sql.raw(NAMES.map((name) => `sum(${name})`).join(', '));
export const ADDED = sql.raw(NAMES.map((name) => `${name} = n.${name} + excluded.${name}`).join(', '));

/** Stands for all domains of a team, whose counts are kept beside those of each. */
export const ALL_DOMAINS = 0;
/** Of rows grouped by domain and without: `grouping sets`. */
export const DOMAIN_OR_ALL = sql.raw(`coalesce(domain_id, ${ALL_DOMAINS})`);
