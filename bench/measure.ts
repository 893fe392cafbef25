/**
 * Two loads held against each other. The machine is never quiet and never twice the same, so both run in the same
 * minute, in short rounds that take turns, and what counts is the ratio of the two neighbours in each round.
 */
import { openLoad, type Load, type OpenLoad } from './load.ts';

export interface Comparison {
  connections: number;
  /** What one request is worth, in the unit of the row. Default 1. */
  amount?: number;
  rounds?: number;
  roundMs?: number;
  /** 0 for none at all. */
  warmUpMs?: number;
}

export interface Measured {
  ours: number;
  limit: number;
  ratio: number;
  /** Half of the rounds had a ratio between these two: far apart, the machine was busy with something else. */
  spread: [number, number];
  /** Of one request of ours, where requests were made: the median, and what 99 of 100 do not pass. */
  latencyMs?: { p50: number; p99: number };
}

const ROUNDS = 9;
const ROUND_MS = 400;
/** For the compiler, the caches and the connections on both sides; not counted. */
const WARM_UP_MS = 1_500;

export async function compare(ours: Load, limit: Load, comparison: Comparison): Promise<Measured> {
  const our = await openLoad(ours, comparison.connections);
  const their = await openLoad(limit, comparison.connections);
  return compareOpen(our, their, comparison);
}

/** Of loads of any kind; closes both. */
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
      // Each goes first in every other round: neither always finds what the other left behind.
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
