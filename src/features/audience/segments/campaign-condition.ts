/**
 * The condition that a contact was sent a campaign, opened it, or clicked a link in it. It looks in the ledger of the
 * campaign by address, so it finds the person in every book. Only opens and clicks by people count, and a click is also
 * an open. The words mean the same as in the report of the campaign: it is sent to an address with the first attempt, and
 * the base of opens and clicks is the delivered email.
 */
import { sql, type RawBuilder } from 'kysely';
import { FIRST_TRIED_AT } from '../../sending/counters/count-columns.ts';
import { referencedKey } from './filter-references.ts';
import type { SegmentCondition } from './segment-filter.ts';

type Condition = RawBuilder<boolean>;

export function campaignCondition(
  teamId: number,
  { op, value, url }: SegmentCondition,
  emailKey: RawBuilder<unknown>,
  reads: 'all' | 'chunk',
): Condition {
  return ledgerCondition({ teamId, campaign: referencedKey('cmp', value), op, url }, emailKey, reads);
}

interface CampaignResult {
  teamId: number;
  /** The key of the campaign, not its public ID. */
  campaign: string;
  op: SegmentCondition['op'];
  url?: string | undefined;
}

/**
 * A person to whom the campaign was not delivered matches neither notOpened nor notClicked. An email that is only in the
 * ledger was delivered and neither opened nor clicked (`inLedger`).
 */
export function ledgerCondition(
  { teamId, campaign, op, url }: CampaignResult,
  emailKey: RawBuilder<unknown>,
  reads: 'all' | 'chunk',
): Condition {
  /**
   * `offset 0` makes PostgreSQL look each contact up in the index. Without it, each chunk of an audience could read all
   * recipients of the campaign first, which is quicker only for a statement that reads all contacts.
   */
  const wasSent = (
    mail: RawBuilder<unknown> = sql`true`,
    inLedger = true,
  ): Condition => sql<boolean>`(exists (
    select 1 from campaign_recipients r
    left join emails e on e.team_id = ${teamId} and e.id = r.email_id
    where r.team_id = ${teamId} and r.campaign_id = ${campaign}::uuid and r.address_key = ${emailKey}
      and case r.state when 'delivered' then ${inLedger} when 'released' then ${TRIED_AT} is not null and ${mail} end
    ${reads === 'chunk' ? sql`offset 0` : sql``}
  ))`;
  const opened = sql`e.opened_at is not null`;
  const clicked = url === undefined ? sql`e.clicked_at is not null` : clickedLink(teamId, campaign, url);
  switch (op) {
    case 'sent':
      return wasSent();
    case 'notSent':
      return sql<boolean>`(not ${wasSent()})`;
    case 'opened':
      return wasSent(opened, false);
    case 'notOpened':
      return wasSent(sql`${WAS_DELIVERED} and not (${opened})`);
    case 'clicked':
      return wasSent(clicked, false);
    default:
      return wasSent(sql`${WAS_DELIVERED} and not (${clicked})`);
  }
}

const TRIED_AT = sql.raw(FIRST_TRIED_AT);

/** The contact is recipient 0 of the email `e`. A complaint is about an email that was delivered. */
const WAS_DELIVERED = sql`exists (
  select 1 from email_recipients d where d.team_id = e.team_id and d.email_id = e.id and d.no = 0
    and d.status in ('DELIVERED', 'COMPLAINED')
)`;

function clickedLink(teamId: number, campaign: string, url: string): RawBuilder<unknown> {
  return sql`e.clicked_at is not null and exists (
    select 1 from campaign_clicks h where h.team_id = ${teamId} and h.campaign_id = ${campaign}::uuid
      and h.url_hash = sha256(convert_to(${url}::text, 'UTF8')) and h.email_id = e.id
  )`;
}
