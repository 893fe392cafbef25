/**
 * Keeps claims fast when many deliveries cannot be sent now. A claim reads due deliveries in order and skips those
 * whose destination is full or backing off. If hundreds of thousands of them came first, each claim would read all of
 * them. So most of them are set aside, which takes them out of the index that claims read.
 * - The first KEPT deliveries of a destination stay in the queue, so that it never runs out of mail.
 * - Deliveries that were set aside are taken back in their order while the destination accepts mail.
 * - Any process may do either. A row in `crowded_destinations` means that deliveries of the destination are set aside.
 *   Both operations lock the row, so no delivery is forgotten.
 */
import { sql } from 'kysely';
import { Fragment, inTransaction, statement, type Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Row } from '../../platform/database/rows.ts';
import { NOT_CLOSED } from '../instance/closed-teams.ts';
import { NOT_HELD, type ClaimFrom } from './claim.ts';

/** The number of deliveries at the front of the queue to examine. Later ones do not slow claims down. */
const FRONT = 5_000;
/** Deliveries are set aside only when there are more than MOST, so that taking some back does not trigger it again. */
const MOST = 1_500;
const KEPT = 500;
const TAKEN_BACK = 500;
const MOST_DESTINATIONS = 1_000;
/** A claim that takes longer has probably skipped many deliveries. */
const SLOW_CLAIM_MS = 20;
const EVERY_MS = 1_000;
const LOOK_EVERY_MS = 5_000;

const FRONT_OF_QUEUE = new Fragment(`
  select team_id, email_id, recipient_no, recipient_domain, priority, due_at from deliveries
  where due_at <= now() and priority <= 2 and ${NOT_HELD.text}
  order by priority, due_at limit ${FRONT}`);

type Unavailable = Pick<ClaimFrom, 'except' | 'exceptForUrgent'>;

export interface CrowdedDestinations {
  /** Call this after each claim with the destinations that it had to skip. The work is done in the background. */
  update(unavailable: Unavailable, claimMs: number): void;
  /** Returns how soon `update` should be called again. */
  againInMs(): number;
  close(): Promise<void>;
}

export function createCrowdedDestinations(db: Db, log: Log): CrowdedDestinations {
  let crowded: string[] = [];
  let nextAtMs = 0;
  let lookAtMs = 0;
  let working: Promise<void> | null = null;

  async function work(unavailable: Unavailable, isWalking: boolean): Promise<void> {
    try {
      if (isWalking && (await setAside(db, unavailable)) > 0) nextAtMs = lookAtMs = 0;
      crowded = await listCrowded(db);
      if (crowded.length > 0) await takeBack(db, crowded, unavailable.except);
    } catch (error) {
      log.warn({ err: error }, 'delivery worker: crowded destinations cannot be updated');
    } finally {
      working = null;
    }
  }

  return {
    update(unavailable, claimMs) {
      const now = performance.now();
      const isWalking = unavailable.except.length > 0 && (claimMs > SLOW_CLAIM_MS || now >= lookAtMs);
      if (working || now < nextAtMs || (!isWalking && crowded.length === 0 && now < lookAtMs)) return;
      nextAtMs = now + EVERY_MS;
      if (isWalking || crowded.length === 0) lookAtMs = now + LOOK_EVERY_MS;
      working = work(unavailable, isWalking);
    },
    close: async () => void (await working),
    againInMs: () => (crowded.length > 0 ? EVERY_MS : Infinity),
  };
}

/** Sets aside the deliveries at the front of the queue, except the first ones of each destination. */
async function setAside(db: Db, { except, exceptForUrgent }: Unavailable): Promise<number> {
  const rows = await statement<{ count: number }>(db)`
    with front as materialized (${FRONT_OF_QUEUE}), waiting as (
      select *, row_number() over (partition by recipient_domain order by priority, due_at) as place,
        count(*) over (partition by recipient_domain) as of_all
      from front
      where recipient_domain = any(${except}::text[])
        and (priority > 0 or recipient_domain = any(${exceptForUrgent}::text[]))
    ), locked as materialized (
      select d.team_id, d.email_id, d.recipient_no, d.recipient_domain from deliveries d
      join waiting w using (team_id, email_id, recipient_no)
      where w.of_all > ${MOST} and w.place > ${KEPT} and d.due_at <= now() and not d.set_aside
      for update of d skip locked
    ), noted as (
      insert into crowded_destinations (destination)
      select distinct recipient_domain from locked order by recipient_domain
      on conflict (destination) do update set destination = excluded.destination
    ), changed as (
      update deliveries d set set_aside = true from locked l
      where d.team_id = l.team_id and d.email_id = l.email_id and d.recipient_no = l.recipient_no
      returning 1
    )
    select count(*) from changed`;
  return rows[0]!.count;
}

async function listCrowded(db: Db): Promise<string[]> {
  const rows = await statement<Row<'crowded_destinations', 'destination'>>(db)`
    select destination from crowded_destinations limit ${MOST_DESTINATIONS}`;
  return rows.map(({ destination }) => destination);
}

async function takeBack(db: Db, crowded: string[], unavailable: string[]): Promise<void> {
  const rows = await statement<{ destination: Row<'deliveries'>['recipient_domain']; count: number }>(db)`
    select recipient_domain as destination, count(*) from (${FRONT_OF_QUEUE}) front
    where recipient_domain = any(${crowded}::text[]) group by recipient_domain`;
  const atFront = new Map(rows.map(({ destination, count }) => [destination, count]));
  for (const destination of crowded) {
    const count = atFront.get(destination) ?? 0;
    if (count >= KEPT / 2 || unavailable.includes(destination)) continue;
    await inTransaction(db, (trx) =>
      takeBackFor(trx, destination, count === 0 ? 2 * TAKEN_BACK : TAKEN_BACK),
    );
  }
}

/** A separate statement deletes the row, because it must see all deliveries set aside before the row was locked. */
async function takeBackFor(trx: Db, destination: string, most: number): Promise<void> {
  const { rows } = await sql`
    select from crowded_destinations where destination = ${destination} for update skip locked
  `.execute(trx);
  if (rows.length === 0) return;
  const { numAffectedRows = 0n } = await sql`
    update deliveries set set_aside = false where ctid = any(array(
      select ctid from deliveries where set_aside and recipient_domain = ${destination} and ${sql.raw(NOT_CLOSED.text)}
      order by priority, due_at limit ${most} for update skip locked
    ))
  `.execute(trx);
  if (numAffectedRows > 0n) return;
  await sql`
    delete from crowded_destinations where destination = ${destination}
      and not exists (select from deliveries where set_aside and recipient_domain = ${destination})
  `.execute(trx);
}
