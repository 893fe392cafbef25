/**
 * Limits how many messages are sent to a destination per minute, over all processes (DESTINATION_RATES). A process asks
 * the database for a grant: the messages of about a second, which no other process can get for that second. The process
 * counts the grant down in memory, so most messages need no statement. A grant that is not used within GRANT_MS
 * expires, so unused grants cannot add up to a burst.
 *
 * Without a grant, the destination is unavailable: its mail is not claimed, and claimed deliveries return to the queue
 * without an attempt. While the database is unavailable, nothing is sent.
 */
import { statement, type Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Transport } from './transport.ts';

/** Messages per minute by recipient domain. `default` is for all others. */
type DestinationRates = Record<string, number>;

const GRANT_MS = 2_000;
const LONGEST_WAIT_MS = 1_000;
const MAX_DESTINATIONS = 10_000;

interface Budget {
  left: number;
  voidAtMs: number;
  /** When to ask again. */
  askAtMs: number;
  asking: Promise<void> | null;
}

/** Adds the limits to a transport. Without limits, returns the transport itself. */
export function limitRates(
  transport: Transport,
  rates: DestinationRates,
  { db, log }: { db: Db; log: Log },
): Transport {
  if (Object.keys(rates).length === 0) return transport;
  const budgets = new Map<string, Budget>();
  const rateOf = (domain: string) => (Object.hasOwn(rates, domain) ? rates[domain] : rates.default);

  function budgetOf(domain: string): Budget {
    let budget = budgets.get(domain);
    if (!budget) {
      if (budgets.size >= MAX_DESTINATIONS) dropUnused(budgets);
      budgets.set(domain, (budget = { left: 0, voidAtMs: 0, askAtMs: 0, asking: null }));
    }
    return budget;
  }

  async function ask(domain: string, budget: Budget, rate: number): Promise<void> {
    try {
      const { granted, waitMs } = await requestGrant(db, domain, rate);
      const now = performance.now();
      if (granted > 0) Object.assign(budget, { left: granted, voidAtMs: now + GRANT_MS });
      budget.askAtMs = now + Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs));
    } catch (error) {
      budget.askAtMs = performance.now() + LONGEST_WAIT_MS;
      log.warn({ err: error }, 'delivery worker: rates of destinations cannot be updated');
    } finally {
      budget.asking = null;
    }
  }

  /** Takes one message from the grant, and asks for another grant when it is used up. */
  async function take(domain: string): Promise<boolean> {
    const rate = rateOf(domain);
    if (rate === undefined) return true;
    const budget = budgetOf(domain);
    if (!hasLeft(budget) && performance.now() >= budget.askAtMs)
      await (budget.asking ??= ask(domain, budget, rate));
    if (!hasLeft(budget)) return false;
    budget.left--;
    return true;
  }

  /** When it is time to ask again, the destination counts as available, and its next message asks. */
  function listUsedUp(): string[] {
    const now = performance.now();
    const usedUp: string[] = [];
    for (const [domain, budget] of budgets) {
      if (hasLeft(budget) || budget.asking) continue;
      if (now >= budget.askAtMs) budgets.delete(domain);
      else usedUp.push(domain);
    }
    return usedUp;
  }

  return {
    ...transport,
    unavailableTo(mail) {
      const unavailable = transport.unavailableTo(mail);
      return unavailable === 'all' ? 'all' : [...unavailable, ...listUsedUp()];
    },
    takenElsewhere: (mail) => [...(transport.takenElsewhere?.(mail) ?? []), ...listUsedUp()],
    reserve: take,
  };
}

function hasLeft({ left, voidAtMs }: Budget): boolean {
  return left > 0 && performance.now() < voidAtMs;
}

function dropUnused(budgets: Map<string, Budget>): void {
  for (const [domain, budget] of budgets) if (!budget.asking && !hasLeft(budget)) budgets.delete(domain);
}

/** A grant covers the time that its messages take at this rate. No process gets another grant within that time. */
async function requestGrant(
  db: Db,
  destination: string,
  perMinute: number,
): Promise<{ granted: number; waitMs: number }> {
  const count = Math.max(1, Math.floor(perMinute / 60));
  const seconds = (count * 60) / perMinute;
  const rows = await statement<{ granted: number; waitMs: number }>(db)`
    with granted as (
      insert into destination_rates as r (destination, next_at)
      values (${destination}, clock_timestamp() + make_interval(secs => ${seconds}))
      on conflict (destination) do update set next_at = clock_timestamp() + make_interval(secs => ${seconds})
        where r.next_at <= clock_timestamp()
      returning next_at
    )
    select case when g.next_at is null then 0 else ${count}::integer end as granted,
      (extract(epoch from coalesce(g.next_at, r.next_at) - clock_timestamp()) * 1000)::float8 as "waitMs"
    from (select) as one
    left join granted g on true
    left join destination_rates r on r.destination = ${destination}`;
  const { granted, waitMs } = rows[0]!;
  return { granted, waitMs: waitMs ?? 0 };
}
