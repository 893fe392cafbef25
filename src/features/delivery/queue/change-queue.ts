/**
 * Retries, holds, releases and drops deliveries, one batch at a time. A batch is one transaction that goes through the
 * selected deliveries in the order of their keys, starting after a key, so that no delivery is changed twice.
 *
 * A delivery that a worker has claimed is not changed and counts as busy. The batch locks deliveries with SKIP LOCKED
 * and then checks that they are not claimed; a claim does the same in reverse, so exactly one of them wins.
 *
 * A held delivery is due at 'infinity'. No claim finds it, and it stays at the end of the index that claims read.
 */
import { sql, type RawBuilder } from 'kysely';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import { DELIVERIES_DUE, keysOf, type ClaimedDelivery, type DeliveryKey } from '../claim.ts';
import { recordOutcomes } from '../outcomes.ts';
import { conditionOf, IS_HELD, type QueueSelection } from './selection.ts';

export type QueueAction = 'retry' | 'hold' | 'release' | 'drop';

/** Recording an outcome costs ten times as much as changing a time, and its locks delay the workers. */
const BATCH_SIZE: Record<QueueAction, number> = { retry: 1_000, hold: 1_000, release: 1_000, drop: 200 };

/** The deliveries that an action changes. The others in a selection are already in the wanted state. */
const APPLIES_TO: Record<QueueAction, RawBuilder<boolean>> = {
  retry: sql`d.due_at > now() and not ${IS_HELD}`,
  hold: sql`not ${IS_HELD}`,
  release: IS_HELD,
  drop: sql`true`,
};

export interface QueueBatch {
  changed: number;
  /** Deliveries that were not changed because a worker is sending them. */
  busy: number;
  /** Where the next batch starts; null after the last one. */
  next: DeliveryKey | null;
}

type FoundDelivery = Omit<ClaimedDelivery, 'raw' | 'isLone'>;

/** `by` names the person, key or command in the events of dropped deliveries. */
export async function changeQueue(
  db: Db,
  action: QueueAction,
  selection: QueueSelection,
  { after, by }: { after: DeliveryKey | null; by: string },
): Promise<QueueBatch> {
  return inTransaction(db, async (trx) => {
    const condition = sql`${conditionOf(selection)} and ${APPLIES_TO[action]}`;
    const start = after ? startAfter(after, selection) : sql``;
    const found = await findBatch(trx, sql`${condition} ${start}`, BATCH_SIZE[action]);
    const locked = await lock(trx, found, condition);
    if (locked.length > 0) {
      if (action === 'drop') await drop(trx, locked, by);
      else await setDueAt(trx, locked, action === 'hold' ? sql`'infinity'` : sql`now()`);
    }
    return {
      changed: locked.length,
      busy: found.length - locked.length,
      next: found.length === BATCH_SIZE[action] ? found.at(-1)! : null,
    };
  });
}

/**
 * Within a team the key is compared without the team, because PostgreSQL would otherwise read the index from its first
 * row.
 */
function startAfter(
  { teamId, emailId, recipientNo }: DeliveryKey,
  selection: QueueSelection,
): RawBuilder<unknown> {
  const rest = sql`${emailId}::uuid, ${recipientNo}::smallint`;
  if (selection.teamId !== null) return sql`and (d.email_id, d.recipient_no) > (${rest})`;
  return sql`and (d.team_id, d.email_id, d.recipient_no) > (${teamId}::integer, ${rest})`;
}

async function findBatch(trx: Db, condition: RawBuilder<unknown>, limit: number): Promise<DeliveryKey[]> {
  const { rows } = await sql<DeliveryKey>`
    select d.team_id as "teamId", d.email_id as "emailId", d.recipient_no as "recipientNo" from deliveries d
    where ${condition} order by d.team_id, d.email_id, d.recipient_no limit ${limit}
  `.execute(trx);
  return rows;
}

/** After the lock, PostgreSQL checks the conditions again on the latest version of each row. */
async function lock(
  trx: Db,
  deliveries: DeliveryKey[],
  condition: RawBuilder<unknown>,
): Promise<FoundDelivery[]> {
  const { rows } = await sql<FoundDelivery>`
    select d.team_id as "teamId", d.email_id as "emailId", d.recipient_no as "recipientNo", d.recipient,
      d.recipient_domain as "recipientDomain", d.domain_id as "domainId", d.priority, d.campaign_id as "campaignId",
      d.attempts, d.first_tried_at as "firstTriedAt"
    from ${keysOf(deliveries)}
    join deliveries d on d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = k.no
    where d.leased_by is null and ${condition}
    order by d.team_id, d.email_id, d.recipient_no for update of d skip locked
  `.execute(trx);
  return rows;
}

async function setDueAt(trx: Db, deliveries: DeliveryKey[], dueAt: RawBuilder<unknown>): Promise<void> {
  await sql`
    update deliveries d set due_at = ${dueAt}
    from ${keysOf(deliveries)}
    where d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = k.no
  `.execute(trx);
}

async function drop(trx: Db, deliveries: FoundDelivery[], by: string): Promise<void> {
  const at = await databaseNow(trx);
  const attempt = { outcome: 'dropped' as const, reply: null, reason: `Dropped from the queue (${by}).` };
  await recordOutcomes(
    trx,
    // `isLone` false makes the recorder lock the emails, whose other recipients may be finished at the same time.
    deliveries.map((delivery) => ({ delivery: { ...delivery, raw: null, isLone: false }, attempt, at })),
  );
}

/** Wakes the delivery workers of all processes. Commands use this, because they end before a delayed hint is sent. */
export async function wakeDeliveryWorkersNow(db: Db): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_DUE}, '')`.execute(db);
}
