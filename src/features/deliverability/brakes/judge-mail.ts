/**
 * Decides from counts whether mail may go on. The functions are pure.
 * Complaints are a share of what was delivered, hard bounces of what was delivered or bounced. A few cases say little
 * about a share, so the brake needs MIN_CASES of them, and a warning needs fewer.
 */
import type { BrakeCause } from '../../sending/domains/domain-brake.ts';

export interface MailCounts {
  delivered: number;
  hardBounced: number;
  complained: number;
}

export interface CountedWindow extends MailCounts {
  window: BrakeCause['window'];
  campaignId: string | null;
}

export interface Verdict {
  status: 'WARNING' | 'ON';
  cause: BrakeCause;
}

const LIMITS = {
  complaints: { warning: 0.001, brake: 0.003 },
  hard_bounces: { warning: 0.02, brake: 0.05 },
} as const;
const MIN_CASES = { warning: 3, brake: 20 };

/** Returns the worst finding. A brake comes before a warning, and the mail of the domain before that of a campaign. */
export function judgeMail(windows: CountedWindow[]): Verdict | null {
  const causes = windows.flatMap(toCauses);
  const braked = causes.find((cause) => exceeds(cause, 'brake'));
  if (braked) return { status: 'ON', cause: braked };
  const warned = causes.find((cause) => exceeds(cause, 'warning'));
  return warned ? { status: 'WARNING', cause: warned } : null;
}

function toCauses({ window, campaignId, delivered, hardBounced, complained }: CountedWindow): BrakeCause[] {
  return [
    { measure: 'complaints', window, campaignId, cases: complained, outOf: Math.max(delivered, complained) },
    {
      measure: 'hard_bounces',
      window,
      campaignId,
      cases: hardBounced,
      outOf: Math.max(0, delivered) + hardBounced,
    },
  ];
}

function exceeds({ measure, cases, outOf }: BrakeCause, level: 'warning' | 'brake'): boolean {
  return cases >= MIN_CASES[level] && cases >= outOf * LIMITS[measure][level];
}

/** Mail from before a release is not judged again, and the totals of the domain count what was sent since. */
export function sinceRelease(totals: MailCounts, baseline: MailCounts | null): CountedWindow[] {
  if (!baseline) return [];
  return [
    {
      window: 'since_release',
      campaignId: null,
      delivered: totals.delivered - baseline.delivered,
      hardBounced: totals.hardBounced - baseline.hardBounced,
      complained: totals.complained - baseline.complained,
    },
  ];
}
