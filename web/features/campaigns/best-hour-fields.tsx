/** The choice to send a campaign to each recipient at its best hour, with a group that gets it at the start. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { bestHourTexts } from '../../texts/en/best-hour.ts';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import type { Form } from '../../ui/form.tsx';

const t = bestHourTexts;
const MAX_HOURS = 24;
const MAX_HOLDOUT = 50;
const USUAL = { withinHours: MAX_HOURS, holdoutPercent: 10 };

export interface BestHourValues {
  bestHour: boolean;
  withinHours: string;
  holdoutPercent: string;
}

export function bestHourValues({ bestHour }: Campaign): BestHourValues {
  const { withinHours, holdoutPercent } = bestHour ?? USUAL;
  return {
    bestHour: bestHour !== null,
    withinHours: String(withinHours),
    holdoutPercent: String(holdoutPercent),
  };
}

export function toBestHour({ bestHour, withinHours, holdoutPercent }: BestHourValues): Campaign['bestHour'] {
  return bestHour ? { withinHours: Number(withinHours), holdoutPercent: Number(holdoutPercent) } : null;
}

export function BestHourFields({ form, hasBegun }: { form: Form<BestHourValues>; hasBegun: boolean }) {
  const { bestHour } = form.values;
  if (hasBegun && !bestHour) return null;
  return (
    <>
      <CheckboxField
        label={t.choice}
        hint={hasBegun ? t.fixed : t.hint}
        checked={bestHour}
        disabled={hasBegun}
        onChange={({ target }) => form.set({ bestHour: target.checked })}
      />
      {bestHour && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField
            label={t.withinHours}
            hint={t.withinHoursHint}
            type="number"
            min={1}
            max={MAX_HOURS}
            {...form.text('withinHours')}
            disabled={hasBegun}
            required
          />
          <TextField
            label={t.holdoutPercent}
            hint={t.holdoutHint}
            type="number"
            min={0}
            max={MAX_HOLDOUT}
            {...form.text('holdoutPercent')}
            disabled={hasBegun}
            required
          />
        </div>
      )}
    </>
  );
}
