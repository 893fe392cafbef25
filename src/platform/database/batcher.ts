/**
 * Combines many small concurrent calls into few statements. While statements of the same key are running, new calls
 * wait and then share the next statement. A single call runs immediately. No timer is involved, so batching adds no
 * delay, and a statement that costs as much for ten rows as for one runs for ten.
 */
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { isTransaction, type Db } from './database.ts';
import { isAboutData } from './database-errors.ts';

interface BatchOptions<Item, Result> {
  /** Calls with the same key may share a statement. */
  keyOf(item: Item): string;
  /** Items with the same name must not share a statement; the later one waits for the next statement. */
  nameOf?(item: Item): string;
  /** Returns the size in bytes, if items may be large. A statement takes about a megabyte, or one larger item. */
  sizeOf?(item: Item): number;
  /**
   * How many statements of one key may run concurrently. The default is 2; with 1 there are fewer and larger
   * statements.
   */
  atOnce?: number;
  /**
   * Must return the results in the order of the items, and must be atomic: after a failure each item is tried alone.
   */
  work(db: Db, items: [Item, ...Item[]]): Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Lane<Item, Result> {
  underWay: number;
  waiting: Waiting<Item, Result>[];
}

/** With two, the next statement runs while the previous one is being committed. */
const STATEMENTS_AT_ONCE = 2;
const MOST_ITEMS = 100;
const MOST_BYTES = 1024 * 1024;

export function createBatcher<Item, Result>(
  options: BatchOptions<Item, Result>,
): (db: Db, item: Item) => Promise<Result> {
  const lanesOf = new WeakMap<Db, Map<string, Lane<Item, Result>>>();

  async function run(db: Db, batch: Waiting<Item, Result>[]): Promise<void> {
    const items = batch.map(({ item }) => item) as [Item, ...Item[]];
    try {
      const results = await options.work(db, items);
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!);
    } catch (error) {
      // Invalid data of one item must not fail the others. If the database is unreachable, all fail.
      if (batch.length > 1 && isAboutData(error)) for (const one of batch) await run(db, [one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function drive(db: Db, lanes: Map<string, Lane<Item, Result>>, key: string): Promise<void> {
    const lane = lanes.get(key)!;
    lane.underWay += 1;
    try {
      // Calls of the same turn of the event loop go into the same statement.
      await nextEventLoopTurn();
      while (lane.waiting.length > 0) await run(db, takeBatch(options, lane));
    } catch (error) {
      // Reject the waiting calls here, because no later step settles them.
      for (const { reject } of lane.waiting.splice(0)) reject(error);
    }
    lane.underWay -= 1;
    if (lane.underWay === 0) lanes.delete(key);
  }

  return async (db, item) => {
    // A call inside a transaction must see its changes and be rolled back with it.
    if (isTransaction(db)) return (await options.work(db, [item]))[0]!;
    let lanes = lanesOf.get(db);
    if (!lanes) lanesOf.set(db, (lanes = new Map()));
    const key = options.keyOf(item);
    let lane = lanes.get(key);
    if (!lane) lanes.set(key, (lane = { underWay: 0, waiting: [] }));
    const { waiting, underWay } = lane;
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay < (options.atOnce ?? STATEMENTS_AT_ONCE)) void drive(db, lanes, key);
    });
  };
}

/** Removes as many items from the front as may share a statement. */
function takeBatch<Item, Result>(
  { nameOf, sizeOf }: BatchOptions<Item, Result>,
  lane: Lane<Item, Result>,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const one of lane.waiting) {
    const name = nameOf?.(one.item);
    bytes += sizeOf?.(one.item) ?? 0;
    const isFull = batch.length === MOST_ITEMS || bytes > MOST_BYTES;
    if (batch.length > 0 && (isFull || (name !== undefined && names.has(name)))) break;
    if (name !== undefined) names.add(name);
    batch.push(one);
  }
  lane.waiting.splice(0, batch.length);
  return batch;
}
