/** Turns hourly counts into a timeline without gaps. */
import type { Row } from '../../../platform/database/rows.ts';
import type { CampaignReport } from '../report.schema.ts';
import { DAY_MS, HOUR_MS } from '../../../platform/durations.ts';

export interface HourCounts extends Omit<CampaignReport['timeline'][number], 'at'> {
  at: Row<'campaign_hours'>['hour'];
}

const WEEK_MS = 7 * DAY_MS;
const MAX_HOURLY_MS = 3 * DAY_MS;
const MAX_DAILY_MS = 366 * DAY_MS;
/** The timeline of a new campaign continues up to now even if nothing happens. */
const LEAD_MS = 2 * DAY_MS;

type Timeline = Pick<CampaignReport, 'timeline' | 'timelineInterval'>;

export function toTimeline(hours: HourCounts[], startedAt: Date | null, now: Date): Timeline {
  if (startedAt === null && hours.length === 0) return { timeline: [], timelineInterval: 'hour' };
  const first = Math.min(startedAt?.getTime() ?? Infinity, hours[0]?.at.getTime() ?? Infinity);
  const last = Math.max(hours.at(-1)?.at.getTime() ?? 0, Math.min(now.getTime(), first + LEAD_MS));
  const [timelineInterval, stepMs] = chooseStep(last - first);
  const start = Math.floor(first / Math.min(stepMs, DAY_MS)) * Math.min(stepMs, DAY_MS);
  const timeline = Array.from({ length: Math.floor((last - start) / stepMs) + 1 }, (_, index) => ({
    at: new Date(start + index * stepMs).toISOString(),
    opened: 0,
    clicked: 0,
    unsubscribed: 0,
    machineOpened: 0,
    machineClicked: 0,
  }));
  for (const { at, ...counts } of hours) {
    const entry = timeline[Math.floor((at.getTime() - start) / stepMs)]!;
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) entry[name] += counts[name];
  }
  return { timeline, timelineInterval };
}

function chooseStep(lengthMs: number): [Timeline['timelineInterval'], number] {
  if (lengthMs <= MAX_HOURLY_MS) return ['hour', HOUR_MS];
  return lengthMs <= MAX_DAILY_MS ? ['day', DAY_MS] : ['week', WEEK_MS];
}
