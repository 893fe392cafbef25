/**
 * Compares two loads. The speed of a machine varies, so both run within the same minute in short alternating rounds,
 * and the result is the ratio of the two loads in each round.
 */
import { openLoad, type Load, type OpenLoad } from './load.ts';

export interface Comparison {
  connections: number;
  /** How many units of the row one request counts for. Default 1. */
  amount?: number;
  rounds?: number;
  roundMs?: number;
  /** 0 for no warm-up. */
  warmUpMs?: number;
}

export interface Measured {
  ours: number;
  limit: number;
  ratio: number;
  /** Half of the rounds had a ratio between these two. If they are far apart, the machine was busy. */
  spread: [number, number];
  /** The median and the 99th percentile of our requests, if there were requests. */
  latencyMs?: { p50: number; p99: number };
}

const ROUNDS = 9;
const ROUND_MS = 400;
/** Warms up the JIT compiler, the caches and the connections of both sides. Not measured. */
const WARM_UP_MS = 1_500;

export async function compare(ours: Load, limit: Load, comparison: Comparison): Promise<Measured> {
  const our = await openLoad(ours, comparison.connections);
  const their = await openLoad(limit, comparison.connections);
  return compareOpen(our, their, comparison);
}

/** Compares loads of any kind and closes both. */
export async function compareOpen(
  our: OpenLoad,
  their: OpenLoad,
  comparison: Omit<Comparison, 'connections'>,
): Promise<Measured> {
  const { amount = 1, rounds = ROUNDS, roundMs = ROUND_MS, warmUpMs = WARM_UP_MS } = comparison;
  try {
    if (warmUpMs > 0) for (const load of [our, their]) await load.run(warmUpMs);

    our.latenciesMs.length = 0;
    const results: Pick<Measured, 'ours' | 'limit' | 'ratio'>[] = [];
    for (let round = 0; round < rounds; round++) {
      const rates = new Map<OpenLoad, number>();
      // The order alternates, so that neither load always runs after the other.
      const turns = round % 2 === 0 ? [our, their] : [their, our];
      for (const load of turns) rates.set(load, amount * (await load.run(roundMs)));
      const [ourRate, theirRate] = [rates.get(our)!, rates.get(their)!];
      results.push({ ours: ourRate, limit: theirRate, ratio: ourRate / theirRate });
    }
    const ratios = results.map((result) => result.ratio);
    return {
      ours: quantile(
        results.map((result) => result.ours),
        0.5,
      ),
      limit: quantile(
        results.map((result) => result.limit),
        0.5,
      ),
      ratio: quantile(ratios, 0.5),
      spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      latencyMs: { p50: quantile(our.latenciesMs, 0.5), p99: quantile(our.latenciesMs, 0.99) },
    };
  } finally {
    our.close();
    their.close();
  }
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place % 1);
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}
