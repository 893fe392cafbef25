/**
 * The brake of a domain, as it is stored and shown. features/deliverability/brakes puts it on; campaigns and automations
 * look at it here.
 */
import { z } from 'zod';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';
import { timestamp } from '../../../platform/schema.ts';

const MEASURES = ['complaints', 'hard_bounces'] as const;
const WINDOWS = ['day', 'last_delivered', 'since_release'] as const;

export const brakeSchema = z
  .object({
    status: z
      .enum(['OFF', 'WARNING', 'ON'])
      .describe('ON: campaigns are paused and marketing emails of automations wait'),
    since: timestamp.nullable(),
    measure: z.enum(MEASURES).nullable(),
    window: z
      .enum(WINDOWS)
      .nullable()
      .describe(
        'What was counted: 24 hours, the last 1,000 delivered emails, or what was sent since the release',
      ),
    rate: z.number().nullable().describe('The share of complaints or hard bounces, from 0 to 1'),
    cases: z.int().nullable().describe('The number of complaints or hard bounces'),
    outOf: z.int().nullable().describe('The number of recipients of which they are a part'),
    campaignId: z.string().nullable().describe('Set if the mail of one campaign alone is the cause'),
    reason: z.string().nullable().describe('The same in words'),
    releasedAt: timestamp.nullable().describe('When someone last released the brake'),
    releaseReason: z.string().nullable().describe('The reason that they gave'),
  })
  .meta({ id: 'DomainBrake' });

export type DomainBrake = z.infer<typeof brakeSchema>;

export interface BrakeCause {
  measure: (typeof MEASURES)[number];
  window: (typeof WINDOWS)[number];
  cases: number;
  outOf: number;
  /** The UUID of the campaign whose mail alone is the cause. */
  campaignId: string | null;
}

export const BRAKE_COLUMNS = [
  'brake',
  'brake_since',
  'brake_cause',
  'brake_released_at',
  'brake_release_reason',
] as const;

export function presentBrake(row: Row<'domains', (typeof BRAKE_COLUMNS)[number]>): DomainBrake {
  const cause = row.brake_cause as BrakeCause | null;
  return {
    status: row.brake,
    since: row.brake_since?.toISOString() ?? null,
    measure: cause?.measure ?? null,
    window: cause?.window ?? null,
    rate: cause && rateOf(cause),
    cases: cause?.cases ?? null,
    outOf: cause?.outOf ?? null,
    campaignId: cause?.campaignId ? encodeId('cmp', cause.campaignId) : null,
    reason: cause && describeCause(cause),
    releasedAt: row.brake_released_at?.toISOString() ?? null,
    releaseReason: row.brake_release_reason,
  };
}

/** Rounded to what a person can read. */
function rateOf({ cases, outOf }: Pick<BrakeCause, 'cases' | 'outOf'>): number {
  return Math.round((cases / Math.max(1, outOf)) * 100_000) / 100_000;
}

const WINDOW_WORDS: Record<BrakeCause['window'], string> = {
  day: 'in the last 24 hours',
  last_delivered: 'among the last 1,000 delivered emails',
  since_release: 'since the brake was released',
};

export function describeCause({ measure, window, cases, outOf, campaignId }: BrakeCause): string {
  const percent = (rateOf({ cases, outOf }) * 100).toLocaleString('en', { maximumFractionDigits: 2 });
  const what =
    measure === 'complaints'
      ? `${cases} of ${outOf} delivered emails (${percent} %) were reported as spam`
      : `${cases} of ${outOf} emails (${percent} %) bounced because their addresses do not exist`;
  const where = campaignId === null ? '' : 'of one campaign ';
  return `${what} ${where}${WINDOW_WORDS[window]}.`;
}

/** Returns the name of the first of these domains whose brake is on. */
export async function findBraked(db: Db, teamId: number, domainIds: number[]): Promise<string | null> {
  const { rows } = await sql<Row<'domains', 'name'>>`
    select name from domains
    where team_id = ${teamId} and id = any(${domainIds}::integer[]) and brake = 'ON' order by id limit 1
  `.execute(db);
  return rows[0]?.name ?? null;
}

/** Whether the brake of this domain (A-labels, lower case) is on. */
export async function isBraked(db: Db, teamId: number, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from domains where team_id = ${teamId} and name = ${name} and brake = 'ON'
  `.execute(db);
  return rows.length > 0;
}
