/** The setting of campaigns that are sent at the best hour, in columns of the campaign. */
import type { CamelRow } from '../../platform/database/rows.ts';

export interface BestHour {
  withinHours: number;
  holdoutPercent: number;
}

type Setting = CamelRow<'campaigns', 'best_within_hours' | 'holdout_percent'>;

export function bestHourOf({ bestWithinHours, holdoutPercent }: Setting): BestHour | null {
  return bestWithinHours === null
    ? null
    : { withinHours: bestWithinHours, holdoutPercent: holdoutPercent ?? 0 };
}
