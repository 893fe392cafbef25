/** The browsers of a person that get notifications while webmail is closed. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { isPrivateHost } from '../../../platform/network/public-address.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Caller } from '../../api/caller.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import {
  MAX_SUBSCRIPTIONS,
  type PushSubscriptionInput,
  type PushSubscriptionItem,
} from './notifications.schema.ts';

type SubscriptionRow = Row<'push_subscriptions', 'id' | 'endpoint' | 'created_at'>;

/** Lists the newest first. */
export async function listSubscriptions(db: Db, caller: Caller): Promise<PushSubscriptionItem[]> {
  const { rows } = await sql<SubscriptionRow>`
    select id, endpoint, created_at from push_subscriptions
    where team_id = ${caller.teamId} and user_id = ${userKeyOf(caller)} order by id desc
  `.execute(db);
  return rows.map(present);
}

/** The same endpoint again gets the new keys. Of too many the oldest is dropped: browsers renew theirs by themselves. */
export async function addSubscription(
  db: Db,
  caller: Caller,
  facts: Pick<Facts, 'webhookAllowPrivate'>,
  { endpoint, keys }: PushSubscriptionInput,
): Promise<PushSubscriptionItem> {
  refuseUnsafe(facts, endpoint);
  const userId = userKeyOf(caller);
  return inTransaction(db, async (trx) => {
    await sql`
      select 1 from memberships where team_id = ${caller.teamId} and user_id = ${userId} for no key update
    `.execute(trx);
    const { rows } = await sql<SubscriptionRow>`
      insert into push_subscriptions (team_id, user_id, id, endpoint, public_key, auth_secret)
      values (${caller.teamId}, ${userId}, ${newUuid()}, ${endpoint}, ${keys.p256dh}, ${keys.auth})
      on conflict (team_id, user_id, md5(endpoint)) do update
        set public_key = excluded.public_key, auth_secret = excluded.auth_secret
      returning id, endpoint, created_at
    `.execute(trx);
    await sql`
      delete from push_subscriptions where team_id = ${caller.teamId} and id in (
        select id from push_subscriptions where team_id = ${caller.teamId} and user_id = ${userId}
        order by id desc offset ${MAX_SUBSCRIPTIONS})
    `.execute(trx);
    return present(rows[0]!);
  });
}

export async function removeSubscription(db: Db, caller: Caller, id: string): Promise<void> {
  const { rows } = await sql`
    delete from push_subscriptions
    where team_id = ${caller.teamId} and user_id = ${userKeyOf(caller)} and id = ${decodeId('psh', id)}
    returning 1
  `.execute(db);
  if (rows.length === 0) throw notFound('Push subscription');
}

/** The endpoint is called by this server, so it must not name one of our own network. The connection is checked too. */
function refuseUnsafe({ webhookAllowPrivate }: Pick<Facts, 'webhookAllowPrivate'>, endpoint: string): void {
  if (webhookAllowPrivate) return;
  const { protocol, hostname, username } = new URL(endpoint);
  if (protocol === 'https:' && username === '' && !isPrivateHost(hostname)) return;
  const message = 'must be a public https address';
  throw badRequest(`endpoint ${message}.`, [{ path: '/endpoint', message }]);
}

function present({ id, endpoint, created_at }: SubscriptionRow): PushSubscriptionItem {
  return { id: encodeId('psh', id), endpoint, created_at: created_at.toISOString() };
}
