/**
 * The condition that a contact was sent a campaign, opened it, or clicked a link in it. It looks in the ledger of the
 * campaign by address, so it finds the person in every book. Only opens and clicks by people count.
 */
import { sql, type RawBuilder } from 'kysely';
import { referencedKey } from './filter-references.ts';
import type { SegmentCondition } from './segment-filter.ts';

type Condition = RawBuilder<boolean>;

/** A person who was not sent the campaign matches notSent, but neither notOpened nor notClicked. */
export function campaignCondition(
  teamId: number,
  { op, value, url }: SegmentCondition,
  emailKey: RawBuilder<unknown>,
  reads: 'all' | 'chunk',
): Condition {
  const campaign = referencedKey('cmp', value);
  /**
   * `mail` restricts the email `e` that was sent. `offset 0` makes PostgreSQL look each contact up in the index. Without
   * it, each chunk of an audience could read all recipients of the campaign first, which is quicker only for a statement
   * that reads all contacts.
   */
  const wasSent = (mail?: RawBuilder<unknown>): Condition => sql<boolean>`(exists (
    select 1 from campaign_recipients r
    ${mail ? sql`join emails e on e.team_id = ${teamId} and e.id = r.email_id and ${mail}` : sql``}
    where r.team_id = ${teamId} and r.campaign_id = ${campaign}::uuid and r.address_key = ${emailKey}
      and r.state = 'released'
    ${reads === 'chunk' ? sql`offset 0` : sql``}
  ))`;
  const opened = sql`e.opened_at is not null`;
  const clicked = url === undefined ? sql`e.clicked_at is not null` : clickedLink(teamId, campaign, url);
  switch (op) {
    case 'sent':
      return wasSent();
    case 'notSent':
      return not(wasSent());
    case 'opened':
      return wasSent(opened);
    case 'notOpened':
      return sql<boolean>`(${wasSent()} and ${not(wasSent(opened))})`;
    case 'clicked':
      return wasSent(clicked);
    default:
      return sql<boolean>`(${wasSent()} and ${not(wasSent(clicked))})`;
  }
}

function clickedLink(teamId: number, campaign: string | null, url: string): RawBuilder<unknown> {
  return sql`e.clicked_at is not null and exists (
    select 1 from campaign_clicks h where h.team_id = ${teamId} and h.campaign_id = ${campaign}::uuid
      and h.url_hash = sha256(convert_to(${url}::text, 'UTF8')) and h.email_id = e.id
  )`;
}

function not(condition: Condition): Condition {
  return sql<boolean>`(not ${condition})`;
}
