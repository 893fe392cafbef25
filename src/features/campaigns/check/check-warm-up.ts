/** Tells how many days a campaign takes while the addresses that it is sent from are warmed up. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { membersOf, presentPools } from '../../sending/egress/choose-egress.ts';
import { nameDestination } from '../../sending/egress/large-destinations.ts';
import { findWarmUp, readLimit } from '../../sending/egress/warm-up-days.ts';
import { dayOfMessage } from '../../sending/egress/warm-up.ts';
import type { LoadedCampaign } from '../campaign-renderer.ts';
import type { CampaignFinding } from './check.schema.ts';

/** Providers are known by the domains of contacts here; when it sends, also by their mail servers. */
export async function checkWarmUp(
  db: Db,
  campaign: LoadedCampaign,
  recipients: number,
  { egresses }: Pick<Facts, 'egresses'>,
): Promise<{ days: number; findings: CampaignFinding[] }> {
  const members = membersOf(await findPool(db, campaign), egresses);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  let days = 1;
  let slowest = '';
  for (const { egress, weight } of recipients > 0 ? members : []) {
    const warmUp = await findWarmUp(db, egress);
    if (!warmUp) continue;
    for (const [provider, share] of await readShares(db, campaign)) {
      const { limit, sent, waiting } = await readLimit(db, egresses, { egress, provider }, warmUp);
      const room = Math.max(0, (limit.cap ?? 0) - sent);
      const last = waiting + Math.max(1, Math.round((recipients * share * weight) / total)) - 1;
      const needed = dayOfMessage(warmUp, { cap: limit.cap, room }, last) + 1;
      if (needed > days) {
        days = needed;
        slowest = egress;
      }
    }
  }
  if (days === 1) return { days, findings: [] };
  const message = `The warm-up of ${slowest} limits the mail of each day, so this campaign takes about ${days} days.`;
  return { days, findings: [{ code: 'warm_up', level: 'warning', message, places: [], variant: null }] };
}

async function findPool(db: Db, { teamId, domainId }: LoadedCampaign) {
  const { rows } = await sql<Row<'domains', 'pools'>>`
    select pools from domains where team_id = ${teamId} and id = ${domainId}
  `.execute(db);
  return presentPools(rows[0]?.pools ?? {}).campaign;
}

/** The share of each provider among the subscribed contacts of the books. */
async function readShares(db: Db, { teamId, contactBookIds }: LoadedCampaign): Promise<Map<string, number>> {
  const { rows } = await sql<{ domain: string; contacts: number }>`
    select split_part(email_key, '@', 2) as domain, count(*)::float8 as contacts from contacts
    where team_id = ${teamId} and contact_book_id = any(${contactBookIds}::uuid[]) and subscription = 'subscribed'
    group by 1
  `.execute(db);
  const total = rows.reduce((sum, { contacts }) => sum + contacts, 0);
  const shares = new Map<string, number>();
  for (const { domain, contacts } of rows) {
    const provider = nameDestination(domain, undefined);
    shares.set(provider, (shares.get(provider) ?? 0) + contacts / total);
  }
  return shares;
}
