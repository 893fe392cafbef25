/**
 * The course of an A/B test. Before anything is sent, the ledger determines which recipients are in the test and which
 * variant each of them gets. When all of them have been tried, the campaign waits for the winner, and then the other
 * recipients get it. All state is in the campaign row and the ledger, so a restart changes nothing.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, badRequest } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { FIRST_TRIED_AT } from '../../sending/counters/count-columns.ts';
import { findCampaign, type CampaignCaller, type CampaignRow } from '../campaign-row.ts';
import { withVariant } from '../variants.ts';
import type { VariantResults } from '../variants.schema.ts';

const MINUTE_MS = 60_000;

type Tested = Pick<
  CampaignRow,
  'teamId' | 'id' | 'variants' | 'testSentAt' | 'winner' | 'decideBy' | 'decideAfterMinutes'
>;

export function isTesting({ variants, testSentAt }: Tested): boolean {
  return variants !== null && testSentAt === null;
}

export function awaitsWinner({ variants, testSentAt, winner }: Tested): boolean {
  return variants !== null && testSentAt !== null && winner === null;
}

/** Returns false when all recipients were in the test, so that the campaign is finished. */
export async function endTest(trx: Db, { teamId, id }: Tested): Promise<boolean> {
  const { rows } = await sql`
    update campaigns c set test_sent_at = now()
    where c.team_id = ${teamId} and c.id = ${id} and exists (
      select from campaign_batches b where b.team_id = c.team_id and b.campaign_id = c.id
    ) returning 1
  `.execute(trx);
  return rows.length > 0;
}

/** Returns null if a person decides. */
function decisionTime({ decideBy, testSentAt, decideAfterMinutes }: Tested): Date | null {
  if (decideBy === 'person' || !testSentAt) return null;
  return new Date(testSentAt.getTime() + decideAfterMinutes * MINUTE_MS);
}

/** Returns false when it is too early, or a person has to decide. */
export async function decideIfDue(trx: Db, campaign: Tested, now: Date): Promise<boolean> {
  const at = decisionTime(campaign);
  if (!at || at > now) return false;
  await storeWinner(trx, campaign, findBest(await countByVariant(trx, campaign), campaign.decideBy));
  return true;
}

async function storeWinner(trx: Db, { teamId, id }: Tested, winner: number): Promise<void> {
  await sql`
    update campaigns set winner = ${winner}, decided_at = now(), updated_at = now()
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
}

/** Lets a person choose, at any time after the test was sent. */
export async function chooseWinner(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  variant: number,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const campaign = await findCampaign(trx, caller, campaignId, 'locked');
    if (!campaign.variants) throw conflict('This campaign has no A/B test.');
    if (campaign.winner !== null) throw conflict('The winner of this A/B test has already been chosen.');
    if (!campaign.testSentAt) throw conflict('The A/B test of this campaign has not been sent yet.');
    if (variant >= campaign.variants.length) {
      throw badRequest(`variant must be less than ${campaign.variants.length}.`);
    }
    await storeWinner(trx, campaign, variant);
  });
}

interface VariantCounts {
  variant: NonNullable<Row<'campaign_recipients'>['variant']>;
  recipients: number;
  sent: number;
  delivered: number;
  opened: number;
  clicked: number;
}

async function countByVariant(db: Db, { teamId, id }: Tested): Promise<VariantCounts[]> {
  const { rows } = await sql<VariantCounts>`
    select variant, sum(recipients)::int8 as recipients, sum(sent)::int8 as sent, sum(delivered)::int8 as delivered,
      sum(opened)::int8 as opened, sum(clicked)::int8 as clicked
    from (
      select l.variant, 1 as recipients, (l.state = 'delivered' or ${sql.raw(FIRST_TRIED_AT)} is not null)::integer as sent,
        (l.state = 'delivered' or coalesce(e.status in ('DELIVERED', 'COMPLAINED', 'OPENED', 'CLICKED'), false))::integer
          as delivered,
        (e.opened_at is not null)::integer as opened, (e.clicked_at is not null)::integer as clicked
      from campaign_recipients l
      left join emails e on l.state = 'released' and e.team_id = l.team_id and e.id = l.email_id
      where l.team_id = ${teamId} and l.campaign_id = ${id} and l.variant is not null
      union all
      select b.variant, 1, 0, 0, 0, 0 from campaign_batches b cross join unnest(b.address_keys) as key
      where b.team_id = ${teamId} and b.campaign_id = ${id} and b.variant is not null and not exists (
        select from campaign_recipients r
        where r.team_id = ${teamId} and r.campaign_id = ${id} and r.address_key = key
      )
    ) each
    group by variant order by variant
  `.execute(db);
  return rows;
}

function rate(counts: VariantCounts, kind: 'opened' | 'clicked'): number {
  return counts[kind] / Math.max(counts.sent, 1);
}

/** The highest rate wins. If rates are equal, the other rate decides, and then the order of the variants. */
function findBest(counts: VariantCounts[], decideBy: CampaignRow['decideBy']): number {
  const [first, second] =
    decideBy === 'clicks' ? (['clicked', 'opened'] as const) : (['opened', 'clicked'] as const);
  // The sort is stable, so equal variants keep their order.
  const [best] = counts.toSorted(
    (a, b) => rate(b, first) - rate(a, first) || rate(b, second) - rate(a, second),
  );
  return best?.variant ?? 0;
}

export async function readVariantResults(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
): Promise<VariantResults> {
  const campaign = await findCampaign(db, caller, campaignId);
  const counts = campaign.variants ? await countByVariant(db, campaign) : [];
  const none = { recipients: 0, sent: 0, delivered: 0, opened: 0, clicked: 0 };
  return {
    variants: (campaign.variants ?? []).map((_variant, variant) => ({
      ...(counts.find((one) => one.variant === variant) ?? none),
      variant,
      subject: withVariant(campaign, variant).subject,
    })),
    winner: campaign.winner,
    testSentAt: campaign.testSentAt?.toISOString() ?? null,
    decideAt: awaitsWinner(campaign) ? (decisionTime(campaign)?.toISOString() ?? null) : null,
  };
}
