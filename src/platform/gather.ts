/**
 * Many small requests at once, as few statements: a call that comes while others like it are with the database waits
 * for one of them to come back, and then goes together with all that came meanwhile. A lone call goes at once, by
 * itself. Nothing waits for a clock, and a statement that costs as much for ten rows as for one is run for ten.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTransaction, type Db } from './database.ts';
import { isAboutData } from './database-errors.ts';

interface Gathering<Item, Result> {
  /** Calls with the same key may go together. */
  keyOf(item: Item): string;
  /** Two items with the same name must not go in the same statement; the later one waits for the next. */
  nameOf?(item: Item): string;
  /** In bytes, where items may be large: a statement takes about a megabyte, or one item. */
  sizeOf?(item: Item): number;
  /** How many statements of one key are under way at once, where not two: one makes fewer and larger ones. */
  atOnce?: number;
  /** The results in the order of the items. All or nothing: after a failure each is tried by itself. */
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

/** While one is being committed, the next is under way. */
const STATEMENTS_AT_ONCE = 2;
const MOST_ITEMS = 100;
const MOST_BYTES = 1024 * 1024;

export function createGatherer<Item, Result>(
  gathering: Gathering<Item, Result>,
): (db: Db, item: Item) => Promise<Result> {
  const lanesOf = new WeakMap<Db, Map<string, Lane<Item, Result>>>();

  async function run(db: Db, batch: Waiting<Item, Result>[]): Promise<void> {
    const items = batch.map(({ item }) => item) as [Item, ...Item[]];
    try {
      const results = await gathering.work(db, items);
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!);
    } catch (error) {
      // What is wrong with one of them must not fail the others; without a database all fail.
      if (batch.length > 1 && isAboutData(error)) for (const one of batch) await run(db, [one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function drive(db: Db, lanes: Map<string, Lane<Item, Result>>, key: string): Promise<void> {
    const lane = lanes.get(key)!;
    lane.underWay += 1;
    try {
      // What arrives in the same turn goes along.
      await nextTurn();
      while (lane.waiting.length > 0) await run(db, takeBatch(gathering, lane));
    } catch (error) {
      // Nobody else would come for those that wait.
      for (const { reject } of lane.waiting.splice(0)) reject(error);
    }
    lane.underWay -= 1;
    if (lane.underWay === 0) lanes.delete(key);
  }

  return async (db, item) => {
    // In a transaction of its own a call must see what that has done, and be undone with it.
    if (isTransaction(db)) return (await gathering.work(db, [item]))[0]!;
    let lanes = lanesOf.get(db);
    if (!lanes) lanesOf.set(db, (lanes = new Map()));
    const key = gathering.keyOf(item);
    let lane = lanes.get(key);
    if (!lane) lanes.set(key, (lane = { underWay: 0, waiting: [] }));
    const { waiting, underWay } = lane;
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay < (gathering.atOnce ?? STATEMENTS_AT_ONCE)) void drive(db, lanes, key);
    });
  };
}

/** From the front, as many as may go together. */
function takeBatch<Item, Result>(
  { nameOf, sizeOf }: Gathering<Item, Result>,
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
