/** The rates of a campaign, in percent from 0 to 100 with two decimals. Without a base, a rate is 0. */

export interface CampaignCounts {
  sent: number;
  delivered: number;
  opened: number;
  clicked: number;
  bounced: number;
  hardBounced: number;
  complained: number;
  unsubscribed: number;
}

/** The count and the base of each rate. Opens and clicks by bots do not count. */
const RATES = {
  deliveryRate: ['delivered', 'sent'],
  openRate: ['opened', 'delivered'],
  clickRate: ['clicked', 'delivered'],
  clickToOpenRate: ['clicked', 'opened'],
  bounceRate: ['bounced', 'sent'],
  complaintRate: ['complained', 'delivered'],
  unsubscribeRate: ['unsubscribed', 'delivered'],
} as const satisfies Record<string, readonly [keyof CampaignCounts, keyof CampaignCounts]>;

export type RateName = keyof typeof RATES;
type CampaignRates = Record<RateName, number>;

const RATE_NAMES = Object.keys(RATES) as [RateName, ...RateName[]];

/** For each rate, the count that it is a percentage of. */
export const RATE_BASES = mapRates((name) => RATES[name][1]);

export function ratesOf(counts: Omit<CampaignCounts, 'hardBounced'>): CampaignRates {
  return mapRates((name) => percentOf(counts[RATES[name][0]], counts[RATES[name][1]]));
}

export function mapRates<Value>(toValue: (name: RateName) => Value): Record<RateName, Value> {
  return Object.fromEntries(RATE_NAMES.map((name) => [name, toValue(name)])) as Record<RateName, Value>;
}

function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, roundPercent((100 * part) / whole));
}

export function roundPercent(percent: number): number {
  return Math.round(percent * 100) / 100;
}
