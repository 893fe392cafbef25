/** Selects the deliveries of the queue that a list or an action covers. */
import { sql, type RawBuilder } from 'kysely';
import { VARYING } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { decodeDeliveryId } from './delivery-id.ts';

export interface QueueSelection {
  /** Null selects across teams, which only the operator's commands may do. */
  teamId: number | null;
  /** IDs of deliveries, or of emails for all their deliveries. */
  ids?: string[] | undefined;
  /** The domain of the recipient. */
  domain?: string | undefined;
  campaignId?: string | undefined;
  held?: boolean | undefined;
}

/** True for a delivery that is not tried until it is released. */
export const IS_HELD = sql<boolean>`d.due_at = 'infinity'`;

/** Returns a condition on `deliveries d`. An ID that cannot be decoded selects nothing. */
export function conditionOf({ teamId, ids, domain, campaignId, held }: QueueSelection): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [sql`true ${sql.raw(VARYING)}`];
  if (teamId !== null) conditions.push(sql`d.team_id = ${teamId}`);
  if (ids) conditions.push(hasId(ids));
  if (domain !== undefined) conditions.push(sql`d.recipient_domain = ${domain.trim().toLowerCase()}`);
  if (campaignId !== undefined) conditions.push(sql`d.campaign_id = ${decodeId('cmp', campaignId)}::uuid`);
  if (held !== undefined) conditions.push(held ? IS_HELD : sql`not ${IS_HELD}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function hasId(ids: string[]): RawBuilder<unknown> {
  const keys = ids.map(decodeDeliveryId).filter((key) => key !== null);
  const emailIds = keys.map(({ emailId }) => emailId);
  return sql`d.email_id = any(${emailIds}::uuid[]) and exists (
    select from unnest(${emailIds}::uuid[], ${keys.map(({ recipientNo }) => recipientNo)}::smallint[]) as k (email_id, no)
    where k.email_id = d.email_id and (k.no is null or k.no = d.recipient_no)
  )`;
}
