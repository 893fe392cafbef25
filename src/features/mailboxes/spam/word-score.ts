/**
 * Whether the words of a message are those of spam, by the method of Robinson with Fisher's test: words that are as
 * frequent in both say nothing, and many words that say the same count as evidence.
 */

export interface Learned {
  /** The numbers of learned messages. */
  spam: number;
  ham: number;
}

export interface WordCount {
  spam: number;
  ham: number;
}

/** How strongly a rare word is drawn to the middle. */
const STRENGTH = 0.45;
const LEAST_DEVIATION = 0.1;
const MOST_WORDS = 60;
/** Fewer words that say something are no evidence. */
const LEAST_WORDS = 8;
const LEAST_LEARNED = 3;

/** From 0 (kept mail) to 1 (spam). Null if too little is known. */
export function spamProbability(learned: Learned, counts: readonly WordCount[]): number | null {
  if (Math.min(learned.spam, learned.ham) < LEAST_LEARNED) return null;
  const telling = counts
    .map((count) => probabilityOf(learned, count))
    .filter((probability) => Math.abs(probability - 0.5) > LEAST_DEVIATION)
    .toSorted((one, other) => Math.abs(other - 0.5) - Math.abs(one - 0.5))
    .slice(0, MOST_WORDS);
  if (telling.length < LEAST_WORDS) return null;
  const sum = (of: (probability: number) => number) =>
    -2 * telling.reduce((total, probability) => total + Math.log(of(probability)), 0);
  const spam =
    1 -
    chiSquareTail(
      sum((probability) => 1 - probability),
      telling.length,
    );
  const ham =
    1 -
    chiSquareTail(
      sum((probability) => probability),
      telling.length,
    );
  return (1 + spam - ham) / 2;
}

function probabilityOf(learned: Learned, { spam, ham }: WordCount): number {
  const [inSpam, inHam] = [Math.min(1, spam / learned.spam), Math.min(1, ham / learned.ham)];
  const count = spam + ham;
  if (count === 0 || inSpam + inHam === 0) return 0.5;
  return (STRENGTH * 0.5 + (count * inSpam) / (inSpam + inHam)) / (STRENGTH + count);
}

/** The probability that a sum of `count` pairs of squares is at least `value`. */
function chiSquareTail(value: number, count: number): number {
  const half = value / 2;
  let term = Math.exp(-half);
  let sum = term;
  for (let at = 1; at < count; at += 1) {
    term *= half / at;
    sum += term;
  }
  return Math.min(1, sum);
}
