import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';
import { bestHourTexts } from '../../texts/en/best-hour.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { Time } from '../../ui/dates/time.tsx';

const t = campaignTexts;

/** The times that matter in each status, and the effect of resuming. */
export function CampaignTimes({
  campaign: { status, scheduledAt, startedAt, sentAt, localTime, bestHour },
}: {
  campaign: Campaign;
}) {
  const hasStarted = startedAt !== null;
  const isAhead = scheduledAt !== null && Date.parse(scheduledAt) > Date.now();
  const isPaused = status === 'PAUSED';
  const times = [
    [
      hasStarted ? t.continuesAt : localTime ? t.firstLeavesAt : t.leavesAt,
      status === 'SCHEDULED' ? scheduledAt : null,
    ],
    [
      hasStarted ? t.wasToContinueAt : t.wasToLeaveAt,
      isPaused && (isAhead || !hasStarted) ? scheduledAt : null,
    ],
    [t.startedAt, startedAt],
    [t.sentAt, sentAt],
  ] as const;
  return (
    <p className="mb-4 flex flex-wrap gap-x-6 text-soft">
      {times.map(
        ([name, at]) =>
          at && (
            <span key={name}>
              {name} <Time at={at} precise />
            </span>
          ),
      )}
      {localTime && (
        <span>
          {t.leavesLocally}{' '}
          <time dateTime={localTime}>
            {new Intl.DateTimeFormat(texts.locale, {
              dateStyle: 'medium',
              timeStyle: 'short',
              timeZone: 'UTC',
            }).format(new Date(`${localTime}Z`))}
          </time>
        </span>
      )}
      {bestHour && <span>{bestHourTexts.spread(bestHour.withinHours)}</span>}
      {isPaused && <span>{isAhead ? t.pausedAhead : hasStarted ? t.pausedHalfway : t.pausedTooLong}</span>}
    </p>
  );
}
