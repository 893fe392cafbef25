/** Whether two groups of recipients differ by more than chance. */

interface Group {
  sent: number;
  opened: number;
  clicked: number;
}

interface Comparison {
  verdict: 'better' | 'worse' | 'same';
  /** The difference of the rates in percentage points, without a sign. */
  points: number;
}

const MIN_GROUP = 30;
/** Differences beyond this many standard errors happen by chance once in twenty times. */
const MAX_CHANCE = 1.96;

/** Null while a group is too small. */
export function compareGroups(best: Group, holdout: Group, kind: 'opened' | 'clicked'): Comparison | null {
  if (best.sent < MIN_GROUP || holdout.sent < MIN_GROUP) return null;
  const difference = best[kind] / best.sent - holdout[kind] / holdout.sent;
  const share = (best[kind] + holdout[kind]) / (best.sent + holdout.sent);
  const error = Math.sqrt(share * (1 - share) * (1 / best.sent + 1 / holdout.sent));
  const isChance = error === 0 || Math.abs(difference) / error < MAX_CHANCE;
  return {
    verdict: isChance ? 'same' : difference > 0 ? 'better' : 'worse',
    points: Math.round(Math.abs(difference) * 1_000) / 10,
  };
}
